// conformance: runs against Apache's server, too.
/** A subtree of a running server goes back to a past moment, and nothing else changes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CreateModes, createClient, type ZooKeeperClient } from '../../src/client/index.js';
import { callTask, taskJson } from '../commands/zkops/call-task.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

const NARROW = [{ perms: 21, id: { scheme: 'world', id: 'anyone' } }];

interface World {
  readonly client: ZooKeeperClient;
  readonly backup: () => Promise<void>;
  readonly restore: (...args: string[]) => ReturnType<typeof taskJson>;
  readonly refused: (...args: string[]) => Promise<string>;
}

function requireLogin(jaasFile: string) {
  const auth = 'org.apache.zookeeper.server.auth';
  const [user, password] = ['bob', 'secret'];
  writeFileSync(
    jaasFile,
    `Server { ${auth}.DigestLoginModule required user_${user}="${password}"; };`,
  );
  const config = {
    'java.security.auth.login.config': jaasFile,
    'zookeeper.authProvider.1': `${auth}.SASLAuthenticationProvider`,
    'zookeeper.sessionRequireClientSASLAuth': 'true',
  };
  return { config, sasl: { user, password } };
}

async function withServer(
  use: (world: World) => Promise<void>,
  isLoginRequired = false,
): Promise<void> {
  const home = makeTempDir('restore-path');
  const [dataDir, to] = [join(home.path, 'data'), join(home.path, 'kept')];
  const login = isLoginRequired ? requireLogin(join(home.path, 'jaas.conf')) : null;
  const config = {
    preAllocSize: '64',
    'zookeeper.extendedTypesEnabled': 'true',
    ...login?.config,
  };
  const server = await startBundled({ dataDir, config });
  const client = createClient({
    connectString: server.connectString,
    ...(login === null ? {} : { sasl: login.sasl }),
  });
  const argsOf = (args: readonly string[]) => [
    ...['backup', 'restore-path', to],
    ...(args.includes('--servers') ? [] : ['--servers', server.connectString]),
    ...args,
  ];
  try {
    await client.connect();
    await use({
      client,
      backup: async () => {
        const { exitCode, out } = await callTask(['backup', 'run', dataDir, '--to', to, '--once']);
        assert.is(exitCode, 0, out);
      },
      restore: (...args) => taskJson(argsOf(args)),
      refused: async (...args) => {
        const { exitCode, error } = await callTask(argsOf(args));
        assert.ok(exitCode > 2, error);
        return error;
      },
    });
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
}

/** Resolves to the moment before the mistakes. */
async function makeMistakes(client: ZooKeeperClient): Promise<string> {
  await client.create('/app', Buffer.from('v1'));
  await client.create('/app/a-b', Buffer.from([0, 255, 128]));
  await client.create('/app/a', null);
  await client.create('/app/a/leaf', Buffer.from('leaf'));
  await client.create('/app/box', null, { mode: CreateModes.CONTAINER });
  await client.create('/app/gone', Buffer.from('gone'), { mode: CreateModes.EPHEMERAL });
  await client.create('/beside', Buffer.from('first'));
  const { mzxid } = await client.setData('/app', Buffer.from('v2'));
  await client.delete('/app/gone');
  await client.setData('/app', Buffer.from('mistake'));
  await client.setData('/app/a-b', Buffer.from('mistake'));
  await client.delete('/app/a/leaf');
  await client.setACL('/app/a', NARROW);
  await client.delete('/app/box');
  await client.create('/app/extra', null);
  await client.create('/app/extra/below', null);
  await client.create('/app/live', null, { mode: CreateModes.EPHEMERAL });
  await client.setData('/beside', Buffer.from('second'));
  return `0x${mzxid.toString(16)}`;
}

const CHANGES = { created: 2, set: 2, aclsSet: 1, deleted: 2 };

function countsOf({ totals }: { readonly totals: Readonly<Record<string, unknown>> }) {
  const { created, set, aclsSet, deleted } = totals;
  return { created, set, aclsSet, deleted };
}

test('a dry run lists the changes; the restore makes only these, and ends', () =>
  withServer(async ({ client, backup, restore }) => {
    const at = await makeMistakes(client);
    await backup();
    const dry = await restore('/app', '--at', at, '--dry-run');
    assert.is(dry.exitCode, 0, dry.verdict.summary);
    assert.equal(countsOf(dry), CHANGES);
    assert.equal(
      dry.rows.map(({ action, path, changes }) => [action, path, changes ?? '']),
      [
        ['set', '/app', 'data'],
        ['set', '/app/a', 'ACL'],
        ['create', '/app/a/leaf', ''],
        ['set', '/app/a-b', 'data'],
        ['create', '/app/box', ''],
        ['delete', '/app/extra', ''],
        ['delete', '/app/extra/below', ''],
      ],
    );
    assert.is(`${(await client.getData('/app')).data}`, 'mistake');

    const done = await restore('/app', '--at', at, '--yes', '--limit', '2');
    assert.is(done.exitCode, 0, done.verdict.summary);
    assert.equal([countsOf(done), done.rows.length], [CHANGES, 2]);
    assert.is(`${(await client.getData('/app')).data}`, 'v2');
    assert.equal((await client.getData('/app/a-b')).data, Buffer.from([0, 255, 128]));
    const { children } = await client.getChildren('/app');
    assert.equal([...children].sort(), ['a', 'a-b', 'box', 'live']);
    assert.is((await client.getACL('/app/a')).acl[0]?.perms, 31);
    assert.is(`${(await client.getData('/beside')).data}`, 'second');

    const again = await restore('/app', '--at', at, '--yes');
    assert.equal(countsOf(again), { created: 0, set: 0, aclsSet: 0, deleted: 0 });
    assert.is(again.totals['ephemerals'], 1);
  }));

