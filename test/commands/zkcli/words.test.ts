// The lines, paths and flags of Apache's shell (3.9), without a server.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { parseCliCommandLine } from '../../../src/commands/zkcli/command-line.js';
import { checkJavaPath } from '../../../src/commands/zkcli/java-path.js';
import { runCliLine } from '../../../src/commands/zkcli/run-words.js';
import { ZkCliShell } from '../../../src/commands/zkcli/shell.js';
import { splitLine } from '../../../src/commands/zkcli/split-line.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { FakeClient } from '../../support/peers/fake-client.js';

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'none';
}

test('blanks separate words, quotes hold them together, and nothing escapes', () => {
  for (const [line, words] of [
    ['', []],
    ['  ls  / ', ['ls', '/']],
    ['set\t/a  x', ['set', '/a', 'x']],
    ['set /a "two words"', ['set', '/a', 'two words']],
    ["set /a 'two words'", ['set', '/a', 'two words']],
    ['set /a ""', ['set', '/a', '']],
    [`set /a "it's"`, ['set', '/a', "it's"]],
    [`set /a 'a "b" c'`, ['set', '/a', 'a "b" c']],
    // A quote within a word is a sign like others, and one after quotes begins the next word.
    ['set /a {"k":1}', ['set', '/a', '{"k":1}']],
    ['set /a "x"y', ['set', '/a', 'x', 'y']],
    ['set /a C:\\temp\\n', ['set', '/a', 'C:\\temp\\n']],
    ['set /a "a\\"', ['set', '/a', 'a\\']],
  ] as const) {
    assert.equal(splitLine(line), words, line);
  }
});

test('an open quote is refused with its place', () => {
  const at = (place: number) => `unclosed quote at column ${place}: nothing was done`;
  assert.is(
    faultOf(() => splitLine('set /a "open')),
    at(8),
  );
  assert.is(
    faultOf(() => splitLine("'")),
    at(1),
  );
  assert.is(
    faultOf(() => splitLine(`set /a "x" 'y"`)),
    at(12),
  );
});

test("a path is refused in the words of Apache's PathUtils", () => {
  const invalid = (path: string, reason: string, at: number) =>
    `Invalid path string "${path}" caused by ${reason} @${at}`;
  for (const path of ['/', '/a', '/a/b', '/a.b', '/..a', '/.a/b..', '/a/...', '/ä/漢', '/a b']) {
    assert.is(checkJavaPath(path), path);
  }
  for (const [path, message] of [
    ['', 'Path length must be > 0'],
    ['a', 'Path must start with / character'],
    ['/a/', 'Path must not end with / character'],
    ['/a//b', invalid('/a//b', 'empty node name specified', 3)],
    ['/a/../b', invalid('/a/../b', 'relative paths not allowed', 4)],
    ['/a/.', invalid('/a/.', 'relative paths not allowed', 3)],
    ['/..', invalid('/..', 'relative paths not allowed', 2)],
    ['/./a', invalid('/./a', 'relative paths not allowed', 1)],
    ['/a\0', invalid('/a\0', 'null character not allowed', 2)],
    ['/a\x1f', invalid('/a\x1f', 'invalid character', 2)],
    ['/\x7f', invalid('/\x7f', 'invalid character', 1)],
    ['/\x9f', invalid('/\x9f', 'invalid character', 1)],
    ['/\ud800', invalid('/\ud800', 'invalid character', 1)],
    ['/\uf8ff', invalid('/\uf8ff', 'invalid character', 1)],
    ['/\ufff0', invalid('/\ufff0', 'invalid character', 1)],
  ] as const) {
    assert.is(
      faultOf(() => checkJavaPath(path)),
      message,
    );
  }
  for (const path of ['/\x20', '/\xa0', '/\ud7ff', '/\uf900', '/\uffef']) checkJavaPath(path);
  // The server appends a number.
  assert.is(checkJavaPath('/a/', true), '/a/');
});

