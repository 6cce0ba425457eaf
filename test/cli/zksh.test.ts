// zksh as a process: streams, exit codes, signals, and the close of the session.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningServer, startServer } from '../../src/server/main.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { runZksh, startZksh } from '../support/terminal/run-zksh.js';
import { waitFor } from '../support/wait-for.js';

function serverTest(name: string, run: (server: RunningServer, target: string) => Promise<void>) {
  test(name, async () => {
    const server = await startServer();
    try {
      await run(server, server.connectString);
    } finally {
      await server.close();
    }
  });
}

serverTest('only results go to stdout, and only errors to stderr', async (_, target) => {
  const run = await runZksh([target, '-c', 'create /a x; get /a; get /no']);
  assert.equal(
    [run.stdout, run.stderr, run.code],
    ['Created /a\nx\n', 'Node does not exist: /no\n', 4],
  );
});

serverTest('each kind of error has its exit code', async (_, target) => {
  await runZksh([target, '-c', 'create -p /t/a; create /locked x world:anyone:r']);
  const codes: readonly (readonly [commands: string, code: number])[] = [
    ['ls /', 0],
    ['# nothing', 0],
    ['', 0],
    ['quit; get /no', 0],
    ['create -e /e; create /e/x', 1],
    ['set /t', 64],
    ["get '/t", 64],
    ['get /no', 4],
    ['create /t', 5],
    ['delete /t', 6],
    ['set -v 5 /t x', 7],
    ['set /locked x', 8],
    ['nope', 127],
  ];
  const runs = codes.map(async ([commands, code]) => {
    const run = await runZksh([target, '-c', commands]);
    assert.is(run.code, code, `${commands}: ${run.stderr}`);
    assert.is(run.stderr === '', code === 0, commands);
  });
  await Promise.all(runs);
});

serverTest('a script stops at its first error, but not with --keep-going', async (_, target) => {
  const script = 'create /a 1\ncreate /a 2\nget /no\ncreate /b\n';
  const stopped = await runZksh([target], script);
  assert.equal([stopped.stdout, stopped.code], ['Created /a\n', 5]);
  assert.is(stopped.stderr, 'stdin:2: Node already exists: /a\n');
  const whole = await runZksh([target, '-k'], 'create /a 2\nget /no\ncreate /b\n');
  assert.equal([whole.stdout, whole.code], ['Created /b\n', 5]);
  assert.is(whole.stderr, 'stdin:1: Node already exists: /a\nstdin:2: Node does not exist: /no\n');
});

serverTest('a script file is parsed whole before any of it runs', async (_, target) => {
  const home = makeTempDir();
  try {
    const file = join(home.path, 'setup.zk');
    writeFileSync(file, "create /a\n# note\nset /a 'open\n");
    const run = await runZksh([target, '-f', file]);
    assert.equal([run.stdout, run.code], ['', 64]);
    assert.is(run.stderr, `${file}:3: unclosed quote: '\n  set /a 'open\n         ^\n`);
    writeFileSync(file, 'create /a\nls /\nset /a one two\n');
    const surplus = await runZksh([target, '-f', file]);
    assert.equal([surplus.stdout, surplus.code], ['Created /a\n[a, zookeeper]\n', 64]);
    assert.match(surplus.stderr, /^.*setup\.zk:3: set: unexpected argument\n {2}set \/a one two\n/);
    const missing = await runZksh([target, '-f', join(home.path, 'none')]);
    assert.is(missing.code, 64);
    assert.match(missing.stderr, /^zksh: .*none: cannot read script: /);
  } finally {
    home.remove();
  }
});

serverTest('a program can exchange single lines with it', async (_, target) => {
  const zksh = startZksh([target]);
  try {
    zksh.child.stdin?.write('create /a 1\n');
    await waitFor('the first answer', () => zksh.stdout() === 'Created /a\n');
    zksh.child.stdin?.write("set /a 'two\n");
    zksh.child.stdin?.write("lines'\nget /a\n");
    await waitFor('the second answer', () => zksh.stdout().endsWith('two\nlines\n'));
  } finally {
    assert.is((await zksh.end()).code, 0);
  }
});

