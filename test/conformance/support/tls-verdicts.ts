/** The same TLS clients at both servers: which of them does each accept? */
import type { ConnectionOptions } from 'node:tls';
import * as assert from 'uvu/assert';
import { NETTY_JARS, startOracle } from '../../support/apache/oracle.js';
import { freePort } from '../../support/machine/free-port.js';
import { type Credentials, makeAuthority } from '../../support/tls/certs.js';
import { nettyProperties, startSecure, type TlsFiles, talk } from '../../support/tls/tls-world.js';
import { waitFor } from '../../support/wait-for.js';

/** A client, with what must happen before it comes. */
export interface TlsClient extends Pick<ConnectionOptions, 'cert' | 'key'> {
  readonly minVersion?: 'TLSv1.3';
  readonly maxVersion?: 'TLSv1.2';
  prepare?(): void;
}

export type TlsClients = Readonly<Record<string, TlsClient>>;

const pairOf = ({ cert, key }: Credentials) => ({ cert, key });

/** By the names in their certificates; all come from 127.0.0.1. */
export function namedClients(files: TlsFiles): TlsClients {
  const issue = (...names: readonly string[]) => pairOf(files.authority.issue({ names }));
  return {
    'its address': issue('127.0.0.1'),
    'its name by reverse lookup': issue('localhost'),
    'another address': issue('127.0.0.9'),
    'another name': issue('other.example.org'),
    'many names': issue('other.example.org', '127.0.0.1'),
    'only a subject': pairOf(files.client),
  };
}

export function certifiedClients(files: TlsFiles): TlsClients {
  return {
    'no certificate': {},
    'of the authority': pairOf(files.server),
    'of a stranger': pairOf(makeAuthority('Stranger').issue({ names: ['127.0.0.1'] })),
  };
}

export function versionClients(files: TlsFiles): TlsClients {
  const own = pairOf(files.server);
  return {
    'TLS 1.2': { ...own, maxVersion: 'TLSv1.2' },
    'TLS 1.3': { ...own, minVersion: 'TLSv1.3' },
  };
}

/** For both versions: 3.8 has no suites of TLS 1.3 by default. */
export const SUITES = 'TLS_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';

export interface TlsServers {
  readonly files: TlsFiles;
  /** Keys of zoo.cfg for both servers; Apache's takes them as system properties. */
  readonly config: Readonly<Record<string, string>>;
  /** For Apache's server alone. */
  readonly properties?: Readonly<Record<string, string>>;
}

type Verdicts = Readonly<Record<string, 'imok' | ''>>;

async function startTls(isApache: boolean, { files, config, properties }: TlsServers) {
  if (!isApache) {
    const server = await startSecure(files, config);
    return { port: server.securePort, close: () => server.close() };
  }
  const port = await freePort();
  const asked = Object.entries(config).map(([key, value]) => [`zookeeper.${key}`, value]);
  const server = await startOracle({
    jars: NETTY_JARS,
    config: { secureClientPort: port, secureClientPortAddress: '127.0.0.1' },
    properties: { ...nettyProperties(files), ...Object.fromEntries(asked), ...properties },
  });
  // It opens this port after the plain one, which startOracle waits for.
  const isOpen = async () => (await talk(port, {})).fault !== 'ECONNREFUSED';
  await waitFor("Apache's secure port", isOpen);
  return { port, close: () => server.close() };
}

/** "imok" from a server that accepts the client, otherwise "". */
async function verdictsOf(
  isApache: boolean,
  servers: TlsServers,
  clients: TlsClients,
): Promise<Record<string, string>> {
  const server = await startTls(isApache, servers);
  const verdicts: Record<string, string> = {};
  try {
    for (const [name, { prepare, ...own }] of Object.entries(clients)) {
      prepare?.();
      const { cert: ca } = servers.files.authority;
      verdicts[name] = (await talk(server.port, { ca, ...own })).text;
    }
    return verdicts;
  } finally {
    await server.close();
  }
}

/** @param here what the bundled server says if that differs on purpose */
export async function assertVerdicts(
  servers: TlsServers,
  clients: TlsClients,
  expected: Verdicts,
  here: Verdicts = expected,
): Promise<void> {
  const asked = JSON.stringify(servers.config);
  assert.equal(await verdictsOf(true, servers, clients), expected, `Apache's server: ${asked}`);
  assert.equal(await verdictsOf(false, servers, clients), here, `this server: ${asked}`);
}
