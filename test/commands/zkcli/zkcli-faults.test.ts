// What Apache's shell (3.9) gets wrong in the commands that zksh has: each fault once, by what must
// not happen here. The comment says what happens there.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld } from '../../support/terminal/shell-world.js';

// There: "Unknown perm type: q", and the ACL is set to no permission at all.
test('a wrong permission letter leaves the ACL as it is', async () => {
  const world = makeShellWorld();
  const { error } = await world.runFully('setAcl /a world:anyone:q');
  assert.is(error?.exitCode, 64);
  assert.is(await world.run('getAcl /a'), "'world,'anyone\n: cdrwa\n");
});

// There: the bad entry is dropped and the znode made with the rest.
test('a wrong entry of an ACL keeps the znode from being made', async () => {
  const world = makeShellWorld();
  const { error } = await world.runFully('create /p d world:anyone:cdrwa,bogus');
  assert.is(error?.exitCode, 64);
  assert.is(await world.run('ls /'), '[a, zookeeper]\n');
});

// There: the version is ignored and the znode deleted.
test('delete with a version in the old place deletes nothing', async () => {
  const world = makeShellWorld();
  const { error } = await world.runFully('set /a 1; set /a 2; delete /a 0');
  assert.is(error?.exitCode, 64);
  assert.match(error?.hint ?? '', /delete -v VERSION path/);
  assert.is(await world.run('get /a'), '2\n');
});

// There: the first word is stored, the others are dropped.
test('words too many store nothing', async () => {
  const world = makeShellWorld();
  for (const line of ['set /a two words', 'set /a {"a": 1}', 'create /b two words x']) {
    assert.is((await world.runFully(line)).error?.exitCode, 64, line);
  }
  assert.is(await world.run('get /a; ls /'), 'hello\n[a, zookeeper]\n');
});

// There: C:temp\x is stored.
test('a backslash is never lost in silence', async () => {
  const world = makeShellWorld();
  assert.is((await world.runFully('set /a C:\\docs\\x')).error?.exitCode, 64);
  assert.is(await world.run('get /a'), 'hello\n');
  assert.is(
    await world.run("set /a 'C:\\temp\\x'; get /a"),
    'Changed /a to version 1\nC:\\temp\\x\n',
  );
});

// There: the text after the quote is dropped.
test('an open quote runs nothing', async () => {
  const world = makeShellWorld();
  assert.is((await world.runFully("set /a 'x y")).error?.exitCode, 64);
  assert.is(await world.run('get /a'), 'hello\n');
});

// There: neither number nor question.
test('deleteall at the prompt says how many and asks', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  await world.run('create /a/b; deleteall /a');
  assert.equal(world.questions, ['Delete 2 znodes: /a, /a/b?']);
  assert.is(await world.run('ls /'), '[a, zookeeper]\n');
});

// There: the same, and thousands are gone.
test('deleteall in a script needs --yes', async () => {
  const world = makeShellWorld();
  const { error } = await world.runFully('create /a/b; deleteall /a');
  assert.equal(
    [error?.code, error?.exitCode, error?.sentence],
    ['UNCONFIRMED', 64, 'deleteall: not confirmed: 2 znodes: /a, /a/b'],
  );
  assert.is(
    await world.run('ls -R /a; deleteall --yes /a; ls /'),
    '/a\n/a/b\nDeleted 2 znodes\n[zookeeper]\n',
  );
});

// There: on standard error, though it is the result.
test('the name of a sequential znode is a result', async () => {
  const { results } = await makeShellWorld().runFully('create -s /s-');
  assert.equal(
    results.map((result) => (result.kind === 'created' ? result.path : result.kind)),
    ['/s-0000000001'],
  );
});

// There: exit code 0 for a deleteall that failed in part, and for "not connected".
test('what failed in part, or had no connection, is an error', async () => {
  const world = makeShellWorld();
  await world.run('create /a/b; setAcl /a world:anyone:rwa');
  assert.is((await world.runFully('deleteall -y /a')).error?.exitCode, 9);
  assert.is((await world.runFully('close; get /a')).error?.exitCode, 3);
});

// There: both print null, and other bytes come out as U+FFFD.
test('null, the text null and bytes that are not text are distinguished', async () => {
  const world = makeShellWorld();
  await world.run('create /null; create /text null; create /bytes "\\xff\\xfe"');
  const { bytes } = await world.runFully('get /null; get /text; get --raw /bytes');
  assert.equal(bytes, Buffer.from('(null)\nnull\n\xff\xfe', 'latin1'));
});

// There: "Unrecognized option".
test('a value may begin with a dash', async () => {
  const world = makeShellWorld();
  await world.run('set /a -1');
  assert.is(await world.run('get /a'), '-1\n');
  await world.run("set /a '-x'");
  assert.is(await world.run('get /a'), '-x\n');
  await world.run('set /a -- --x');
  assert.is(await world.run('get /a'), '--x\n');
});

// There: the listing stops at the first znode that may not be read, and -s is ignored.
test('ls -R continues past what may not be read', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/a; create /t/b; setAcl /t/a world:anyone:a');
  const { text, error } = await world.runFully('ls -R /t');
  assert.match(text, /^\/t\n\/t\/a\n\/t\/b\n/);
  assert.is(error?.exitCode, 9);
});

// There: exit code 0, and the errors run together on standard output.
test('setAcl -R that fails in part is an error', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/a; setAcl --force /t/a world:anyone:r');
  assert.is((await world.runFully('setAcl -R /t world:anyone:cdrwa')).error?.exitCode, 9);
});

// There: the child is named as what does not exist.
test('a missing parent is named', async () => {
  const { error } = await makeShellWorld().runFully('create /x/y');
  assert.match(error?.sentence ?? '', /^Node does not exist: \/x \(/);
});

// There: a stack trace, and the shell is gone.
test('a bad number or base64 is an error like any other', async () => {
  const world = makeShellWorld();
  for (const line of ['set -v abc /a x', "set -b /a '!!!'", 'create -t abc /x']) {
    assert.is((await world.runFully(line)).error?.exitCode, 64, line);
  }
  assert.is(await world.run('get /a'), 'hello\n');
});

// There: the mode of one addWatch is the default of the next.
test('an option counts for its own line only', async () => {
  const world = makeShellWorld();
  const { results } = await world.runFully(
    'addWatch -m PERSISTENT /a; removewatches /a; addWatch /a; create /a/b; set /a/b x',
  );
  const events = results.filter(
    (result) => result.kind === 'event' && result.event.type !== 'PersistentWatchRemoved',
  );
  assert.is(events.length, 2);
});

// There: no such command.
test('help is a command, and blanks do nothing', async () => {
  assert.match(await makeShellWorld().run('help'), /help COMMAND for details/);
  assert.is(await makeShellWorld().run('   \t '), '');
});

test.run();
