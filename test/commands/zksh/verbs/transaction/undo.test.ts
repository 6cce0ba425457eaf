// conformance: runs against Apache's server, too.
// Changes that undo reverts or refuses, with the bundled server, an ensemble, and Apache's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnsupportedError } from '../../../../../src/client/base/errors.js';
import { ChangeJournal } from '../../../../../src/commands/zksh/session/change-journal.js';
import { makeServedShell, type ServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

function keep(
  shell: Pick<ServedShell, 'session'>,
  limits?: { maxZnodes: number; maxBytes: number },
) {
  shell.session.journal = new ChangeJournal(limits);
}

/** Paths, data, and ACLs of a subtree, one per line. */
async function treeOf(shell: ServedShell, root: string): Promise<string> {
  const paths = (await shell.run(`ls -R ${root}`)).trim().split('\n');
  const lines = paths.map(async (path) => {
    const data = JSON.parse(await shell.run(`get '${path}'`, 'ndjson')) as object;
    return `${JSON.stringify(data)} ${await shell.run(`getAcl '${path}'`, 'raw')}`;
  });
  return (await Promise.all(lines)).join('');
}

async function plant(shell: ServedShell): Promise<void> {
  await shell.run("create /t root; create /t/a 'one'; create /t/a/null; create /t/empty ''");
  await shell.run('create /t/bytes "\\xff\\x00"; create /t/shut x world:anyone:cdra,ip:10.0.0.1:r');
}

serverTest('each change is reverted, and so is the undo of it', async (shell) => {
  keep(shell);
  await plant(shell);
  for (const line of [
    'set /t new',
    'delete /t/a/null',
    'deleteall -y /t/a',
    'deleteall -y /t/*',
    'create -p /t/new/er/est x',
    'setAcl /t/a world:anyone:cdrwa,ip:10.0.0.2:r',
    'acl add -R /t ip:10.0.0.3:r',
    'set -y /t/{a,empty} other',
    'touch /t/a',
    'mv /t/a /t/moved',
    'cp -R /t/a /t/copy',
    "txn 'set /t x' 'delete /t/a/null' 'create /t/a/b' 'set /t/a y'",
    "find -y --name null --exec 'delete {}' /t",
    'repeat 3 set /t again',
  ]) {
    const before = await treeOf(shell, '/t');
    await shell.run(line);
    const after = await treeOf(shell, '/t');
    assert.is.not(after === before && !line.startsWith('touch'), true, line);
    await shell.run('undo -y');
    assert.is(await treeOf(shell, '/t'), before, `undo of ${line}`);
    await shell.run('undo -y');
    assert.is(await treeOf(shell, '/t'), after, `undo of the undo of ${line}`);
    await shell.run('undo -y');
  }
});

serverTest('commit is reverted as one, and the root of created znodes goes last', async (shell) => {
  keep(shell);
  await shell.run('create /t; begin; create /t/a; create /t/a/b; set /t x; commit');
  assert.is(await shell.run('undo -n', 'raw'), 'set\t/t\tnull\ndelete\t/t/a\t\ndelete\t/t/a/b\t\n');
  await shell.run('undo -y');
  assert.is(await shell.run('ls -R /t'), '/t\n');
});

serverTest('a later change by another session stays', async (shell) => {
  keep(shell);
  const other = makeServedShell(shell.target);
  try {
    await shell.run('create /t; create /t/a x');
    for (const [mine, theirs, why] of [
      ['set /t/a y', 'set /t/a z', /\/t\/a \(data changed, now version 2\)/],
      ['set /t/a y', 'deleteall -y /t/a; create /t/a y', /deleted and created again/],
      ['set /t/a y', 'deleteall -y /t/a', /\/t\/a \(deleted\)/],
      ['create /t/a', 'create /t/a/b', /new children/],
      ['deleteall -y /t/a', 'create /t/a', /created again/],
      ['setAcl /t/a world:anyone:cdra', 'setAcl /t/a world:anyone:cdrwa', /ACL changed/],
    ] as const) {
      await shell.run(mine);
      await other.run(theirs);
      const before = await treeOf(other, '/t');
      const { error } = await shell.fully('undo -y');
      assert.equal([error?.code, error?.exitCode], ['CONFLICT', 7], mine);
      assert.match(error?.sentence ?? '', why);
      assert.is(await treeOf(other, '/t'), before);
    }
  } finally {
    await other.close();
  }
});

serverTest('changes that cannot be reverted are named, and the rest is reverted', async (shell) => {
  keep(shell);
  const other = makeServedShell(shell.target);
  try {
    await shell.run('create /t; create -e /t/mine m; create /t/kept k');
    await other.run('create -e /t/theirs t');
    await shell.run('deleteall -y /t');
    const rows = await shell.run('undo -y', 'raw');
    assert.match(rows, /^create\t\/t\tnull\n.*\ncreate\t\/t\/mine\tephemeral, 1 byte\n/);
    assert.match(rows, /\ncannot undo\t\/t\/theirs\tan ephemeral of session 0x[0-9a-f]+\n/);
    assert.is(await shell.run('ls /t'), '[kept, mine]\n');
    assert.is(await shell.run('getEphemerals /t'), '[/t/mine]\n');
  } finally {
    await other.close();
  }
});

serverTest('an undo beyond the limit, or of an irreversible change, is refused', async (shell) => {
  keep(shell, { maxZnodes: 10, maxBytes: 100 });
  await shell.run('create /t; create /u');
  for (let i = 0; i < 12; i++) await shell.run(`create /t/${i} x`);
  for (const [line, why] of [
    ['deleteall -y /t', /cannot undo deleteall \/t: more changes than the limit/],
    [`set /u ${'x'.repeat(101)}; set /u y`, /more changes than the limit/],
    ['queue put /u item', /recipes involve several clients/],
  ] as const) {
    await shell.run(line);
    const { error } = await shell.fully('undo -y');
    assert.equal([error?.code, error?.exitCode], ['NOUNDO', 1], line);
    assert.match(error?.sentence ?? '', why);
  }
});

serverTest('thousands of znodes are deleted in order, and restored', async (shell) => {
  keep(shell);
  await shell.run('create /t');
  const { client } = shell.session;
  for (let i = 0; i < 20; i++) await client?.create(`/t/${i}`);
  const below = Array.from({ length: 2000 }, (_, i) => `/t/${i % 20}/${i}`);
  await Promise.all(below.map((path) => client?.create(path, Buffer.from(path))));
  assert.is(await shell.run('deleteall -y /t'), 'Deleted 2021 znodes\n');
  const all = (await shell.run('undo -n', 'raw')).split('\n');
  assert.is(all.length, 2022);
  const shown = (await shell.run('undo -y', 'raw')).split('\n');
  assert.equal(shown.slice(0, 20), all.slice(0, 20));
  assert.equal(shown.slice(20), [
    '... and 2001 more; undo -n shows all',
    'Undone: deleteall /t, 2021 znodes',
    '',
  ]);
  assert.is(await shell.run('getAllChildrenNumber /t'), '2020\n');
  assert.is(await shell.run('get /t/7/1987'), '/t/7/1987\n');
});

test('undo asks the user, and a failed command keeps the record', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  assert.is((await world.runFully('undo')).error?.exitCode, 64);
  keep(world);
  assert.match((await world.runFully('undo')).error?.sentence ?? '', /nothing to undo/);
  await world.run('set /a x');
  await world.run('set /none x');
  await world.run('set -n /a z');
  assert.match(
    await world.run('undo'),
    /^UNDO {2}PATH {2}DETAIL\nset {3}\/a {4}5 bytes\nundo: canceled\n/,
  );
  await world.run('json set --create /j /b 1; undo');
  assert.equal(world.questions, ['undo set /a, 1 znode?', 'undo json set /j, 1 znode?']);
});

