import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import { ExitCode } from '../../src/server/main.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
  /** Its stderr so far. */
  said(): string;
}

function run(args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [ZKSERVER, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended, said: () => err };
}

/** A server in the foreground, serving on a free port. `use` gets its address. */
async function withServer<T>(
  args: readonly string[],
  use: (connectString: string, server: Run) => Promise<T>,
): Promise<T> {
  const server = run(['start-foreground', '-Dzookeeper.admin.enableServer=false', ...args]);
  try {
    const [, port] = await waitFor('the server to serve', () => {
      if (server.child.exitCode !== null) throw new Error(server.said());
      return /serving on .*:(\d+),/.exec(server.said());
    });
    return await use(`127.0.0.1:${port}`, server);
  } finally {
    server.child.kill('SIGKILL');
    await server.ended;
  }
}

async function withClient<T>(connectString: string, use: (client: SessionClient) => Promise<T>) {
  const client = createClient({ connectString });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.close();
  }
}

async function inTempDir(use: (path: string) => Promise<void>): Promise<void> {
  const home = makeTempDir('zkserver');
  try {
    await use(home.path);
  } finally {
    home.remove();
  }
}

for (const [words, message] of [
  [['sart'], /^zkserver: unknown command: "sart"\n {2}did you mean start\?$/m],
  [['start-foreground', '2181', '-Dx=y', '-D', 'z'], /expected a data directory after port 2181/],
  [['start-foreground', '99999', 'd'], /expected a port from 0 to 65535, found "99999"/],
  [['start-foreground', 'a', 'b', 'c'], /start-foreground: unexpected argument$/m],
  [['start-foreground', '0', 'd', '-D'], /-D: missing value: NAME=VALUE/],
  [
    ['start-foreground', '0', 'd', '-D=x'],
    /--property: invalid value: "=x" \(expected name=value\)/,
  ],
  [['start-foreground', '0', 'd', '--fast'], /unknown option: --fast/],
  [['init', '0', 'd', '--myid'], /--myid: missing value: N/],
  [['init', '0', 'd', '--myid=-1'], /--myid: out of range: -1 \(expected 0 to 999999999\)/],
  [['init', '0', 'd', '--force=yes'], /--force: takes no value/],
] as const) {
  test(`a bad command line exits with 64: ${words.join(' ')}`, async () => {
    const { code, out, err } = await run(words).ended;
    assert.is(code, 64);
    assert.is(out, '');
    assert.match(err, message);
    assert.ok(err.trimEnd().split('\n').length <= 2, 'one sentence, and what to do');
  });
}

test('help and version', async () => {
  const help = await run(['--help']).ended;
  assert.is(help.code, 0);
  for (const { name } of SERVER_VERBS) assert.match(help.out, `\n  ${name}`);
  const version = await run(['version']).ended;
  assert.match(version.out, /^zkserver \d+\.\d+\.\d+\n$/);
  assert.equal(await run(['--version']).ended, version);
});

test('zkserver without arguments prints its usage, and exits with 64', async () => {
  const { code, out, err } = await run([]).ended;
  assert.is(code, 64);
  assert.is(out, '');
  assert.match(err, 'usage: zkserver');
  for (const { name } of SERVER_VERBS) assert.match(err, `\n  ${name}`);
});

test('zkserver(8) names every verb and every exit code', () => {
  const page = readFileSync('man/zkserver.8', 'utf8').replaceAll('\\-', '-');
  for (const code of Object.values(ExitCode)) assert.match(page, new RegExp(`^\\.B ${code}$`, 'm'));
  for (const { name } of SERVER_VERBS) assert.match(page, new RegExp(`^\\.BR? ${name}\\b`, 'm'));
});

