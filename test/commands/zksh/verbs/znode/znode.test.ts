// Every verb of src/commands/zksh/verbs/znode, in text and in JSON, over a client in memory.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

/** Runs lines in one world. Returns the output of the last. */
async function last(...lines: string[]): Promise<string> {
  const world = makeShellWorld();
  let printed = '';
  for (const line of lines) printed = await world.run(line);
  return printed;
}

async function lastJson(...lines: string[]): Promise<unknown> {
  const world = makeShellWorld({ format: 'ndjson' });
  let printed = '';
  for (const line of lines) printed = await world.run(line);
  return JSON.parse(printed);
}

test('ls sorts, in text and in JSON', async () => {
  assert.is(await last('create /c', 'create /B', 'ls /'), '[B, a, c, zookeeper]\n');
  assert.equal(await lastJson('ls /'), { path: '/', children: ['a', 'zookeeper'] });
  assert.is(await last('ls /a'), '[]\n');
});

test('ls -s shows the Stat after the children', async () => {
  const lines = (await last('create /a/b', 'ls -s /a')).split('\n');
  assert.is(lines[0], '[b]');
  assert.is(lines.length, 13);
  assert.is(lines[11], 'numChildren = 1');
});

test('ls without arguments lists the working path, and relative paths start there', async () => {
  const world = makeShellWorld();
  await world.run('create -p /x/y/z');
  await world.run('cd /x');
  assert.is(await world.run('ls'), '[y]\n');
  assert.is(await world.run('ls y'), '[z]\n');
  assert.is(await world.run('ls ../x/./y'), '[z]\n');
});

test('ls -R lists everything from the path down, parents first, names in order', async () => {
  assert.is(
    await last('create -p /t/b/2', 'create /t/b/1', 'create /t/a', 'ls -R /t'),
    '/t\n/t/a\n/t/b\n/t/b/1\n/t/b/2\n',
  );
});

test('ls -R -s shows a Stat with each path', async () => {
  const printed = await last('create /a/b', 'ls -R -s /a');
  assert.is(printed.match(/^cZxid/gm)?.length, 2);
});

test('ls -R skips unreadable znodes, names them, and exits with 9', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/secret/x; create /t/z; setAcl /t/secret world:anyone:cdwa');
  const { text, error } = await world.runFully('ls -R /t');
  assert.is(text, '/t\n/t/secret\n/t/z\nsome znodes could not be read: /t/secret (NOAUTH)\n');
  assert.is(error?.exitCode, 9);
});

test('get shows the data and a newline; null, empty data, and the text null differ', async () => {
  assert.is(await last('get /a'), 'hello\n');
  assert.is(await last('create /n', 'get /n'), '(null)\n');
  assert.is(await last("create /n ''", 'get /n'), '\n');
  assert.is(await last('create /n null', 'get /n'), 'null\n');
  assert.equal(await lastJson('get /a'), { path: '/a', data: 'hello', encoding: 'utf8' });
  assert.equal(await lastJson('create /n', 'get /n'), { path: '/n', data: null, encoding: null });
  assert.equal(await lastJson("create /n ''", 'get /n'), {
    path: '/n',
    data: '',
    encoding: 'utf8',
  });
});

test('get -s shows the Stat after the data', async () => {
  const world = makeShellWorld();
  const printed = await world.run('get -s /a');
  assert.match(printed, /^hello\ncZxid = 0x1\nctime = 2026-11-2\dT[\d:.]+Z\n/);
  assert.match(printed, /\nephemeralOwner = 0x0\ndataLength = 5\nnumChildren = 0\n$/);
});

test('get -b, -x and --raw', async () => {
  assert.is(await last('get -b /a'), 'aGVsbG8=\n');
  assert.match(await last('get -x /a'), /\|00000000\| 68 65 6c 6c 6f +\|hello {11}\|\n/);
  assert.is(await last('get --raw /a'), 'hello');
  assert.match(await last('get -b -x /a'), /expected only one of -b, -x, and --raw/);
});

test('get -w reports the next change once', async () => {
  const world = makeShellWorld();
  await world.run('get -w /a');
  assert.is(
    await world.run('set /a x; set /a y'),
    'Changed /a to version 1\nChanged /a to version 2\n',
  );
  const { results } = await makeShellWorld().runFully('get -w /a; set /a x; set /a y');
  assert.equal(
    results.map(({ kind }) => kind),
    ['data', 'event', 'changed', 'changed'],
  );
});

