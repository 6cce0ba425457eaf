// conformance: runs against Apache's server, too.
// Path patterns in commands: matches, output, questions, and refusals.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allCommands } from '../../../../src/commands/zksh/running/registry.js';
import type { ServedShell } from '../../../support/terminal/served-shell.js';
import { serverTest } from '../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

async function plant(shell: Pick<ServedShell, 'run'>): Promise<void> {
  await shell.run('create /t; create /t/red one; create /t/red/x x1; create /t/blue two');
  await shell.run("create /t/blue/x x2; create '/t/od*d' odd; create /t/odxd no");
}

serverTest('patterns find the existing znodes, in the order of a walk', async (shell) => {
  await plant(shell);
  const found = async (pattern: string) =>
    (await shell.run(`ls ${pattern}`, 'ndjson'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path: string }).path)
      .join(' ');
  assert.is(await found('/t/*'), '/t/blue /t/od*d /t/odxd /t/red');
  assert.is(await found('/t/**'), '/t/blue /t/blue/x /t/od*d /t/odxd /t/red /t/red/x');
  assert.is(await found('/**/x'), '/t/blue/x /t/red/x');
  assert.is(await found('/t/**/red'), '/t/red');
  assert.is(await found('/*/?e?'), '/t/red');
  assert.is(await found('/t/{red,blue}/x'), '/t/blue/x /t/red/x');
  // An exact name takes precedence over a pattern.
  assert.is(await found('/t/od*d'), '/t/od*d');
  assert.is(await found('/t/od*[d]'), '/t/od*d /t/odxd');
  await shell.run('cd /t');
  assert.is(await found('r*/../b*'), '/t/blue');
  // Only an explicit name matches a server's own tree.
  assert.is(await found('/*'), '/t');
  assert.match(await found('/zookeeper/q*'), /^\/zookeeper\/quota$/);
});

serverTest('results are under their path, or contain it', async (shell) => {
  await plant(shell);
  assert.is(await shell.run('get /t/*/x'), '==> /t/blue/x <==\nx2\n\n==> /t/red/x <==\nx1\n');
  assert.is(await shell.run('get --raw /t/*/x'), 'x2x1');
  assert.is(await shell.run('get /t/*/x', 'raw'), 'x2x1');
  assert.is(
    await shell.run('get /t/*/x', 'ndjson'),
    '{"path":"/t/blue/x","data":"x2","encoding":"utf8"}\n{"path":"/t/red/x","data":"x1","encoding":"utf8"}\n',
  );
  assert.is(await shell.run('ls /t/{red,blue}', 'raw'), '/t/blue/x\n/t/red/x\n');
  assert.match(await shell.run('getAcl /t/b*', 'raw'), /^\/t\/blue\tworld:anyone:cdrwa\n$/);
  assert.match(await shell.run('stat /t/{red,blue}', 'table'), /^==> \/t\/blue <==\n┌/);
  const rows = (await shell.run('ls -l /t/{red,blue}', 'ndjson')).trim().split('\n');
  assert.is((JSON.parse(rows[1] ?? '') as { path: string }).path, '/t/red');
  assert.is(await shell.run('du -d 0 /t/{red,blue}', 'raw'), '5\t2\t/t/blue\n5\t2\t/t/red\n');
  assert.is(await shell.run('find --name x /t/*'), '/t/blue/x\n/t/red/x\n');
  assert.is(await shell.run('grep -l x /t/{red,blue}'), '/t/blue/x\n/t/red/x\n');
  assert.is(await shell.run('tree /t/{red,blue}'), '/t/blue\n└── x\n/t/red\n└── x\n');
});