test('a bad zoo.cfg is reported line by line, with exit code 64', () =>
  inTempDir(async (path) => {
    const file = join(path, 'zoo.cfg');
    writeFileSync(file, `dataDir=${path}\n# ticks\ntickTime=fast\nclientPort=70000\n`);
    const { code, err } = await run(['start-foreground', file]).ended;
    assert.is(code, 64);
    assert.equal(err.trimEnd().split('\n'), [
      `${file}:3: tickTime: invalid: "fast" (expected an integer from 1 to 2147483647)`,
      `${file}:4: clientPort: invalid: "70000" (expected a port from 0 to 65535)`,
    ]);
    const missing = await run(['start-foreground', join(path, 'no.cfg')]).ended;
    assert.is(missing.code, 64);
    assert.match(missing.err, /no\.cfg: cannot read: ENOENT/);
  }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends a server cleanly, and its data is there at the next start`, () =>
    inTempDir(async (path) => {
      const file = join(path, 'zoo.cfg');
      writeFileSync(file, `dataDir=${path}\nclientPort=${await freePort()}\nnoSuchOption=1\n`);
      await withServer([file, '-D', 'zookeeper.snapCount=1000'], async (connectString, server) => {
        assert.match(server.said(), /zoo\.cfg:3: noSuchOption: unknown/);
        await withClient(connectString, (client) => client.create('/kept', Buffer.from('x')));
        server.child.kill(signal);
        assert.is((await server.ended).code, 0);
      });
      await withServer([file], async (connectString) => {
        const { data } = await withClient(connectString, (client) => client.getData('/kept'));
        assert.equal(data, Buffer.from('x'));
      });
    }));
}

test('a data directory in use, and a port in use, have their own exit codes', () =>
  inTempDir(async (path) => {
    const used = join(path, 'used');
    await withServer(['0', used], async (connectString, server) => {
      const second = await run(['start-foreground', '0', used]).ended;
      assert.is(second.code, 4);
      assert.match(second.err, new RegExp(`in use by process ${server.child.pid}`));
      const port = connectString.split(':')[1] ?? '';
      const third = await run(['start-foreground', port, join(path, 'other')]).ended;
      assert.is(third.code, 5);
      assert.match(third.err, new RegExp(`:${port}: cannot listen for clients`));
      await withClient(connectString, (client) => client.create('/still-serving'));
    });
  }));

/** A data directory with /n0 to /n9 in one log. Returns the log and the offsets of its records. */
async function makeDataDir(path: string): Promise<{ log: string; offsets: number[] }> {
  await withServer(['0', path], (connectString) =>
    withClient(connectString, async (client) => {
      for (let i = 0; i < 10; i++) await client.create(`/n${i}`, Buffer.alloc(50, 0x61));
    }),
  );
  const folder = join(path, 'version-2');
  const name = readdirSync(folder).find((file) => file.startsWith('log.')) ?? '';
  const log = join(folder, name);
  const bytes = readFileSync(log);
  const offsets: number[] = [];
  for (let at = 16; bytes.readInt32BE(at + 8) > 0; at += bytes.readInt32BE(at + 8) + 13) {
    offsets.push(at);
  }
  return { log, offsets };
}

test('a corrupt record before the end is refused with its offset', () =>
  inTempDir(async (path) => {
    const { log, offsets } = await makeDataDir(path);
    const bytes = readFileSync(log);
    const offset = offsets[4] ?? 0;
    bytes.writeUInt8(bytes.readUInt8(offset + 50) ^ 1, offset + 50);
    writeFileSync(log, bytes);
    const { code, err } = await run(['start-foreground', '0', path]).ended;
    assert.is(code, 3);
    assert.match(err, log);
    assert.match(err, String(offset));
    assert.equal(readFileSync(log), bytes, 'nothing is changed');
  }));

test('an incomplete last record is truncated, and the server starts', () =>
  inTempDir(async (path) => {
    const { log, offsets } = await makeDataDir(path);
    // The record of /n5 and the later ones are incomplete on the disk.
    truncateSync(log, (offsets[6] ?? 0) + 70);
    await withServer(['0', path], (connectString) =>
      withClient(connectString, async (client) => {
        const { children } = await client.getChildren('/');
        assert.equal([...children].sort(), ['n0', 'n1', 'n2', 'n3', 'n4', 'zookeeper']);
        await client.create('/after');
      }),
    );
  }));

test('start, status, restart, and stop', () =>
  inTempDir(async (path) => {
    const port = await freePort();
    const file = join(path, 'zoo.cfg');
    writeFileSync(file, `dataDir=${join(path, 'data')}\nclientPort=${port}\n`);
    const pidFile = join(path, 'data', 'zookeeper_server.pid');
    try {
      assert.is((await run(['status', file]).ended).code, 1);
      const started = await run(['start', file]).ended;
      assert.is(started.code, 0, started.err);
      const pid = Number(readFileSync(pidFile, 'utf8'));
      assert.is(started.out, `STARTED as process ${pid}\n`);
      assert.equal(await run(['status', file]).ended, {
        code: 0,
        out: 'Mode: standalone\n',
        err: '',
      });
      const again = await run(['start', file]).ended;
      assert.is(again.code, 1);
      assert.match(again.err, `already running as process ${pid}`);
      const restarted = await run(['restart', file]).ended;
      assert.is(restarted.code, 0, restarted.err);
      assert.is.not(Number(readFileSync(pidFile, 'utf8')), pid);
      assert.is((await run(['stop', file]).ended).out, 'STOPPED\n');
    } finally {
      await run(['stop', file]).ended;
    }
    assert.not.ok(existsSync(pidFile));
    const none = await run(['stop', file]).ended;
    assert.is(none.code, 0);
    assert.match(none.err, 'no running server');
  }));

test('start reports why the server did not start, and leaves no pid file', () =>
  inTempDir(async (path) => {
    await withServer(['0', path], async () => {
      const { code, err } = await run(['start', String(await freePort()), path]).ended;
      assert.is(code, 4);
      assert.match(err, 'in use by process');
      assert.not.ok(existsSync(join(path, 'zookeeper_server.pid')));
    });
  }));

test('a pid file with the id of another process does not end that process', () =>
  inTempDir(async (path) => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const pidFile = join(path, 'pid');
      writeFileSync(pidFile, String(stranger.pid));
      const { code } = await run(['stop', '0', path], { ZOOPIDFILE: pidFile }).ended;
      assert.is(code, 0);
      assert.is(stranger.signalCode, null);
      assert.is(stranger.exitCode, null);
    } finally {
      stranger.kill('SIGKILL');
    }
  }));

test('init creates the folders of a new server, and deletes data only with --force', () =>
  inTempDir(async (path) => {
    const file = join(path, 'zoo.cfg');
    const [dataDir, dataLogDir] = [join(path, 'data'), join(path, 'log')];
    writeFileSync(file, `dataDir=${dataDir}\ndataLogDir=${dataLogDir}\nclientPort=2181\n`);
    const made = await run(['init', file, '--myid', '3']).ended;
    assert.equal(made, { code: 0, out: `initialized ${dataDir} and ${dataLogDir}\n`, err: '' });
    assert.is(readFileSync(join(dataDir, 'myid'), 'utf8'), '3\n');
    assert.ok(existsSync(join(dataDir, 'initialize')));
    assert.equal(readdirSync(join(dataLogDir, 'version-2')), []);
    const log = join(dataLogDir, 'version-2', 'log.1');
    writeFileSync(log, 'precious');
    const refused = await run(['init', file]).ended;
    assert.is(refused.code, 4);
    assert.match(refused.err, 'contains data of a server');
    assert.match(refused.err, 'if only its zoo.cfg is missing, make one with zkserver init in an');
    assert.ok(existsSync(log));
    assert.is((await run(['init', file, '--force']).ended).code, 0);
    assert.not.ok(existsSync(log));
  }));

test('init makes no empty server in the folder of one with data', () =>
  inTempDir(async (path) => {
    mkdirSync(join(path, 'version-2'));
    writeFileSync(join(path, 'version-2', 'snapshot.0'), 'precious');
    const refused = await run(['init', path]).ended;
    assert.is(refused.code, 4);
    assert.match(refused.err, 'sudo zkserver init ZOO.CFG --unit');
    assert.equal(readdirSync(path), ['version-2']);
  }));

test.run();
