// What Apache's shell (3.9) prints and how it exits, case by case, and the few places where
// `zksh --zkcli` differs on purpose: each of them says why.
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLI_VERBS } from '../../../src/commands/zkcli/verbs.js';
import { type RunningServer, startServer } from '../../../src/server/main.js';
import { runCli } from '../../support/apache/zkcli-run.js';
import { freePort } from '../../support/machine/free-port.js';
import { startZksh } from '../../support/terminal/run-zksh.js';
import { waitFor } from '../../support/wait-for.js';
import { CASES, type Case, DIFFERENT } from './golden-cases.js';

function masked(text: string): string {
  return text
    .replaceAll(/^([cm]time = ).*$/gm, '$1T')
    .replaceAll(/^([cmp]Zxid = )0x[0-9a-f]+$/gm, '$1Z');
}

async function check(server: RunningServer, { words, out, err, code }: Case): Promise<void> {
  const run = await runCli(server.connectString, words);
  assert.equal(
    { out: masked(run.result), err: run.err, code: run.code },
    { out: out ?? '', err: err ?? '', code: code ?? 0 },
    words.join(' '),
  );
}

async function withServer(run: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

test("results, errors and exit codes are those of Apache's shell", () =>
  withServer(async (server) => {
    for (const each of CASES) await check(server, each);
  }));

test('what would lose data there is refused here', () =>
  withServer(async (server) => {
    await check(server, { words: ['create', '/a', 'kept'], err: 'Created /a\n' });
    for (const each of DIFFERENT) await check(server, each);
    await check(server, { words: ['get', '/a'], out: 'kept\n' });
    await check(server, { words: ['getAcl', '/a'], out: "'world,'anyone\n: cdrwa\n" });
  }));

test('every start tells the server, and the event of the connection', () =>
  withServer(async ({ connectString }) => {
    const { out } = await runCli(connectString, ['ls', '/']);
    assert.is(
      out,
      `Connecting to ${connectString}\n\nWATCHER::\n\nWatchedEvent state:SyncConnected type:None path:null\n[zookeeper]\n`,
    );
    // An unknown flag before the command is passed over.
    assert.is((await runCli(connectString, ['-foo', 'ls', '/'])).out, out);
  }));

test('an unknown command gives the usage of all 29, and 127', () =>
  withServer(async ({ connectString }) => {
    assert.is(CLI_VERBS.size, 29);
    for (const word of ['foo', 'help']) {
      const { err, code } = await runCli(connectString, [word]);
      const lines = err.split('\n');
      assert.is(code, 127);
      assert.is(
        lines[0],
        'ZooKeeper -server host:port -client-configuration properties-file cmd args',
      );
      assert.is(lines.length, 32);
      assert.ok(lines.includes('\tcreate [-s] [-e] [-c] [-t ttl] path [data] [acl]'));
      assert.is(lines[30], `Command not found: Command not found ${word}`);
    }
  }));

test('a server that is not there', async () => {
  const target = `127.0.0.1:${await freePort()}`;
  const plain = await runCli(target, ['ls', '/']);
  assert.equal([plain.err, plain.code], ['KeeperErrorCode = ConnectionLoss for /\n', 1]);
  const waiting = await runCli(target, ['-waitforconnection', '-timeout', '200', 'ls', '/']);
  assert.match(
    waiting.err,
    /^Exception in thread "main" java\.io\.IOException: .*ConnectionLoss\n$/,
  );
  assert.is(waiting.code, 1);
  const bad = await runCli(target, ['-client-configuration', '/nowhere.properties', 'ls', '/']);
  assert.match(bad.err, /^ConfigException: Error processing \/nowhere\.properties\n/);
  assert.is(bad.code, 2);
});

test('lines from standard input: the last exit code counts, and close is not the end', () =>
  withServer(async ({ connectString }) => {
    const script = [
      'create /s one',
      "set /s 'two words'",
      'get /s',
      'get /nope',
      "set /s 'open",
      'set -v abc /s x',
      'get -w /s',
      'set /s three',
      'printwatches off',
      'get -w /s',
      'set /s four',
      'history',
      'redo 2',
      'close',
      'get /s',
      'connect',
      'get /s',
    ];
    const run = await runCli(connectString, [], `${script.join('\n')}\n`);
    assert.is(run.code, 0);
    assert.is(
      run.err,
      [
        'Created /s',
        'Node does not exist: /nope',
        'unclosed quote at column 8: nothing was done',
        'java.lang.NumberFormatException: For input string: "abc"',
        '',
      ].join('\n'),
    );
    assert.is(
      run.result,
      [
        'two words',
        'two words',
        '',
        'WATCHER::',
        '',
        'WatchedEvent state:SyncConnected type:NodeDataChanged path:/s',
        'three',
        ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((at) => `${at} - ${script[at]}`),
        'four',
        'Not connected',
        'four',
        '',
      ].join('\n'),
    );
    const last = await runCli(connectString, [], 'ls /\nget /nope\n');
    assert.is(last.code, 1);
  }));

test('the session is closed at the end: an ephemeral is gone at once', () =>
  withServer(async ({ connectString }) => {
    assert.is((await runCli(connectString, ['create', '-e', '/e'])).err, 'Created /e\n');
    assert.is((await runCli(connectString, ['ls', '/'])).result, '[zookeeper]\n');
  }));

test('an interrupt closes the session, too', () =>
  withServer(async ({ connectString }) => {
    const shell = startZksh(['--zkcli', '-server', connectString]);
    shell.child.stdin?.write('create -e /e\n');
    await waitFor('the ephemeral', () => shell.stderr() === 'Created /e\n');
    shell.child.kill('SIGTERM');
    // Its input stays open: the signal alone ends it.
    const [code] = await once(shell.child, 'close');
    assert.is(code, 130);
    assert.is((await runCli(connectString, ['ls', '/'])).result, '[zookeeper]\n');
  }));

test('a value holds what Unicode calls the end of a line', () =>
  withServer(async ({ connectString }) => {
    const { result, err } = await runCli(connectString, [], "create /u 'a\u2028b'\nget /u\n");
    assert.equal([err, result], ['Created /u\n', 'a\u2028b\n']);
  }));

test('-server without a value is refused, and goes to no other server', async () => {
  const { parseCliCommandLine } = await import('../../../src/commands/zkcli/command-line.js');
  assert.throws(() => parseCliCommandLine(['-server']), /no argument found for option -server/);
  assert.throws(() => parseCliCommandLine(['-timeout', 'abc', 'ls', '/']), /milliseconds/);
  assert.is(parseCliCommandLine(['ls', '-s', '/']).server, 'localhost:2181');
});

test.run();
