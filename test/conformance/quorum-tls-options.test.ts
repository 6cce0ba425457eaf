/** The election ports of both servers accept and refuse the same servers: TLS by every option. */
import { type ConnectionOptions, connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isOracle39, ORACLE, oracleTest } from '../support/apache/oracle.js';
import { makeSeats } from '../support/apache/oracle-ensemble.js';
import { makeTlsFiles, type TlsFiles } from '../support/tls/tls-world.js';
import { waitFor } from '../support/wait-for.js';
import {
  certifiedClients,
  namedClients,
  SUITES,
  type TlsClients,
  versionClients,
} from './support/tls-verdicts.js';

/** How server 3 begins a connection: protocol, id, and the length and text of its address. */
function helloOf(port: number): Buffer {
  const address = Buffer.from(`127.0.0.1:${port}`);
  const head = Buffer.alloc(20);
  head.writeBigInt64BE(-65536n, 0);
  head.writeBigInt64BE(3n, 8);
  head.writeInt32BE(address.length, 16);
  return Buffer.concat([head, address]);
}

/** A server that accepts server 3 sends it a notification. */
function dial(port: number, hello: Buffer, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ...options }, () =>
      socket.write(hello),
    );
    let fault = 'refused';
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') fault = error.code;
    });
    socket.on('data', () => {
      fault = 'accepted';
      socket.destroy();
    });
    socket.on('close', () => resolve(fault));
  });
}

async function verdictsOf(
  isApache: boolean,
  files: TlsFiles,
  asked: Readonly<Record<string, string>>,
  peers: TlsClients,
): Promise<Record<string, string>> {
  const config = {
    sslQuorum: true,
    'fips-mode': false,
    'ssl.quorum.keyStore.location': files.serverFile,
    'ssl.quorum.keyStore.type': 'PEM',
    'ssl.quorum.trustStore.location': files.caFile,
    'ssl.quorum.trustStore.type': 'PEM',
    ...asked,
  };
  const seats = await makeSeats({ participants: 3, config });
  try {
    if (isApache) seats.startApache(1);
    else seats.startBundled(1);
    const { electionPort } = seats.of(1);
    const hello = helloOf(seats.of(3).electionPort);
    const { cert: ca } = files.authority;
    await waitFor('the election port', async () => {
      return (await dial(electionPort, hello, { ca })) !== 'ECONNREFUSED';
    });
    const verdicts: Record<string, string> = {};
    for (const [name, own] of Object.entries(peers)) {
      verdicts[name] = await dial(electionPort, hello, { ca, ...own });
    }
    return verdicts;
  } finally {
    await seats.close();
  }
}

/** @param accepted by Apache's server, which refuses the others; `here`: by this one */
function compare(
  asked: Readonly<Record<string, string>>,
  peersOf: (files: TlsFiles) => TlsClients,
  accepted: readonly string[],
  here: readonly string[] = accepted,
): void {
  const what = Object.entries(asked).map(([key, value]) => `${key}=${value}`);
  oracleTest(`the bundled server and ${ORACLE} agree about servers with ${what}`, async () => {
    const files = makeTlsFiles();
    try {
      const peers = peersOf(files);
      const expected = (names: readonly string[]) =>
        Object.fromEntries(
          Object.keys(peers).map((name) => [name, names.includes(name) ? 'accepted' : 'refused']),
        );
      assert.equal(await verdictsOf(true, files, asked, peers), expected(accepted), 'Apache');
      assert.equal(await verdictsOf(false, files, asked, peers), expected(here), 'this server');
    } finally {
      files.remove();
    }
  });
}

// 3.9.5 has allowReverseDnsLookup; releases before it always look up.
const BY_NAME = {
  'ssl.quorum.hostnameVerification': 'true',
  'ssl.quorum.allowReverseDnsLookup': 'true',
};
const WELL_NAMED = ['its address', 'its name by reverse lookup', 'many names'];
compare(BY_NAME, namedClients, WELL_NAMED);
const ANY_NAME = { 'ssl.quorum.hostnameVerification': 'false' };
const ALL_NAMED = [
  ...['its address', 'its name by reverse lookup', 'another address', 'another name'],
  ...['many names', 'only a subject'],
];
compare(ANY_NAME, namedClients, ALL_NAMED);
// 3.8 has no fips-mode. With it, servers do not check names unless this server's zoo.cfg asks.
compare({ 'fips-mode': 'true' }, namedClients, isOracle39 ? ALL_NAMED : WELL_NAMED, ALL_NAMED);

for (const [clientAuth, accepted] of [
  ['need', ['of the authority']],
  ['want', ['no certificate', 'of the authority']],
  ['none', ['no certificate', 'of the authority', 'of a stranger']],
] as const) {
  compare({ 'ssl.quorum.clientAuth': clientAuth }, certifiedClients, accepted);
}

for (const [option, accepted, here] of [
  ['ssl.quorum.protocol=TLSv1.2', ['TLS 1.2'], undefined],
  [
    'ssl.quorum.protocol=TLSv1.3',
    isOracle39 ? ['TLS 1.2', 'TLS 1.3'] : ['TLS 1.3'],
    ['TLS 1.2', 'TLS 1.3'],
  ],
  ['ssl.quorum.enabledProtocols=TLSv1.2', ['TLS 1.2'], undefined],
  ['ssl.quorum.enabledProtocols=TLSv1.3', ['TLS 1.3'], undefined],
  ['ssl.quorum.enabledProtocols=TLSv1.2,TLSv1.3', ['TLS 1.2', 'TLS 1.3'], undefined],
] as const) {
  const [key = '', value = ''] = option.split('=');
  // 3.8 takes the version of ssl.quorum.protocol alone.
  const asked = { [key]: value, 'ssl.quorum.ciphersuites': SUITES };
  compare(asked, versionClients, accepted, here);
}

test.run();
