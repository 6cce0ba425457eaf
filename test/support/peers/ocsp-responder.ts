/** The responder of OpenSSL: its verdicts come from an index of certificates. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import { makeTempDir } from '../machine/temp-dir.js';
import type { Authority, Credentials } from '../tls/certs.js';

const lacking =
  spawnSync('openssl', ['version']).error === undefined
    ? undefined
    : "Debian's openssl is not installed";
if (lacking !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: tests of OCSP: ${lacking}`);
}

/** Registers a test that needs the command openssl. Without it, the test counts as skipped. */
export const opensslTest = lacking === undefined ? test : test.skip;

export interface OcspIndex {
  readonly authority: Authority;
  readonly good?: readonly Credentials[];
  readonly revoked?: readonly Credentials[];
  /** Default: the authority itself. */
  readonly signer?: Pick<Credentials, 'cert' | 'key'>;
  /** Further arguments of `openssl ocsp`. */
  readonly flags?: readonly string[];
}

function timeText(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  return `${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`;
}

function indexText({ good = [], revoked = [] }: OcspIndex): string {
  const line = (mark: string, since: string) => (one: Credentials) => {
    const digits = one.serial.toString(16).toUpperCase();
    const serial = digits.length % 2 === 0 ? digits : `0${digits}`;
    return `${mark}\t${timeText(30)}\t${since}\t${serial}\tunknown\t/CN=${serial}\n`;
  };
  return [...good.map(line('V', '')), ...revoked.map(line('R', timeText(-1)))].join('');
}

function argumentsOf(folder: string, index: OcspIndex): string[] {
  const { authority, signer = authority, flags = ['-nmin', '60'] } = index;
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return [
    'ocsp',
    ...['-index', write('index.txt', indexText(index))],
    ...['-CA', write('ca.pem', authority.cert)],
    ...['-rsigner', write('signer.pem', signer.cert), '-rkey', write('signer.key', signer.key)],
    ...flags,
  ];
}

/** The response of OpenSSL to one request, both in DER. */
export function answerOcsp(request: Buffer, index: OcspIndex): Buffer {
  const home = makeTempDir('ocsp');
  try {
    const [asked, answered] = [join(home.path, 'request'), join(home.path, 'response')];
    writeFileSync(asked, request);
    const args = [...argumentsOf(home.path, index), '-reqin', asked, '-respout', answered];
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ocsp: ${stderr}`);
    return readFileSync(answered);
  } finally {
    home.remove();
  }
}

export interface OcspResponder {
  readonly url: string;
  /** The requests so far. */
  readonly asked: number;
  /** What it knows from now on; it must precede the first request. */
  learn(index: OcspIndex): void;
  close(): Promise<void>;
}

/** Runs `openssl ocsp` for each request: with `-port`, that listens on every interface. */
export async function startOcsp(): Promise<OcspResponder> {
  let known: OcspIndex | undefined;
  let asked = 0;
  const server = createServer(async (request, response) => {
    asked++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    // Java sends a short request in the path.
    const path = Buffer.from(decodeURIComponent(request.url?.slice(1) ?? ''), 'base64');
    const bytes = request.method === 'GET' ? path : Buffer.concat(chunks);
    if (known === undefined) response.writeHead(503).end();
    else {
      response.setHeader('Content-Type', 'application/ocsp-response');
      response.end(answerOcsp(bytes, known));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  return {
    url: `http://127.0.0.1:${port}/`,
    get asked() {
      return asked;
    },
    learn: (index) => {
      known = index;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