test('a change without a response is not recorded as done', async () => {
  const world = makeShellWorld();
  keep(world);
  world.client.failures.set('setData /a', 'CONNECTIONLOSS');
  await world.run('set /a x');
  world.client.failures.clear();
  const { text, error } = await world.runFully('undo -y');
  assert.match(text, /cannot undo {2}\/a {4}outcome unknown/);
  assert.is(error?.code, 'NOUNDO');
});

test('a znode that cannot be read is changed all the same', async () => {
  const world = makeShellWorld();
  keep(world);
  world.client.getACL = async () => {
    throw new UnsupportedError('this client reads no ACL');
  };
  await world.run('create /a/b; delete /a/b');
  assert.is(await world.run('ls /a'), '[]\n');
  assert.match(
    (await world.runFully('undo -y')).text,
    /cannot undo {2}\/a\/b {2}could not be read/,
  );
  await world.run('setAcl /a world:anyone:cdra');
  assert.match((await world.runFully('undo -y')).text, /ACL could not be read/);
});

test('an ACL with hidden parts is not restored', async () => {
  const world = makeShellWorld();
  keep(world);
  await world.run('create /a/b x world:anyone:cdrwa,digest:ann:x:r; delete /a/b');
  assert.match((await world.runFully('undo -y')).text, /ACL has hidden passwords/);
});

test('the last write before a delete is restored', async () => {
  const world = makeShellWorld();
  keep(world);
  const { getData } = world.client;
  let races = 0;
  world.client.getData = async (path) => {
    const found = await getData.call(world.client, path);
    if (races++ === 0) await world.client.setData(path, Buffer.from('newer'));
    return found;
  };
  await world.run('delete /a');
  assert.is(races, 2);
  assert.match(await world.run('undo -n'), /create {2}\/a {4}5 bytes/);
});

test.run();
