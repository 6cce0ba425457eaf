/**
 * Kerberos on the client port: Apache's Java client logs in to Apache's server and to the bundled
 * one, with tickets of a real KDC, and gets the same ids.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnJava } from '../support/apache/oracle.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { kdcTest, REALM } from '../support/peers/kdc.js';
import {
  ENCTYPES,
  type Realm,
  SERVICE,
  startOurs,
  startTheirs,
  withRealm,
} from './support/realm.js';

/** What Apache's shell prints for these lines. */
async function javaShell(port: number, { kdc }: Realm, jaas: string, lines: string[]) {
  const shell = watchProcess(
    spawnJava(
      ['org.apache.zookeeper.ZooKeeperMain', '-server', `localhost:${port}`],
      {
        'java.security.krb5.conf': kdc.configFile,
        'java.security.auth.login.config': jaas,
        'zookeeper.server.principal': `${SERVICE}@${REALM}`,
        'org.slf4j.simpleLogger.defaultLogLevel': 'off',
      },
      ['/usr/share/java/commons-cli.jar', '/usr/share/java/jline2.jar'],
    ),
  );
  shell.process.stdin?.end(`${lines.join('\n')}\nquit\n`);
  await shell.ended;
  return shell.output();
}

/** The id in the ACL that Apache's shell gives to a znode of its own, as `client`. */
async function idOf(realm: Realm, port: number, client: string): Promise<string> {
  const path = `/of-${client.replaceAll('/', '-')}`;
  const lines = [`create ${path} data auth::cdrwa`, `getAcl ${path}`];
  const out = await javaShell(port, realm, await realm.jaasOf(client), lines);
  return /'sasl,'(\S+)/.exec(out)?.[1] ?? out;
}

for (const enctype of ENCTYPES) {
  kdcTest(`a Java client logs in with ${enctype}`, () =>
    withRealm(enctype, async (realm) => {
      const server = await startOurs(realm, {});
      try {
        assert.is(await idOf(realm, server.port, 'alice'), `alice@${REALM}`);
      } finally {
        await server.close();
      }
    }),
  );
}

const RULES: readonly [name: string, config: Record<string, string>][] = [
  ['the default', {}],
  [
    'without host and realm',
    { 'kerberos.removeHostFromPrincipal': 'true', 'kerberos.removeRealmFromPrincipal': 'true' },
  ],
  ['rules', { 'security.auth_to_local': 'RULE:[2:$2x$1](h.*)s/x/-/ RULE:[1:$1$1](al.*) DEFAULT' }],
  ['no rule for these clients', { 'security.auth_to_local': 'RULE:[3:$1]' }],
];

for (const [what, config] of RULES) {
  kdcTest(`the ids are those of Apache's server: ${what}`, () =>
    withRealm(ENCTYPES[1] ?? '', async (realm) => {
      const found: string[][] = [];
      for (const start of [startTheirs, startOurs]) {
        const server = await start(realm, config);
        try {
          const ids: string[] = [];
          for (const client of ['alice', 'hbase/host.example', 'bob']) {
            ids.push(await idOf(realm, server.port, client));
          }
          found.push(ids);
        } finally {
          await server.close();
        }
      }
      assert.equal(found[1], found[0]);
    }),
  );
}

kdcTest('the server refuses to start with settings with which nobody could log in', () =>
  withRealm(ENCTYPES[1] ?? '', async (realm) => {
    const good = readFileSync(realm.serverJaas, 'utf8');
    const keytab = await realm.kdc.keytab('other/localhost');
    for (const [jaas, expected] of [
      [good.replace('storeKey=true', ''), 'Krb5LoginModule needs storeKey=true'],
      [good.replace('zookeeper/', ''), 'expected service/host or service/host@REALM'],
      [good.replace(/keyTab="[^"]*"/, `keyTab="${keytab}"`), 'no key of zookeeper/localhost'],
      [good.replace(/keyTab="[^"]*"/, 'keyTab="/none"'), '/none: ENOENT'],
    ] as const) {
      const serverJaas = join(realm.kdc.folder, 'bad.jaas');
      writeFileSync(serverJaas, jaas);
      const error = await startOurs({ ...realm, serverJaas }, {}).then(
        () => new Error('it started'),
        (thrown: unknown) => thrown as Error,
      );
      assert.match(error.message, expected);
    }
    const rule = { 'security.auth_to_local': 'RULE:[1:$1](' };
    await startOurs(realm, rule).then(
      () => assert.unreachable('it started'),
      (error: unknown) => assert.match(String(error), 'invalid rule'),
    );
  }),
);

test.run();