test('stat shows eleven lines, and NONODE for a missing path', async () => {
  assert.is((await last('stat /a')).split('\n').length, 12);
  const { text, error } = await makeShellWorld().runFully('stat /nope');
  assert.is(text, 'Node does not exist: /nope\n');
  assert.is(error?.exitCode, 4);
});

test('JSON has zxids and session ids as hex text, and times in ms', async () => {
  const world = makeShellWorld({ format: 'ndjson' });
  await world.run('create -e /e x');
  assert.equal(JSON.parse(await world.run('stat /e')), {
    path: '/e',
    stat: {
      czxid: '0x2',
      mzxid: '0x2',
      ctime: 1795246200000,
      mtime: 1795246200000,
      version: 0,
      cversion: 0,
      aversion: 0,
      ephemeralOwner: '0x10000beef0000',
      dataLength: 1,
      numChildren: 0,
      pzxid: '0x2',
    },
  });
});

test('create prints the created path, with the number of a sequential one', async () => {
  assert.is(await last('create /x data'), 'Created /x\n');
  assert.is(await last('create -s /x-'), 'Created /x-0000000001\n');
  assert.is(await last('create /q', 'create -s /q/'), 'Created /q/0000000000\n');
  assert.is(await last('create -s -e /x-'), 'Created /x-0000000001\n');
});

test('create refuses incompatible modes before anything is sent', async () => {
  for (const line of ['create -c -e /x', 'create -c -s /x', 'create -t 5 -e /x']) {
    const world = makeShellWorld();
    const { error } = await world.runFully(line);
    assert.is(error?.exitCode, 64, line);
    assert.equal(world.opened, [], line);
  }
});

test('create names the missing parent, and -p creates it with the same ACL', async () => {
  const world = makeShellWorld();
  const { text, error } = await world.runFully('create /x/y/z');
  assert.match(text, /^Node does not exist: \/x\/y \(the parent of \/x\/y\/z\)\n.*create -p/);
  assert.is(error?.exitCode, 4);
  assert.is(await world.run('create -p /x/y/z v world:anyone:rca'), 'Created /x/y/z\n');
  assert.is(await world.run('getAcl /x/y'), "'world,'anyone\n: cra\n");
});

test('create of an existing path exits with 5', async () => {
  const { text, error } = await makeShellWorld().runFully('create /a');
  assert.is(text, 'Node already exists: /a\n');
  assert.is(error?.exitCode, 5);
});

test('set prints the new version, -s shows the Stat, -v checks the version', async () => {
  assert.is(await last('set /a x'), 'Changed /a to version 1\n');
  assert.is(await last('set /a x', 'get /a'), 'x\n');
  assert.match(await last('set -s /a x'), /\ndataVersion = 1\n/);
  const world = makeShellWorld();
  const { text, error } = await world.runFully('set -v 7 /a x');
  assert.match(text, /^version No is not valid : \/a\n/);
  assert.is(error?.exitCode, 7);
  assert.is(await world.run('set -v 0 /a x; get /a'), 'Changed /a to version 1\nx\n');
});

test('values come byte for byte from escapes, base64, files, and standard input', async () => {
  const home = makeTempDir();
  try {
    const blob = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const file = join(home.path, 'a blob');
    writeFileSync(file, blob);
    const hex = blob.toString('hex').replace(/../g, '\\x$&');
    const lines = [
      `set /a "${hex}"`,
      `set -b /a ${blob.toString('base64')}`,
      `set /a @'${file}'`,
      'set /a -',
    ];
    for (const line of lines) {
      const world = makeShellWorld({ input: blob });
      await world.run(line);
      const { bytes } = await world.runFully('get --raw /a');
      assert.equal(bytes, blob, line);
    }
  } finally {
    home.remove();
  }
});

test('bad base64 and a missing file are refused before anything is sent', async () => {
  const world = makeShellWorld();
  const bad = await world.runFully("set -b /a '!!!'");
  assert.is(bad.error?.exitCode, 64);
  assert.match(bad.text, /not base64\n {2}set -b \/a '!!!'\n {12}\^{5}\n/);
  assert.equal(world.opened, []);
  const missing = await world.runFully('set /a @/no/such/file');
  assert.is(missing.error?.exitCode, 64);
  assert.match(missing.text, /\/no\/such\/file: cannot read value/);
  assert.not.ok(world.client.calls.includes('setData'));
});

