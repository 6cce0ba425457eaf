import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import type { RunningServer } from '../../../src/server/main.js';
import { startBundled } from '../bundled.js';
import { makeTempDir } from '../machine/temp-dir.js';
import { type Authority, type Credentials, makeAuthority } from './certs.js';

/** An authority and the certificates of a server and a client, as files in a temporary folder. */
export interface TlsFiles {
  readonly authority: Authority;
  /** For localhost, 127.0.0.1, and ::1. */
  readonly server: Credentials;
  /** Its subject is `CN=client,O=Test`. */
  readonly client: Credentials;
  readonly folder: string;
  /** The certificate file of the authority. */
  readonly caFile: string;
  /** Certificate and key of the server. */
  readonly serverFile: string;
  /** zoo.cfg keys for a server that uses them. */
  readonly config: Readonly<Record<string, string>>;
  /** Writes a file into the folder. Returns its path. */
  write(name: string, content: string | Buffer): string;
  remove(): void;
}

export function makeTlsFiles(): TlsFiles {
  const home = makeTempDir('tls');
  const write = (name: string, content: string | Buffer): string => {
    const path = join(home.path, name);
    writeFileSync(path, content);
    return path;
  };
  const authority = makeAuthority();
  const server = authority.issue({ names: ['localhost', '127.0.0.1', '::1'] });
  const client = authority.issue({ subject: [[['O', 'Test']], [['CN', 'client']]] });
  const caFile = write('ca.pem', authority.cert);
  const serverFile = write('server.pem', server.both);
  return {
    authority,
    server,
    client,
    folder: home.path,
    caFile,
    serverFile,
    config: {
      'ssl.keyStore.location': serverFile,
      'ssl.trustStore.location': caFile,
    },
    write,
    remove: () => home.remove(),
  };
}

/** System properties for an Apache server that uses the files. It needs Netty. */
export function nettyProperties(files: TlsFiles): Record<string, string> {
  return {
    'zookeeper.serverCnxnFactory': 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    'zookeeper.ssl.keyStore.location': files.serverFile,
    'zookeeper.ssl.keyStore.type': 'PEM',
    'zookeeper.ssl.trustStore.location': files.caFile,
    'zookeeper.ssl.trustStore.type': 'PEM',
  };
}

/** A bundled server with a plain port and a TLS port. */
export function startSecure(
  files: TlsFiles,
  config: Readonly<Record<string, string>> = {},
  onWarning: (message: string) => void = () => undefined,
): Promise<RunningServer> {
  return startBundled({
    port: 0,
    securePort: 0,
    config: { ...files.config, ...config },
    onWarning,
  });
}

export interface Talk {
  /** The bytes received until the end. */
  readonly text: string;
  /** The code of the error, or "". */
  readonly fault: string;
  /** Serial number of the server's certificate, in hex. */
  readonly serial: string;
}

/** Sends bytes over TLS and reads until the end. */
export function talk(port: number, options: ConnectionOptions, words = 'ruok'): Promise<Talk> {
  return new Promise((resolve) => {
    let text = '';
    let fault = '';
    let serial = '';
    const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ...options }, () => {
      serial = socket.getPeerCertificate().serialNumber;
      socket.write(words);
    });
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      fault = error.code ?? error.message;
    });
    socket.on('close', () => resolve({ text, fault, serial }));
  });
}
