/** Both servers fetch revocation lists, and accept and refuse the same clients. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ORACLE, oracleTest } from '../support/apache/oracle.js';
import { integer } from '../support/bytes/der.js';
import { startLists } from '../support/peers/list-server.js';
import { daysFromNow, extension } from '../support/tls/certs.js';
import { makeTlsFiles } from '../support/tls/tls-world.js';
import { assertVerdicts } from './support/tls-verdicts.js';

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
  try {
    const accepted = ['good', 'second place', 'below a good CA'];
    const verdicts = Object.keys(clients).map((name) => {
      return [name, accepted.includes(name) ? ('imok' as const) : ('' as const)] as const;
    });
    const own = Object.entries(clients).map(([name, { cert, key }]) => [name, { cert, key }]);
    const servers = { files, config: { 'ssl.crl': 'true' } };
    await assertVerdicts(servers, Object.fromEntries(own), Object.fromEntries(verdicts));
  } finally {
    await lists.close();
    files.remove();
  }
});

test.run();