test('delete deletes one, obeys -v, and refuses a znode with children', async () => {
  assert.is(await last('delete /a'), 'Deleted /a\n');
  assert.is(await last('delete /a', 'ls /'), '[zookeeper]\n');
  assert.equal(await lastJson('delete /a'), { deleted: '/a', count: 1 });
  assert.is((await makeShellWorld().runFully('delete -v 3 /a')).error?.exitCode, 7);
  const { text, error } = await makeShellWorld().runFully('create /a/b; delete /a');
  assert.match(text, /^Created \/a\/b\nNode not empty: \/a\n/);
  assert.is(error?.exitCode, 6);
});

test('deleteall deletes children before parents', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/a/1; create /t/b');
  assert.is(await world.run('deleteall -y -b 2 /t'), 'Deleted 4 znodes\n');
  assert.is(await world.run('ls /'), '[a, zookeeper]\n');
  assert.is((await world.runFully('deleteall -y /t')).error?.exitCode, 4);
});

test('deleteall -n only lists', async () => {
  const world = makeShellWorld();
  await world.run('create /a/b');
  assert.is(await world.run('deleteall -n /a'), '/a\n/a/b\n2 znodes would be deleted\n');
  assert.is(await world.run('ls /a'), '[b]\n');
});

test('deleteall asks the user, with the number and a sample, and respects a no', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  await world.run('create -p /a/1; create /a/2; create /a/3; create /a/4; create /a/5');
  assert.match(await world.run('deleteall /a'), /^deleteall: canceled\n/);
  assert.equal(world.questions, ['Delete 6 znodes: /a, /a/1, /a/2, /a/3, /a/4 and 1 more?']);
  assert.is(await world.run('deleteall -y /a'), 'Deleted 6 znodes\n');
  assert.is(world.questions.length, 1);
});

test('deleteall guards the root and /zookeeper, also in relative paths', async () => {
  for (const path of ['/', '/zookeeper', '/zookeeper/quota', '/a/..', '..']) {
    const world = makeShellWorld();
    const { error } = await world.runFully(`deleteall ${path}`);
    assert.is(error?.code, 'GUARDED', path);
    assert.equal(world.opened, []);
  }
});

test('deleteall skips znodes that it may not delete, names them, and exits with 9', async () => {
  const world = makeShellWorld();
  await world.run('create -p /t/kept/x; create /t/gone; setAcl /t/kept world:anyone:rwa');
  const { text, error } = await world.runFully('deleteall -y /t');
  assert.is(error?.exitCode, 9);
  assert.is(text, 'deleteall: deleted only 1 of 4 znodes: /t/kept/x (NOAUTH)\n');
  assert.is(await world.run('ls -R /t'), '/t\n/t/kept\n/t/kept/x\n');
});

test('sync, getEphemerals, getAllChildrenNumber', async () => {
  assert.is(await last('sync /'), 'Sync is OK\n');
  assert.is(await last('create -e /e2', 'create -e /e1', 'getEphemerals'), '[/e1, /e2]\n');
  assert.is(await last('create -e /e1', 'getEphemerals /x'), '[]\n');
  assert.is(await last('create /a/b', 'getAllChildrenNumber /'), '3\n');
  assert.equal(await lastJson('getAllChildrenNumber /'), { path: '/', count: 2 });
  assert.equal(await lastJson('sync'), { synced: '/' });
});

test('addWatch runs beside other commands, and its mode is not remembered', async () => {
  const world = makeShellWorld();
  const events = async (line: string) =>
    (await world.runFully(line)).results.filter(({ kind }) => kind === 'event').length;
  assert.is(await events('addWatch -m PERSISTENT /a; create /a/b; set /a x'), 2);
  assert.is(await events('removewatches /a; set /a y'), 0);
  assert.is(await events('addWatch /a; create /a/c; set /a/c z'), 2);
});

test('removewatches takes one kind, and reports if no watch exists', async () => {
  const { text } = await makeShellWorld().runFully('removewatches /a');
  assert.is(text, '/a: this session has no such watch\n');
  assert.is((await makeShellWorld().runFully('removewatches -c -d /a')).error?.exitCode, 64);
});

test.run();
