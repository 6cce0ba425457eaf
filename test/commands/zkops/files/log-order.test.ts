import { mkdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildLog } from '../../../support/bytes/zk-files.js';
import { callTask, taskJson } from '../call-task.js';
import { entries, withFiles } from './log-files.js';
import { makeSnapshot, TREE } from './make-snapshot.js';

const EPOCH = 2 ** 32;
const log = (...zxids: number[]) => buildLog(entries(...zxids));
const run = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, Buffer>>;
  readonly exitCode: number;
  readonly text: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'logs of one history, with an old snapshot',
    files: { 'snapshot.0': Buffer.alloc(9), 'log.1': log(1, 2), 'log.3': log(3, EPOCH + 1) },
    exitCode: 0,
    text: /whole and in order/,
  },
  {
    name: 'an older copy over newer logs',
    files: {
      'log.100000001': log(EPOCH + 1, EPOCH + 2, 6 * EPOCH + 1),
      'log.100000003': log(EPOCH + 3, EPOCH + 4),
    },
    exitCode: 2,
    text: /log\.100000003: 0x100000003 comes after 0x600000001, and no log before has it/,
  },
  {
    name: 'an epoch that goes back within a file',
    files: { 'log.100000001': log(EPOCH + 1, 2 * EPOCH + 1, EPOCH + 2) },
    exitCode: 2,
    text: /0x100000002 comes after 0x200000001/,
  },
  {
    name: 'a log that repeats the one before',
    files: { 'log.1': log(...run(1, 5)), 'log.3': log(...run(3, 7)) },
    exitCode: 1,
    text: /log\.3: begins at 0x3, though the logs before end at 0x5/,
  },
  {
    name: 'a hole that a later snapshot makes up for',
    files: { 'snapshot.5': Buffer.alloc(9), 'log.1': log(1, 2), 'log.5': log(5, 6) },
    exitCode: 1,
    text: /missing between 0x2 and 0x5; only a later snapshot/,
  },
  {
    name: 'a hole that no snapshot makes up for',
    files: { 'snapshot.1': Buffer.alloc(9), 'log.1': log(1, 2), 'log.5': log(5, 6) },
    exitCode: 2,
    text: /missing between 0x2 and 0x5, and no snapshot/,
  },
  {
    name: 'a snapshot that ends before the logs begin',
    files: { 'snapshot.1': Buffer.alloc(9), 'log.4': log(4, 5) },
    exitCode: 2,
    text: /snapshot\.1, the newest snapshot, ends before the first txn of the logs, 0x4/,
  },
  {
    name: 'a snapshot that is newer than the logs',
    files: { 'snapshot.9': Buffer.alloc(9), 'log.1': log(1, 2) },
    exitCode: 1,
    text: /snapshot\.9, the newest snapshot, is newer than 0x2/,
  },
];

for (const { name, files, exitCode, text } of CASES) {
  test(`log verify judges the order of all files: ${name}`, () =>
    withFiles(files, async (path) => {
      const { verdict, exitCode: found } = await taskJson(['log', 'verify', path('')]);
      const told = [verdict.summary, ...verdict.problems.map((each) => each.text)].join('\n');
      assert.is(found, exitCode, told);
      assert.match(told, text);
    }));
}

test('log verify judges the order of files that are named one by one', () =>
  withFiles({ 'log.5': log(5, 6), 'log.10': log(16, 17) }, async (path) => {
    const { out, exitCode } = await callTask(['log', 'verify', path('log.10'), path('log.5')]);
    assert.is(exitCode, 1, out);
    assert.match(out, 'missing between 0x6 and 0x10');
  }));

test('log verify takes the snapshots of dataDir and the logs of dataLogDir', () =>
  withFiles({ 'log.4': log(4, 5) }, async (path) => {
    const dataDir = path('data');
    mkdirSync(dataDir);
    await withFiles({ 'snapshot.1': Buffer.alloc(9) }, async (snapshot) => {
      const { out, exitCode } = await callTask(['log', 'verify', snapshot(''), path('')]);
      assert.is(exitCode, 2, out);
      assert.match(out, 'ends before the first txn of the logs');
    });
  }));

test('log dump tells the order, too', () =>
  withFiles({ 'log.1': log(1, 2), 'log.5': log(5, 6) }, async (path) => {
    const { out, error, exitCode } = await callTask(['log', 'dump', path('')]);
    assert.is(exitCode, 1, out);
    assert.match(`${out}${error}`, 'missing between 0x2 and 0x5');
  }));

test('clean tells a hole between the kept snapshot and the logs', () =>
  withFiles({ 'snapshot.1': makeSnapshot({ nodes: TREE }), 'log.4': log(4, 5) }, async (path) => {
    const { out } = await callTask(['clean', path(''), '--keep', '1', '--dry-run']);
    assert.match(out, 'the txns between snapshot.1 and log.4 are missing');
  }));

test.run();