serverTest('1 MB of random bytes is stored and read back unchanged', async (_, target) => {
  const blob = randomBytes(1_000_000);
  const made = await runZksh([target, '-c', 'create /blob -'], blob);
  assert.equal([made.stdout, made.stderr, made.code], ['Created /blob\n', '', 0]);
  const back = await runZksh([target, '-c', 'get --raw /blob']);
  assert.ok(back.bytes.equals(blob));
  const home = makeTempDir();
  try {
    const file = join(home.path, 'blob');
    writeFileSync(file, blob);
    await runZksh([target, '-c', `set /blob ''; set /blob @${file}`]);
    assert.ok((await runZksh([target, '-o', 'raw', '-c', 'get /blob'])).bytes.equals(blob));
  } finally {
    home.remove();
  }
});

serverTest('standard input cannot be both a script and a value', async (_, target) => {
  const run = await runZksh([target], 'create /a -\n');
  assert.equal([run.stdout, run.code], ['', 64]);
  assert.match(run.stderr, /^stdin:1: cannot read a value from standard input/);
});

serverTest('the session is closed at the end, after an error too', async (server, target) => {
  for (const commands of ['create -e /e', 'create -e /e; get /no']) {
    const made = await runZksh([target, '-c', commands]);
    assert.is(made.stdout, 'Created /e\n');
    assert.is((await runZksh([server.connectString, '-c', 'ls /'])).stdout, '[zookeeper]\n');
  }
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  serverTest(`${signal} ends a watch with 130, and closes the session`, async (_, target) => {
    const zksh = startZksh([target, '-c', 'create -e /e; watch /e']);
    await waitFor('the ephemeral', () => zksh.stdout() === 'Created /e\n');
    zksh.child.kill(signal);
    const run = await zksh.end();
    assert.equal([run.code, run.stderr], [130, 'interrupted\n']);
    assert.is((await runZksh([target, '-c', 'ls /'])).stdout, '[zookeeper]\n');
  });
}

serverTest('a signal ends a script that waits for its input', async (_, target) => {
  const zksh = startZksh([target]);
  zksh.child.stdin?.write('create -e /e\n');
  await waitFor('the ephemeral', () => zksh.stdout() === 'Created /e\n');
  zksh.child.kill('SIGTERM');
  const [code] = await once(zksh.child, 'close');
  assert.is(code, 130);
  assert.is((await runZksh([target, '-c', 'ls /'])).stdout, '[zookeeper]\n');
});

serverTest('watch prints each event as it arrives', async (_, target) => {
  await runZksh([target, '-c', 'create /a']);
  const zksh = startZksh([target, '-o', 'ndjson', '-c', 'getAcl /a; watch -c 2 -R /a']);
  await waitFor('the ACL', () => zksh.stdout() !== '');
  // Changes before the watch is set give no event.
  await waitFor('an event', async () => {
    await runZksh([target, '-c', 'set /a x']);
    return zksh.stdout().includes('NodeDataChanged');
  });
  await runZksh([target, '-c', 'create /a/b']);
  const run = await zksh.end();
  assert.is(run.code, 0);
  const events = run.stdout.trim().split('\n').slice(1);
  assert.is(events.length, 2);
  for (const event of events) assert.ok(['/a', '/a/b'].includes(JSON.parse(event).path), event);
});

serverTest('a reader that exits ends it without an error', async (_, target) => {
  const many = Array.from({ length: 300 }, (_, i) => `create /${'n'.repeat(200)}${i}`).join('\n');
  await runZksh([target], many);
  const zksh = startZksh([target], {});
  zksh.child.stdout?.destroy();
  const run = await zksh.end('ls -R /\n'.repeat(20));
  assert.equal([run.code, run.stderr], [141, '']);
});

test('without a server, the exit code is 3, and the error names the server and the reason', async () => {
  const port = await freePort();
  const run = await runZksh([`127.0.0.1:${port}`, '--timeout', '300', '-c', 'ls /']);
  assert.is(run.code, 3);
  assert.is(run.stdout, '');
  assert.ok(run.stderr.includes(`127.0.0.1:${port} refused the connection`), run.stderr);
  const json = await runZksh([`127.0.0.1:${port}`, '--timeout', '300', '-o', 'json', '-c', 'ls /']);
  const { error } = JSON.parse(json.stderr) as { error: { code: string; exitCode: number } };
  assert.equal([error.code, error.exitCode], ['ECONNECT', 3]);
});

serverTest('a chroot goes before every path, and a missing one is named', async (_, target) => {
  const missing = await runZksh([`${target}/app`, '-c', 'ls /']);
  assert.equal([missing.stdout, missing.code], ['', 4]);
  assert.match(missing.stderr, /^chroot does not exist: \/app\n/);
  await runZksh([target, '-c', 'create -p /app/x']);
  const run = await runZksh([`${target}/app`, '-c', 'ls /; create -s /x/n-; pwd']);
  assert.equal([run.stdout, run.code], ['[x]\nCreated /x/n-0000000000\n/\n', 0]);
});

serverTest('--readonly refuses every change', async (_, target) => {
  const run = await runZksh([target, '--readonly', '-k'], 'create /a\nls /\n');
  assert.equal([run.stdout, run.code], ['[zookeeper]\n', 1]);
  assert.match(run.stderr, /^stdin:1: create: not allowed in a read-only shell\n/);
});

serverTest('--auth and ZKSH_AUTH authenticate', async (_, target) => {
  await runZksh([target, '--auth', 'ann:secret', '-c', 'create /mine x auth::cdrwa']);
  assert.is((await runZksh([target, '-c', 'get /mine'])).code, 8);
  const env = { ZKSH_AUTH: 'ann:secret' };
  assert.is((await runZksh([target, '-c', 'get /mine'], '', env)).stdout, 'x\n');
});

serverTest('the native client prints the same', async (_, target) => {
  const commands = 'create /a hello; get /a; ls /; set /a x; stat /no';
  const run = await runZksh([target, '--client', 'native', '-c', commands]);
  if (run.stderr.includes('is not installed')) {
    console.log('skipped: zksh --client native: npm zookeeper is not installed');
    return;
  }
  assert.equal(
    [run.stdout, run.stderr, run.code],
    [
      'Created /a\nhello\n[a, zookeeper]\nChanged /a to version 1\n',
      'Node does not exist: /no\n',
      4,
    ],
  );
});

test('an embedded server can keep its data', async () => {
  const home = makeTempDir();
  try {
    const args = ['--embedded', '--data-dir', join(home.path, 'data')];
    assert.is((await runZksh(args, 'create /kept x\n')).stdout, 'Created /kept\n');
    assert.ok(existsSync(join(home.path, 'data')));
    assert.is((await runZksh(args, 'get /kept\n')).stdout, 'x\n');
  } finally {
    home.remove();
  }
});

test('--help, --version, and wrong options need no server', async () => {
  const help = await runZksh(['--help']);
  assert.equal([help.code, help.stderr], [0, '']);
  assert.match(help.stdout, /^usage: zksh /);
  assert.match((await runZksh(['--version'])).stdout, /^zksh \d+\.\d+\.\d+\n$/);
  const bogus = await runZksh(['--bogus']);
  assert.equal([bogus.code, bogus.stdout], [64, '']);
  assert.is(bogus.stderr, 'zksh: unknown option: --bogus\n  zksh --help explains the options\n');
  const json = await runZksh(['--json']);
  assert.equal(
    [json.code, json.stderr],
    [64, 'zksh: unknown option: --json\n  did you mean -o json?\n'],
  );
});

serverTest('a script loads only its own file: no ink, no react, no server', async (_, target) => {
  const home = makeTempDir();
  try {
    const spy = join(home.path, 'spy.cjs');
    const log = join(home.path, 'log');
    writeFileSync(
      spy,
      `const write = () => require('fs').writeFileSync(${JSON.stringify(log)}, JSON.stringify(
         Object.keys(require.cache).map((file) => require('path').basename(file))));
       process.on('exit', write);`,
    );
    const run = await runZksh([target], 'ls /\nget /no\n', { NODE_OPTIONS: `--require=${spy}` });
    assert.is(run.stdout, '[zookeeper]\n');
    assert.equal(JSON.parse(readFileSync(log, 'utf8')), ['spy.cjs', 'zksh.cjs']);
  } finally {
    home.remove();
  }
});

serverTest('one command stands on the command line, as at the prompt', async (_, target) => {
  assert.is((await runZksh([target, 'create', '/a', 'two words; | x'])).stdout, 'Created /a\n');
  assert.is((await runZksh([target, 'get', '/a'])).stdout, 'two words; | x\n');
  await runZksh([target, 'create', '/a/x']);
  assert.is((await runZksh(['-o', 'raw', target, 'ls', '/a*'])).stdout, '/a/x\n');
  const piped = await runZksh([target, 'set', '/a', '-'], 'from stdin');
  assert.is(piped.stdout, 'Changed /a to version 1\n');
  const failed = await runZksh([target, 'get', '/no', '-q']);
  assert.is(failed.code, 64);
  assert.match(failed.stderr, /^get: unknown option: -q\n {2}get \/no -q\n {10}\^\^\n/);
  assert.is((await runZksh([target, 'nope'])).code, 127);
});

test.run();
