// conformance: runs against Apache's server, too.
// Transactions in one line or several, with the bundled server and Apache's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runZksh } from '../../../../support/terminal/run-zksh.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';

serverTest('txn applies all, and prints the result of each', async (shell) => {
  await shell.run('create /a 1; create /old');
  assert.is(
    await shell.run("txn 'check /a 0' 'set /a \"two words\"' 'create -s /s-' 'delete /old'", 'raw'),
    '1\tcheck\t/a\tok\n2\tset\t/a\tversion 1\n3\tcreate\t/s-\tcreated /s-0000000002\n4\tdelete\t/old\tdeleted\n',
  );
  assert.is(await shell.run('get /a; ls /'), 'two words\n[a, s-0000000002, zookeeper]\n');
});

serverTest('txn applies none if one fails, and prints which', async (shell) => {
  await shell.run('create /a 1');
  const { text, error } = await shell.fully("txn 'create /b' 'check /a 7' 'set /a 2'");
  assert.is(
    text,
    '#  OPERATION  PATH  OUTCOME\n1  create     /b    undone\n2  check      /a    BADVERSION\n3  set        /a    not tried\n',
  );
  assert.equal([error?.code, error?.exitCode], ['BADVERSION', 7]);
  assert.is(await shell.run('ls /; get /a'), '[a, zookeeper]\n1\n');
});

serverTest('begin collects, commit sends, abort discards', async (shell) => {
  await shell.run('begin; create /a x; create /a/b y world:anyone:cdra');
  assert.is(await shell.run('ls /'), '[zookeeper]\n');
  assert.is((await shell.fully('deleteall -y /a')).error?.code, 'TRANSACTION');
  assert.is((await shell.fully('begin')).error?.code, 'TRANSACTION');
  assert.is(await shell.run('commit', 'raw'), '1\tcreate\t/a\tcreated\n2\tcreate\t/a/b\tcreated\n');
  assert.is(await shell.run('getAcl /a/b', 'raw'), 'world:anyone:cdra\n');
  assert.is(await shell.run('begin; delete /a/b; abort; ls /a'), '1 operation discarded\n[b]\n');
  for (const line of ['commit', 'abort']) {
    assert.is((await shell.fully(line)).error?.exitCode, 64, line);
  }
  await shell.run('begin; set -v 4 /a z; create /c');
  assert.is((await shell.fully('commit')).error?.exitCode, 7);
  assert.is(await shell.run('ls /'), '[a, zookeeper]\n');
});

serverTest('check reports by its exit code', async (shell) => {
  await shell.run('create /a; check /a; check /a 0');
  assert.is((await shell.fully('check /a 1')).error?.exitCode, 7);
  assert.is((await shell.fully('check /no')).error?.exitCode, 4);
});

test('an invalid operation is refused before anything is sent', async () => {
  const shell = makeServedShell('127.0.0.1:1');
  for (const line of [
    'txn',
    "txn 'ls /'",
    "txn 'nope /'",
    "txn 'create /a; create /b'",
    "txn ''",
    "txn 'create a b c d'",
    "txn 'set /a \"open'",
    "txn 'create -p /a/b'",
    "txn 'check /a x'",
  ]) {
    const { error } = await shell.fully(line);
    assert.is(error?.exitCode, 64, `${line}: ${error?.sentence}`);
  }
});

test('a script that ends within a transaction reports it', async () => {
  const run = await runZksh(['--embedded'], 'begin\ncreate /a\n');
  assert.equal(
    [run.code, run.stderr],
    [64, 'script ended within a transaction, which was discarded\n  add commit to send it\n'],
  );
});

test.run();
