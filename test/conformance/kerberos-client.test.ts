/**
 * This project's clients log in with Kerberos to Apache's server and to the bundled one, by a
 * keytab and by the ticket of kinit, and get the same ids.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createClient,
  type KerberosOptions,
  kerberos,
  ZooKeeperError,
} from '../../src/client/index.js';
import { Acceptor } from '../../src/kerberos/acceptor.js';
import { GssapiServer } from '../../src/kerberos/gssapi-server.js';
import { KerberosClient } from '../../src/kerberos/node/kerberos-client.js';
import { readKeytab } from '../../src/kerberos/node/kerberos-files.js';
import { runCli } from '../support/apache/zkcli-run.js';
import { freePort } from '../support/machine/free-port.js';
import { kdcTest, REALM } from '../support/peers/kdc.js';
import { runZksh } from '../support/terminal/run-zksh.js';
import {
  ENCTYPES,
  type Realm,
  SERVICE,
  type Serving,
  startOurs,
  startTheirs,
  withRealm,
} from './support/realm.js';

const [, USUAL = ''] = ENCTYPES;
const SERVERS = [
  ["Apache's server", startTheirs],
  ['the bundled server', startOurs],
] as const;
const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));
/** A local host may have several names. */
const BY_NAME = { isHostCanonicalized: false };

/** Shows the text that does not match. */
function expect(text: string, pattern: RegExp): void {
  assert.match(text, pattern, text);
}

/** The id of a session, or the code and the sentence of the error. */
async function idOf(port: number, sasl: KerberosOptions): Promise<string> {
  const client = createClient({
    connectString: `localhost:${port}`,
    connectRounds: 1,
    sasl: kerberos({ ...BY_NAME, ...sasl }),
  });
  try {
    await client.connect();
    const ids = await client.whoAmI();
    return ids.find(({ authScheme }) => authScheme === 'sasl')?.user ?? 'none';
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) return String(error);
    return `${error.code} ${error.cause instanceof Error ? error.cause.message : error.cause}`;
  } finally {
    await client.close();
  }
}

async function keytabLogin({ kdc }: Realm, principal: string): Promise<KerberosOptions> {
  const keytab = await kdc.keytab(principal);
  return { principal, keytab, krb5Conf: kdc.configFile };
}

async function withServer(
  start: typeof startOurs,
  enctype: string,
  use: (realm: Realm, server: Serving) => Promise<void>,
): Promise<void> {
  await withRealm(enctype, async (realm) => {
    const server = await start(realm, {});
    try {
      await use(realm, server);
    } finally {
      await server.close();
    }
  });
}