test('flags end at the first word without a dash, and unknown ones are passed over', () => {
  const none = {
    server: 'localhost:2181',
    timeoutMs: 30_000,
    isReadOnly: false,
    isWaiting: false,
    configuration: undefined,
    command: [],
  };
  assert.equal(parseCliCommandLine([]), none);
  const flags = '-server h:1/c -timeout 5 -r -waitforconnection -client-configuration f';
  assert.equal(parseCliCommandLine([...flags.split(' '), 'ls', '-s', '/']), {
    server: 'h:1/c',
    timeoutMs: 5,
    isReadOnly: true,
    isWaiting: true,
    configuration: 'f',
    command: ['ls', '-s', '/'],
  });
  assert.equal(parseCliCommandLine(['-foo', 'ls', '-r']), { ...none, command: ['ls', '-r'] });
});

test('a flag without its value, and an invalid timeout, are refused', () => {
  for (const flag of ['-server', '-timeout', '-client-configuration']) {
    for (const argv of [[flag], [flag, '-r']]) {
      const message = `Error: no argument found for option ${flag}`;
      assert.is(
        faultOf(() => parseCliCommandLine(argv)),
        message,
      );
    }
  }
  for (const text of ['abc', '0', '1.5', '1234567890', '']) {
    const message = `-timeout: invalid number: "${text}" (expected milliseconds)`;
    assert.is(
      faultOf(() => parseCliCommandLine(['-timeout', text])),
      message,
    );
  }
});

/** What each line writes, to either stream, and its exit code. */
function makeShell(client = new FakeClient()) {
  let told = '';
  const tell = (text: string | Buffer) => {
    told += text.toString();
  };
  const settings = {
    server: 'fake:2181',
    timeoutMs: 1000,
    isReadOnly: false,
    isWaiting: false,
    options: {},
  };
  const shell = new ZkCliShell(settings, { out: tell, err: tell }, async () => client);
  const run = async (line: string): Promise<readonly [string, number]> => {
    told = '';
    await runCliLine(shell, line);
    return [told, shell.exitCode];
  };
  return { shell, client, run };
}

test('redo runs a line again by its number, and takes its place in the history', async () => {
  const { shell, run } = makeShell();
  await run('create /r one');
  assert.equal(await run('redo 0'), ['Node already exists: /r\n', 1]);
  assert.equal(shell.history, ['create /r one', 'create /r one']);
  assert.equal(await run('redo 2'), ['Command index out of range\n', 1]);
  assert.equal(await run('redo 7'), ['Command index out of range\n', 1]);
  assert.equal(await run('redo 2'), ['No redoing redos\n', 1]);
  const noNumber = 'java.lang.NumberFormatException: For input string: "abc"\n';
  assert.equal(await run('redo abc'), [noNumber, 1]);
  assert.equal(await run('redo'), ['', 0]);
});

test('a blank line does nothing; words too few, too many or unknown run nothing', async () => {
  const { shell, client, run } = makeShell();
  assert.equal(await run('   '), ['', 0]);
  assert.equal(shell.history, []);
  assert.equal(await run('ls'), ['ls [-s] [-w] [-R] path\n', 1]);
  const [surplus, code] = await run('deleteall /a b');
  assert.match(surplus, /^too many words for deleteall: nothing was done/);
  assert.is(code, 1);
  const [unknown, unknownCode] = await run('foo /a');
  assert.match(unknown, /\nCommand not found: Command not found foo\n$/);
  assert.is(unknownCode, 127);
  assert.equal(await run('set /a "open'), ['unclosed quote at column 8: nothing was done\n', 1]);
  assert.equal(client.calls, []);
});

test("errors of the server have the sentences of Apache's shell", async () => {
  for (const [code, sentence] of [
    ['NONODE', 'Node does not exist: /a'],
    ['NOTEMPTY', 'Node not empty: /a'],
    ['NOAUTH', 'Insufficient permission : /a'],
    ['BADVERSION', 'version No is not valid : /a'],
    ['NODEEXISTS', 'Node already exists: /a'],
    ['INVALIDACL', 'Acl is not valid : /a'],
    ['NOCHILDRENFOREPHEMERALS', 'Ephemerals cannot have children: /a'],
    ['NOTREADONLY', 'Not a read-only call: /a'],
    ['QUOTAEXCEEDED', 'Quota has exceeded : /a'],
    ['NOWATCHER', 'KeeperErrorCode = No such watcher for /a'],
  ] as const) {
    const client = new FakeClient();
    client.delete = () => Promise.reject(new ZooKeeperError(ErrorCode[code], '/a'));
    const { run } = makeShell(client);
    await run('ls /');
    assert.equal(await run('delete /a'), [`${sentence}\n`, 1], code);
  }
});

test.run();
