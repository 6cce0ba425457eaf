import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildLog, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { callTask, taskJson } from '../call-task.js';
import { makeSnapshot, TREE } from './make-snapshot.js';

const WHOLE = makeSnapshot({ nodes: TREE });
const log = (zxid: number) => buildLog([setDataEntry(BigInt(zxid), '/app', Buffer.alloc(9))]);

/** Snapshots at 10, 20, 30, and 40, and the logs around them, as a server leaves them. */
const FILES: Readonly<Record<string, Buffer>> = {
  'snapshot.10': WHOLE,
  'snapshot.20': WHOLE,
  'snapshot.30': WHOLE,
  'snapshot.40': WHOLE,
  'log.1': log(0x1),
  'log.11': log(0x11),
  'log.1f': log(0x1f),
  'log.31': log(0x31),
  'log.41': log(0x41),
  acceptedEpoch: Buffer.from('1'),
  'snapshot.50.tmp': Buffer.from('half'),
};

interface Folder {
  readonly dataDir: string;
  readonly names: () => string[];
  readonly put: (name: string, bytes: Buffer) => void;
}

async function withFolder(run: (folder: Folder) => Promise<void>): Promise<void> {
  const home = makeTempDir('clean');
  try {
    const folder = join(home.path, 'version-2');
    mkdirSync(folder);
    const put = (name: string, bytes: Buffer): void => writeFileSync(join(folder, name), bytes);
    for (const [name, bytes] of Object.entries(FILES)) put(name, bytes);
    await run({ dataDir: home.path, names: () => readdirSync(folder).sort(), put });
  } finally {
    home.remove();
  }
}

const ALL = Object.keys(FILES).sort();
const without = (...gone: string[]) => ALL.filter((name) => !gone.includes(name));

test('nothing is removed without --yes, and --dry-run lists the files', async () => {
  await withFolder(async ({ dataDir, names }) => {
    const refused = await callTask(['clean', dataDir, '--keep', '2']);
    assert.is(refused.exitCode, 64);
    assert.match(refused.error, /add --yes to confirm, or --dry-run/);
    assert.is((await callTask(['clean', dataDir, '--yes'])).exitCode, 64, 'without --keep');
    assert.is((await callTask(['clean', dataDir, '--keep', '0', '--yes'])).exitCode, 64);
    const dry = await taskJson(['clean', dataDir, '--keep', '2', '--dry-run']);
    assert.is(dry.exitCode, 0);
    assert.equal(
      dry.rows.map(({ file, done }) => [String(file).split('/').pop(), done]),
      [
        ['snapshot.20', 'would be removed'],
        ['snapshot.10', 'would be removed'],
        ['log.1', 'would be removed'],
        ['log.11', 'would be removed'],
      ],
    );
    assert.equal(names(), ALL);
  });
});

test('the newest snapshots stay, and every log that one of them needs', async () => {
  await withFolder(async ({ dataDir, names }) => {
    const { exitCode, totals } = await taskJson(['clean', dataDir, '--keep', '2', '--yes']);
    assert.is(exitCode, 0);
    // log.1f begins before snapshot.30 and may have later txns.
    assert.equal(names(), without('snapshot.10', 'snapshot.20', 'log.1', 'log.11'));
    assert.is(totals['files'], 4);
    await taskJson(['clean', dataDir, '--keep', '9', '--yes']);
    assert.equal(names(), without('snapshot.10', 'snapshot.20', 'log.1', 'log.11'));
  });
});

test('a damaged snapshot does not count as kept', async () => {
  await withFolder(async ({ dataDir, names, put }) => {
    put('snapshot.40', WHOLE.subarray(0, 300));
    const { exitCode, verdict } = await taskJson(['clean', dataDir, '--keep', '1', '--yes']);
    assert.is(exitCode, 1);
    assert.match(verdict.problems[0]?.text ?? '', /snapshot\.40: not whole/);
    assert.equal(names(), without('snapshot.10', 'snapshot.20', 'log.1', 'log.11'));
  });
});

test('nothing is removed without a valid snapshot', async () => {
  await withFolder(async ({ dataDir, names, put }) => {
    for (const name of ALL.filter((one) => one.startsWith('snap'))) put(name, Buffer.alloc(9));
    const { exitCode, verdict } = await taskJson(['clean', dataDir, '--keep', '1', '--yes']);
    assert.is(exitCode, 2);
    assert.match(
      verdict.problems[0]?.text ?? '',
      /has no whole snapshot, so clean removes nothing/,
    );
    assert.equal(names(), ALL);
  });
  const empty = makeTempDir('clean');
  try {
    const none = await taskJson(['clean', empty.path, '--keep', '1', '--yes']);
    assert.is(none.exitCode, 3);
    assert.match(none.verdict.problems[0]?.text ?? '', /has no snapshot: name the dataDir first/);
  } finally {
    empty.remove();
  }
});

test('logs may be in a separate folder', async () => {
  await withFolder(async ({ dataDir, names, put }) => {
    const logs = makeTempDir('clean');
    try {
      for (const name of ['log.1', 'log.11', 'log.31']) {
        writeFileSync(join(logs.path, name), log(1));
      }
      await taskJson(['clean', dataDir, logs.path, '--keep', '1', '--yes']);
      assert.equal(readdirSync(logs.path).sort(), ['log.31']);
      assert.ok(names().includes('log.1'), 'logs beside the snapshots are ignored');
      put('log.1', Buffer.alloc(0));
    } finally {
      logs.remove();
    }
  });
});

test('a file that another process has open stays', async () => {
  await withFolder(async ({ dataDir, names }) => {
    const held = join(dataDir, 'version-2', 'log.1');
    const file = openSync(held, 'r');
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log(1)'], {
      stdio: ['pipe', 'pipe', 'ignore', file],
    });
    try {
      let isUp = false;
      child.stdout?.once('data', () => {
        isUp = true;
      });
      await waitFor('the process that reads', () => isUp);
      const { rows } = await taskJson(['clean', dataDir, '--keep', '2', '--yes']);
      const row = rows.find((one) => one['file'] === held);
      // Without /proc, open files are unknown.
      const isTold = existsSync('/proc/self/fd');
      assert.is(row?.['done'], isTold ? `kept: process ${child.pid} has it open` : 'removed');
      assert.is(names().includes('log.1'), isTold);
    } finally {
      closeSync(file);
      child.kill('SIGKILL');
    }
  });
});

test.run();