for (const [name, start] of SERVERS) {
  for (const enctype of ENCTYPES) {
    kdcTest(`the library logs in to ${name} by a keytab, with ${enctype}`, () =>
      withServer(start, enctype, async (realm, { port }) => {
        const login = await keytabLogin(realm, 'hbase/some.host');
        assert.is(await idOf(port, login), `hbase/some.host@${REALM}`);
      }),
    );
  }

  kdcTest(`the library logs in to ${name} by the ticket of kinit`, () =>
    withServer(start, USUAL, async (realm, { port }) => {
      const { keytab = '', krb5Conf = '' } = await keytabLogin(realm, 'alice');
      const ticketCache = await realm.kdc.ticketCache('alice', keytab);
      const login = { ticketCache, krb5Conf };
      assert.is(await idOf(port, login), `alice@${REALM}`);
      assert.is(await idOf(port, { ...login, principal: 'alice' }), `alice@${REALM}`);
      expect(await idOf(port, { ...login, principal: 'bob' }), /run kinit bob@EXAMPLE/);
    }),
  );

  kdcTest(`zksh, zkops, and --zkcli log in to ${name}`, () =>
    withServer(start, USUAL, async ({ kdc, ...realm }, { port }) => {
      const host = `localhost:${port}`;
      const jaas = await realm.jaasOf('alice');
      const env = { KRB5_CONFIG: kdc.configFile };
      const line = ['-c', 'whoami', '-o', 'json'];
      const byFile = await runZksh([host, '--sasl-file', jaas, ...line], '', env);
      assert.match(byFile.stdout, `alice@${REALM}`, byFile.stderr);
      const properties = join(kdc.folder, 'client.properties');
      const lines = [
        `java.security.auth.login.config=${jaas}`,
        `java.security.krb5.conf=${kdc.configFile}`,
        `zookeeper.server.principal=${SERVICE}`,
        'zookeeper.sasl.client.canonicalize.hostname=false',
      ];
      writeFileSync(properties, lines.join('\n'));
      const cli = await runCli(host, ['-client-configuration', properties, 'whoami']);
      assert.match(cli.result, `sasl: alice@${REALM}`, cli.err);
      const other = lines.map((each) => each.replace(SERVICE, 'http/localhost'));
      writeFileSync(properties, other.join('\n'));
      const refused = await runCli(host, ['-client-configuration', properties, 'whoami']);
      expect(
        refused.err,
        /AuthFailed: Kerberos: the KDC does not know the service http\/localhost/,
      );
      const args = [ZKOPS, 'smoke', '--servers', host, '--sasl-file', jaas];
      const ops = await promisify(execFile)(process.execPath, args, {
        env: { ...process.env, ...env },
      });
      assert.match(ops.stdout, /a session opens .* ok/);
    }),
  );

  kdcTest(`${name} refuses a ticket for its old key`, () =>
    withServer(start, USUAL, async (realm, { port }) => {
      const login = await keytabLogin(realm, 'alice');
      await realm.kdc.changeKey(SERVICE);
      expect(await idOf(port, login), /^AUTHFAILED .*refused the SASL login of "alice@/);
    }),
  );
}

/** Both sides in this process. */
async function logIn(client: KerberosClient, server: GssapiServer): Promise<string> {
  const exchange = await client.begin('localhost');
  for (let token = exchange.first; ; ) {
    const answer = server.step(token);
    if (answer.kind === 'failed') return answer.reason;
    const step = exchange.step(answer.token);
    if (step.kind === 'failed') return step.reason;
    if (step.kind === 'done') return answer.kind === 'done' ? answer.user : answer.kind;
    token = step.token;
  }
}

kdcTest('a client keeps its tickets until they expire, and then asks a KDC again', () =>
  withRealm(USUAL, async (realm) => {
    const { kdc } = realm;
    const keys = readKeytab(await kdc.keytab(`${SERVICE}2`));
    const login = { ...BY_NAME, ...(await keytabLogin(realm, 'alice')) };
    let nowMs = Date.now();
    const client = new KerberosClient({
      login: { ...login, servicePrincipal: `${SERVICE}2` },
      now: () => nowMs,
    });
    const acceptor = new Acceptor({
      principal: `${SERVICE}2@${REALM}`,
      keys: () => keys,
      now: Date.now,
    });
    const again = () => logIn(client, new GssapiServer(acceptor, (user) => user));
    assert.is(await again(), `alice@${REALM}`);
    await kdc.halt();
    assert.is(await again(), `alice@${REALM}`, 'no KDC is needed');
    // Tickets last a day at most.
    nowMs += 48 * 3_600_000;
    const fault = await again().catch((error: Error) => error.message);
    expect(fault, /no KDC of EXAMPLE\.TEST answered/);
    nowMs -= 48 * 3_600_000;
    await kdc.resume();
    assert.is(await again(), `alice@${REALM}`);
  }),
);

kdcTest('a clock that is wrong is named, with the seconds', () =>
  withRealm(USUAL, async (realm) => {
    const login = { ...BY_NAME, ...(await keytabLogin(realm, 'alice')) };
    const client = new KerberosClient({ login, now: () => Date.now() + 3_600_000 });
    const fault = await client.begin('localhost').then(
      () => 'a ticket',
      (error: Error) => error.message,
    );
    expect(fault, /the clock of this host is 3\d{3} s fast, compared with the KDC: set it/);
  }),
);

kdcTest('each fault is a sentence that says what to do', () =>
  withServer(startOurs, USUAL, async (realm, { port }) => {
    const { kdc } = realm;
    const login = await keytabLogin(realm, 'alice');
    const said = (changed: Partial<KerberosOptions>) => idOf(port, { ...login, ...changed });
    const unknown = await kdc.keytab('gone');
    await kdc.forget('gone');
    expect(
      await said({ principal: 'gone', keytab: unknown }),
      /^AUTHFAILED .*Kerberos: the KDC does not know gone@EXAMPLE\.TEST/,
    );
    expect(await said({ principal: 'bob' }), /alice\.keytab: no key of bob@EXAMPLE\.TEST/);
    expect(await said({ serviceName: 'http' }), /does not know the service http\/localhost@/);
    expect(await said({ servicePrincipal: 'zookeeper/x@OTHER' }), /krbtgt\/OTHER|OTHER/);
    expect(await said({ krb5Conf: '/none' }), /\/none: ENOENT/);
    const short = await kdc.ticketCache('alice', login.keytab ?? '', '1s');
    const { keytab: _, ...byCache } = login;
    const late = new KerberosClient({
      login: { ...byCache, ticketCache: short },
      now: () => Date.now() + 60_000,
    });
    await late.begin('localhost').then(
      () => assert.unreachable('an expired ticket'),
      (error: Error) => expect(error.message, /of alice@EXAMPLE\.TEST expired at .*kinit/),
    );
    await kdc.changeKey('alice');
    expect(await said({}), /AUTHFAILED .*the key of alice@EXAMPLE\.TEST is not the one/);
    await kdc.halt();
    expect(await said({}), /no KDC of EXAMPLE\.TEST answered: 127\.0\.0\.1:\d+ ECONNREFUSED/);
  }),
);

kdcTest('the next KDC of krb5.conf is asked if one is down', () =>
  withServer(startOurs, USUAL, async (realm, { port }) => {
    const login = await keytabLogin(realm, 'alice');
    const krb5Conf = join(realm.kdc.folder, 'two.conf');
    const text = readFileSync(realm.kdc.configFile, 'utf8');
    const down = `kdc = 127.0.0.1:${await freePort()}`;
    writeFileSync(krb5Conf, text.replace(/kdc = /, `${down}\n    kdc = `));
    assert.is(await idOf(port, { ...login, krb5Conf }), `alice@${REALM}`);
  }),
);

test.run();