test('the whole tree goes back, without the znodes of the server', () =>
  withServer(async ({ client, backup, restore }) => {
    const at = await makeMistakes(client);
    await backup();
    const done = await restore('/', '--at', at, '--yes', '--keep-acls');
    assert.equal(countsOf(done), { ...CHANGES, set: 3, aclsSet: 0 });
    assert.is(`${(await client.getData('/beside')).data}`, 'first');
    assert.is((await client.getACL('/app/a')).acl[0]?.perms, 21);
    assert.ok(await client.exists('/zookeeper/quota'));
  }));

test('a deleted subtree comes back with its parents first', () =>
  withServer(async ({ client, backup, restore, refused }) => {
    const at = await makeMistakes(client);
    await client.setACL('/app/a', [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }]);
    for (const path of ['live', 'extra/below', 'extra', 'a', 'a-b']) {
      await client.delete(`/app/${path}`);
    }
    await client.delete('/app');
    await backup();
    assert.match(
      await refused('/app/a', '--at', at, '--yes'),
      /its parent \/app does not exist\n.*Restore \/app, or create it first/,
    );
    const done = await restore('/app', '--at', at, '--yes');
    assert.is(done.totals['created'], 5);
    assert.is(`${(await client.getData('/app/a/leaf')).data}`, 'leaf');
  }));

test('refuses without a word, or what would delete a whole subtree, and names the next step', () =>
  withServer(async ({ client, backup, refused }) => {
    const at = await makeMistakes(client);
    await backup();
    assert.match(await refused('/app'), /add --yes to confirm.*\n.*First list .*--dry-run/);
    assert.match(await refused('/zookeeper/quota', '--yes'), /own znodes/);
    assert.match(await refused('app', '--yes'), /invalid path: app/);
    assert.match(await refused('/none', '--yes'), /did not exist at .*\n.*another moment or path/);
    assert.match(await refused('/app/gone', '--at', at, '--yes'), /was an ephemeral at/);
    assert.match(await refused('/app', '--at', '0xfffff', '--yes'), /not contain this moment/);
    assert.is(`${(await client.getData('/app')).data}`, 'mistake');
    await client.setACL('/app/a', [{ perms: 31, id: { scheme: 'digest', id: 'x:y' } }]);
    assert.match(await refused('/app', '--at', at, '--yes'), /may not read .*\n.*Add --auth/);
    assert.is(`${(await client.getData('/app')).data}`, 'mistake');
  }));

test('asks for a login when the servers require one', () =>
  withServer(async ({ client, backup, refused }) => {
    await client.create('/app', null);
    await backup();
    assert.match(await refused('/app', '--yes'), /require a login: add --sasl-file FILE/);
  }, true));

test('names a znode that it may not replace, and restores the others', () =>
  withServer(async ({ client, backup, refused }) => {
    const at = await makeMistakes(client);
    await client.create('/app/box', null, { mode: CreateModes.EPHEMERAL });
    await backup();
    assert.match(
      await refused('/app', '--at', at, '--yes'),
      /not completely restored: .*1 failed: \/app\/box \(NODEEXISTS\)\n.*--dry-run, then run the same/,
    );
    assert.is(`${(await client.getData('/app')).data}`, 'v2');
    const free = `127.0.0.1:${await freePort()}`;
    assert.match(
      await refused('/app', '--yes', '--servers', free),
      new RegExp(`session: ${free} refused the connection\\n.*--servers`),
    );
  }));

oracleTest("a subtree of Apache's server goes back from a backup of it", async () => {
  const home = makeTempDir('restore-path');
  const to = join(home.path, 'kept');
  const oracle = await startOracle({ dataDir: join(home.path, 'apache') });
  const client = createClient({ connectString: oracle.connectString });
  try {
    await client.connect();
    const at = await makeMistakes(client);
    const run = await callTask(['backup', 'run', oracle.dataDir, '--to', to, '--once']);
    assert.is(run.exitCode, 0, run.out);
    const args = ['backup', 'restore-path', to, '/app', '--servers', oracle.connectString];
    const done = await taskJson([...args, '--at', at, '--yes']);
    assert.is(done.exitCode, 0, done.verdict.summary);
    assert.equal(countsOf(done), CHANGES);
    assert.is(`${(await client.getData('/app')).data}`, 'v2');
  } finally {
    await client.close();
    await oracle.close();
    home.remove();
  }
});

test.run();
