/** Both servers fetch revocation lists, and accept and refuse the same clients. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NETTY_JARS, ORACLE, oracleTest, startOracle } from '../support/apache/oracle.js';
import { integer } from '../support/bytes/der.js';
import { freePort } from '../support/machine/free-port.js';
import { startLists } from '../support/peers/list-server.js';
import { daysFromNow, extension } from '../support/tls/certs.js';
import {
  makeTlsFiles,
  nettyProperties,
  startSecure,
  type TlsFiles,
  talk,
} from '../support/tls/tls-world.js';

/** A TLS port of one of the servers. */
async function startServer(isApache: boolean, files: TlsFiles) {
  if (!isApache) {
    const server = await startSecure(files, { 'ssl.crl': 'true' });
    return { port: server.securePort, close: () => server.close() };
  }
  const port = await freePort();
  const properties = { ...nettyProperties(files), 'zookeeper.ssl.crl': 'true' };
  const config = { secureClientPort: port, secureClientPortAddress: '127.0.0.1' };
  const server = await startOracle({ jars: NETTY_JARS, config, properties });
  return { port, close: () => server.close() };
}

oracleTest(`the bundled server and ${ORACLE} agree about clients in lists`, async () => {
  const files = makeTlsFiles();
  const { authority } = files;
  const [lists, gone] = [await startLists(), await startLists()];
  await gone.close();
  const issue = (name: string, ...crlUrls: string[]) =>
    authority.issue({
      subject: [[['CN', name]]],
      ...(crlUrls.length === 0 ? {} : { crlUrls }),
    });
  const at = (path: string): string => `${lists.url}/${path}`;
  const [sound, bad] = ['Sound CA', 'Bad CA'].map((name) =>
    authority.subordinate(name, { crlUrls: [at('root')] }),
  );
  assert.ok(sound && bad);
  const below = (ca: typeof sound, path: string) => {
    const own = ca.issue({ subject: [[['CN', 'below']]], crlUrls: [at(path)] });
    return { cert: own.cert + ca.cert, key: own.key };
  };
  const clients = {
    good: issue('good', at('root')),
    revoked: issue('revoked', at('root')),
    'unreachable list': issue('down', `${gone.url}/root`),
    'no list at the place': issue('missing', at('missing')),
    'no place named': issue('nowhere'),
    'second place': issue('second', at('missing'), at('root')),
    'stale list': issue('stale', at('stale')),
    'list of another authority': issue('strange', at('sound')),
    'unknown critical extension': issue('critical', at('critical')),
    'below a good CA': below(sound, 'sound'),
    'below a revoked CA': below(bad, 'bad'),
  };
  lists.serve('/root', authority.list({ revoked: [clients.revoked, bad] }));
  lists.serve('/stale', authority.list({ nextUpdate: daysFromNow(-0.5) }));
  const extensions = [extension('1.2.3.4', true, integer(1))];
  lists.serve('/critical', authority.list({ extensions }));
  lists.serve('/sound', sound.list());
  lists.serve('/bad', bad.list());
  const verdictsOf = async (isApache: boolean): Promise<Record<string, string>> => {
    const server = await startServer(isApache, files);
    const verdicts: Record<string, string> = {};
    try {
      for (const [name, { cert, key }] of Object.entries(clients)) {
        verdicts[name] = (await talk(server.port, { ca: authority.cert, cert, key })).text;
      }
      return verdicts;
    } finally {
      await server.close();
    }
  };
  try {
    const accepted = ['good', 'second place', 'below a good CA'];
    const expected = Object.fromEntries(
      Object.keys(clients).map((name) => [name, accepted.includes(name) ? 'imok' : '']),
    );
    assert.equal(await verdictsOf(true), expected);
    assert.equal(await verdictsOf(false), expected);
  } finally {
    await lists.close();
    files.remove();
  }
});

test.run();
