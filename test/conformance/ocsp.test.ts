/**
 * Both servers accept and refuse the same clients. With ssl.ocsp, Apache's server 3.9.3 refuses
 * every client, because Netty offers no OCSP without OpenSSL. So this sets a JVM property.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NETTY_JARS, ORACLE, oracleTest, startOracle } from '../support/apache/oracle.js';
import { freePort } from '../support/machine/free-port.js';
import { startOcsp } from '../support/peers/ocsp-responder.js';
import type { Credentials } from '../support/tls/certs.js';
import {
  makeTlsFiles,
  nettyProperties,
  startSecure,
  type TlsFiles,
  talk,
} from '../support/tls/tls-world.js';

const OCSP = { 'ssl.ocsp': 'true' };

/** A TLS port of one of the servers. */
async function startServer(isApache: boolean, files: TlsFiles) {
  if (!isApache) {
    const server = await startSecure(files, OCSP);
    return { port: server.securePort, close: () => server.close() };
  }
  const port = await freePort();
  const properties = {
    ...nettyProperties(files),
    'zookeeper.ssl.crl': 'true',
    'java.security.properties': files.write('java.security', 'ocsp.enable=true\n'),
  };
  const config = { secureClientPort: port, secureClientPortAddress: '127.0.0.1' };
  const server = await startOracle({ jars: NETTY_JARS, config, properties });
  return { port, close: () => server.close() };
}

oracleTest(`the bundled server and ${ORACLE} agree about revoked clients`, async () => {
  const files = makeTlsFiles();
  const { authority } = files;
  const [responder, above, gone] = [await startOcsp(), await startOcsp(), await startOcsp()];
  await gone.close();
  const issue = (name: string, ocspUrl?: string): Credentials =>
    authority.issue({ subject: [[['CN', name]]], ...(ocspUrl === undefined ? {} : { ocspUrl }) });
  const clients = {
    good: issue('good', responder.url),
    revoked: issue('revoked', responder.url),
    unknown: issue('unknown', responder.url),
    down: issue('down', gone.url),
    nowhere: issue('nowhere'),
  };
  const { good, revoked } = clients;
  const delegate = authority.issue({ subject: [[['CN', 'delegate']]], isForOcsp: true });
  const stranger = authority.issue({ subject: [[['CN', 'stranger']]] });
  const [sound, bad] = ['Sound CA', 'Bad CA'].map((name) =>
    authority.subordinate(name, { ocspUrl: above.url }),
  );
  assert.ok(sound && bad);
  above.learn({ authority, good: [sound], revoked: [bad] });
  const below = [sound, bad].map((ca) => {
    const one = ca.issue({ subject: [[['CN', 'below']]], ocspUrl: responder.url });
    return { ca, one, chain: { cert: one.cert + ca.cert, key: one.key } };
  });
  const verdictsOf = async (isApache: boolean): Promise<Record<string, string>> => {
    const server = await startServer(isApache, files);
    const ask = async (own: Pick<Credentials, 'cert' | 'key'>) =>
      (await talk(server.port, { ca: authority.cert, cert: own.cert, key: own.key })).text;
    const verdicts: Record<string, string> = {};
    try {
      responder.learn({ authority, good: [good], revoked: [revoked] });
      for (const [name, one] of Object.entries(clients)) verdicts[name] = await ask(one);
      const more = [issue('a', responder.url), issue('b', responder.url)];
      for (const [at, signer] of [delegate, stranger].entries()) {
        responder.learn({ authority, good: more, signer });
        const own = more[at];
        verdicts[at === 0 ? 'by a delegate' : 'by a stranger'] = own ? await ask(own) : '';
      }
      for (const [at, { ca, one, chain }] of below.entries()) {
        responder.learn({ authority: ca, good: [one] });
        verdicts[at === 0 ? 'below a good CA' : 'below a revoked CA'] = await ask(chain);
      }
      return verdicts;
    } finally {
      await server.close();
    }
  };
  try {
    const expected = {
      ...{ good: 'imok', revoked: '', unknown: '', down: '', nowhere: '' },
      ...{ 'by a delegate': 'imok', 'by a stranger': '' },
      ...{ 'below a good CA': 'imok', 'below a revoked CA': '' },
    };
    assert.equal(await verdictsOf(true), expected);
    assert.equal(await verdictsOf(false), expected);
  } finally {
    await responder.close();
    await above.close();
    files.remove();
  }
});

test.run();