serverTest('without a match, nothing is done', async (shell) => {
  await plant(shell);
  for (const line of ['get /t/no*', 'delete -y /t/no*', 'deleteall -y /t/**/no', 'ls /no/*']) {
    const { error } = await shell.fully(line);
    assert.equal([error?.code, error?.exitCode], ['NOMATCH', 4], line);
    assert.match(error?.sentence ?? '', /^no znode matches \//);
  }
  const { error } = await shell.fully('deleteall -y /t/{red,gone}');
  assert.equal([error?.code, error?.path], ['NONODE', '/t/gone']);
  assert.is(await shell.run('find -c /t'), '7\n');
});

serverTest('a delete with a pattern goes from leaves to root, and asks first', async (shell) => {
  await plant(shell);
  const { error } = await shell.fully('delete /t/**');
  assert.equal([error?.code, error?.exitCode], ['UNCONFIRMED', 64]);
  assert.match(error?.sentence ?? '', /not confirmed: 6 znodes: \/t\/blue, \/t\/blue\/x, /);
  assert.match(await shell.run('delete -n /t/*/x'), /^would delete \/t\/red\/x\nwould delete /);
  assert.is(await shell.run('delete -y /t/{red,red/*}'), 'Deleted 2 znodes\n');
  assert.is(
    await shell.run('deleteall -n /t/{**,*}'),
    '/t/blue\n/t/blue/x\n/t/od*d\n/t/odxd\n4 znodes would be deleted\n',
  );
  assert.is(await shell.run('deleteall -y /t/*'), 'Deleted 4 znodes\n');
  assert.is(await shell.run('ls -R /t'), '/t\n');
});

serverTest(
  'set, touch, and setAcl change all matches, and name those that failed',
  async (shell) => {
    await plant(shell);
    assert.is((await shell.fully('set /t/*/x new')).error?.code, 'UNCONFIRMED');
    assert.is(await shell.run('set -y /t/*/x new; get --raw /t/*/x'), 'Changed 2 znodes\nnewnew');
    assert.is(
      await shell.run('set -n /t/red/x newer; get --raw /t/red/x'),
      'would set /t/red/x (5 bytes)\nnew',
    );
    assert.is(await shell.run('touch -y /t/*/x'), 'Changed 2 znodes\n');
    await shell.run('setAcl -y /t/*/x world:anyone:ra');
    const { error } = await shell.fully('set -y /t/{red,red/x} v');
    assert.equal(
      [error?.exitCode, error?.sentence],
      [9, 'set: failed on 1 of 2 znodes: /t/red/x (NOAUTH)'],
    );
    assert.is(await shell.run('get --raw /t/red'), 'v');
    assert.is((await shell.fully('set -y /t/r*/x v')).error?.code, 'NOAUTH');
  },
);

test('a user is asked once, with the number and a sample', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  await plant(world);
  assert.match(await world.run('deleteall /t/*'), /^deleteall: canceled\n/);
  assert.match(await world.run('touch /t/r*'), /^touch: canceled\n/);
  assert.equal(world.questions, [
    'Delete 6 znodes: /t/blue, /t/blue/x, /t/od*d, /t/odxd, /t/red and 1 more?',
    'Change 1 znode: /t/red?',
  ]);
});

test('a value from standard input is used for all matches, and --to allows only one', async () => {
  const world = makeShellWorld({ input: Buffer.from('typed') });
  await plant(world);
  assert.is(await world.run('set -y /t/*/x -; get --raw /t/*/x'), 'Changed 2 znodes\ntypedtyped');
  assert.is((await world.runFully('get --to file /t/*')).error?.code, 'USAGE');
});

test('a change that finds a match no longer there names it, and counts no change for it', async () => {
  const world = makeShellWorld();
  await plant(world);
  world.client.failures.set('setData /t/red/x', 'NONODE');
  const { error } = await world.runFully('set -y /t/*/x new');
  assert.equal(
    [error?.exitCode, error?.sentence],
    [9, 'set: failed on 1 of 2 znodes: /t/red/x (NONODE)'],
  );
  world.client.failures.set('delete /t/red/x', 'NONODE');
  assert.is(await world.run('delete -y /t/*/x'), 'Deleted 1 znode\n');
});

test('unreadable znodes are named, and the rest is shown', async () => {
  const world = makeShellWorld();
  await plant(world);
  world.client.failures.set('getChildren /t/red', 'NOAUTH');
  const { text, error } = await world.runFully('get /t/*/[x]');
  assert.match(text, /^==> \/t\/blue\/x <==\nx2\n/);
  assert.equal(
    [error?.exitCode, error?.sentence],
    [9, 'some znodes could not be read: /t/red (NOAUTH)'],
  );
});

test('a transaction accepts no pattern, and a dry run is not part of it', async () => {
  const world = makeShellWorld();
  await plant(world);
  for (const line of ["txn 'delete /t/*'", "txn 'delete -n /t/red'", 'begin; delete /t/*']) {
    assert.is((await world.runFully(line)).error?.code, 'USAGE', line);
  }
  assert.match(await world.run('delete -n /t/odxd'), /^would delete/);
  assert.equal(world.session.transaction, []);
});

test('an invalid pattern is refused before a connection is made', async () => {
  for (const pattern of ['/[z-a]*', '/a/{b,c//d}', `/${'{a,b}'.repeat(14)}`]) {
    const world = makeShellWorld();
    assert.is((await world.runFully(`get ${pattern}`)).error?.code, 'USAGE', pattern);
    assert.equal(world.opened, []);
  }
});

test('the guard of deleteall also applies to matches', async () => {
  const world = makeShellWorld();
  assert.is((await world.runFully('deleteall -y /{a,zookeeper}')).error?.code, 'GUARDED');
  assert.is(await world.run('deleteall -y /*; ls /'), 'Deleted /a\n[zookeeper]\n');
});

test('every command that changes all matches has --yes and --dry-run', async () => {
  for (const { name, args, isMutating, options } of await allCommands()) {
    const takesPattern = Object.values(args).some(({ glob }) => glob !== undefined);
    if (!takesPattern || isMutating !== true) continue;
    assert.ok(options['yes'] !== undefined && options['dry-run'] !== undefined, name);
  }
});

test.run();
