/**
 * Both servers accept and refuse the same clients. With ssl.ocsp, Apache's server 3.9.3 refuses
 * every client, because Netty offers no OCSP without OpenSSL. So this sets a JVM property.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ORACLE, oracleTest } from '../support/apache/oracle.js';
import { startOcsp } from '../support/peers/ocsp-responder.js';
import type { Credentials } from '../support/tls/certs.js';
import { makeTlsFiles } from '../support/tls/tls-world.js';
import { assertVerdicts, type TlsClient } from './support/tls-verdicts.js';

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
  const all = new Map<string, TlsClient>();
  const add = (
    name: string,
    { cert, key }: Pick<Credentials, 'cert' | 'key'>,
    prepare: () => void,
  ) => all.set(name, { cert, key, prepare });
  for (const [name, one] of Object.entries(clients)) {
    add(name, one, () => responder.learn({ authority, good: [good], revoked: [revoked] }));
  }
  for (const [name, signer] of [
    ['by a delegate', delegate],
    ['by a stranger', stranger],
  ] as const) {
    const own = issue(name, responder.url);
    add(name, own, () => responder.learn({ authority, good: [own], signer }));
  }
  for (const [at, { ca, one, chain }] of below.entries()) {
    const name = at === 0 ? 'below a good CA' : 'below a revoked CA';
    add(name, chain, () => responder.learn({ authority: ca, good: [one] }));
  }
  try {
    const properties = {
      'zookeeper.ssl.ocsp': 'false',
      'zookeeper.ssl.crl': 'true',
      'java.security.properties': files.write('java.security', 'ocsp.enable=true\n'),
    };
    const servers = { files, config: { 'ssl.ocsp': 'true' }, properties };
    await assertVerdicts(servers, Object.fromEntries(all), {
      ...{ good: 'imok', revoked: '', unknown: '', down: '', nowhere: '' },
      ...{ 'by a delegate': 'imok', 'by a stranger': '' },
      ...{ 'below a good CA': 'imok', 'below a revoked CA': '' },
    });
  } finally {
    await responder.close();
    await above.close();
    files.remove();
  }
});

test.run();
