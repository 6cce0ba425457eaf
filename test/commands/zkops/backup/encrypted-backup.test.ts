import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteBuilder, buildEntry, buildLog } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, taskJson } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';

const SECRET = 'the-secret-value';

function entry(zxid: bigint): Buffer {
  const body = new ByteBuilder()
    .string('/app')
    .buffer(Buffer.from(SECRET))
    .int(Number(zxid))
    .build();
  return buildEntry({ zxid, type: 5, body, time: 1_769_860_800_000n + zxid });
}

const entries = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => entry(BigInt(from + at)));

interface World {
  readonly home: string;
  readonly to: string;
  readonly keyed: readonly string[];
  readonly put: (name: string, bytes: Buffer) => void;
  readonly run: (...args: readonly string[]) => ReturnType<typeof callTask>;
  readonly keyFile: (name: string, text: string, mode?: number) => string;
}

async function withMember(use: (world: World) => Promise<void>): Promise<void> {
  const home = makeTempDir('encrypted');
  const [member, to] = [join(home.path, 'data'), join(home.path, 'kept')];
  const file = (name: string) => join(member, 'version-2', name);
  mkdirSync(join(member, 'version-2'), { recursive: true });
  const nodes = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));
  writeFileSync(file('snapshot.0'), makeSnapshot({ nodes }));
  const keyFile = (name: string, text: string, mode = 0o600) => {
    const path = join(home.path, name);
    writeFileSync(path, text, { mode });
    return path;
  };
  try {
    await use({
      home: home.path,
      to,
      keyed: ['--key-file', keyFile('key', `${Buffer.alloc(32, 7).toString('base64')}\n`)],
      put: (name, bytes) => writeFileSync(file(name), bytes),
      run: (...args) => callTask(['backup', 'run', member, '--to', to, '--once', ...args]),
      keyFile,
    });
  } finally {
    home.remove();
  }
}

const files = (to: string) =>
  readdirSync(to, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath ?? each.path, each.name));

test('a backup with a key has no plain data, continues, and restores', () =>
  withMember(async ({ home, to, keyed, put, run }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    assert.is((await run(...keyed)).exitCode, 0);
    put('log.1', buildLog(entries(1, 9), 4096));
    assert.match((await run(...keyed)).out, '6 txns added');
    for (const file of files(to)) {
      assert.not.ok(readFileSync(file).includes(SECRET), file);
      assert.not.ok(readFileSync(file).includes('zookeeper/quota'), file);
    }
    const status = await taskJson(['backup', 'status', to, ...keyed]);
    assert.is(status.exitCode, 0);
    assert.match(status.verdict.summary, 'moments from 0x0 to 0x9');
    const target = join(home, 'restored');
    const restore = ['backup', 'restore', to, '--at', '0x5', '--to', target, ...keyed];
    const restored = await taskJson(restore);
    assert.equal([restored.rows[0]?.['txns'], restored.rows[0]?.['zxid']], [5, '0x5']);
    assert.ok(files(target).some((file) => readFileSync(file).includes(SECRET)));
    const verified = await callTask(['log', 'verify', target]);
    assert.is(verified.exitCode, 0, verified.out);
  }));

test('txns that the member removed leave an encrypted backup, too', () =>
  withMember(async ({ to, keyed, put, run }) => {
    put('log.1', buildLog(entries(1, 6), 4096));
    await run(...keyed);
    const other = new ByteBuilder().string('/app').buffer(Buffer.from('other')).int(5).build();
    const changed = buildEntry({ zxid: 5n, type: 5, body: other, time: 1_769_860_800_009n });
    put('log.1', buildLog([...entries(1, 4), changed], 4096));
    const { out } = await run(...keyed);
    assert.match(out, '2 txns removed');
    const status = await taskJson(['backup', 'status', to, ...keyed]);
    assert.match(status.verdict.summary, 'to 0x5');
  }));

test('a wrong key, a missing one, and one for a plain backup are refused by name', () =>
  withMember(async ({ to, keyed, put, run, keyFile }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run(...keyed);
    const wrong = ['--key-file', keyFile('wrong', Buffer.alloc(32, 8).toString('hex'))];
    const refusals = async (...args: readonly string[]) => {
      const calls = [
        ['backup', 'status', to],
        ['backup', 'restore', to, '--dry-run'],
        ['backup', 'restore-path', to, '/app', '--dry-run', '--servers', '127.0.0.1:1'],
      ];
      const ended = [await run(...args)];
      for (const call of calls) ended.push(await callTask([...call, ...args]));
      return ended.map(({ exitCode, error }) => `${exitCode} ${error}`);
    };
    for (const text of await refusals()) assert.match(text, /^3 .*the backup is encrypted\n/);
    for (const text of await refusals(...wrong)) assert.match(text, /^3 .*has another key\n/);
    rmSync(to, { recursive: true });
    assert.is((await run()).exitCode, 0);
    for (const text of await refusals(...keyed)) assert.match(text, /^3 .*is not encrypted\n/);
  }));

test('a bad key file is a wrong call', () =>
  withMember(async ({ home, put, run, keyFile }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    const good = Buffer.alloc(32, 7).toString('base64');
    for (const [file, why] of [
      [keyFile('open', good, 0o640), /may read it\n.*chmod 600/],
      [keyFile('short', Buffer.alloc(16, 7).toString('base64')), /expected 32 bytes.*\n.*openssl/],
      [keyFile('empty', ''), /expected 32 bytes/],
      [join(home, 'none'), /cannot read/],
    ] as const) {
      const { exitCode, error } = await run('--key-file', file);
      assert.is(exitCode, 64, error);
      assert.match(error, why);
    }
  }));

test('a changed byte in the log is damage, and earlier moments stay', () =>
  withMember(async ({ to, keyed, put, run }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run(...keyed);
    put('log.1', buildLog(entries(1, 6), 4096));
    await run(...keyed);
    const log = join(to, 'version-2', 'log.1');
    const bytes = readFileSync(log);
    const last = bytes.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    writeFileSync(log, bytes);
    const status = await taskJson(['backup', 'status', to, ...keyed]);
    assert.is(status.exitCode, 2);
    assert.match(JSON.stringify(status.verdict), /damaged-log.*damaged at offset/);
    const early = await taskJson(['backup', 'restore', to, '--at', '0x3', '--dry-run', ...keyed]);
    assert.is(early.rows[0]?.['zxid'], '0x3');
    const { exitCode, error } = await run(...keyed);
    assert.is(exitCode, 3);
    assert.match(error, 'the backup is damaged at offset');
  }));

test.run();
