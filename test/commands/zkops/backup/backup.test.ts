import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandError } from '../../../../src/commands/program/command-error.js';
import { asTargetFault } from '../../../../src/commands/zkops/backup/backup-folder.js';
import { ByteBuilder, buildEntry, buildLog, buildRecord } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, taskJson } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';

const MINUTE = 60_000;
const START = Date.parse('2026-01-31T12:00:00Z');

/** setData of /app, made that many minutes after the start. */
function entry(zxid: bigint, minute: number, text = `v${minute}`): Buffer {
  const body = new ByteBuilder().string('/app').buffer(Buffer.from(text)).int(minute).build();
  return buildEntry({ zxid, type: 5, body, time: BigInt(START + minute * MINUTE) });
}

const entries = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => entry(BigInt(from + at), from + at));

interface World {
  readonly member: string;
  readonly to: string;
  /** Writes a file of the member. */
  readonly put: (name: string, bytes: Buffer) => void;
  readonly remove: (name: string) => void;
  readonly run: (...args: string[]) => ReturnType<typeof taskJson>;
  readonly status: () => ReturnType<typeof taskJson>;
  readonly restore: (at: string, ...args: string[]) => ReturnType<typeof taskJson>;
}

async function withMember(use: (world: World) => Promise<void>): Promise<void> {
  const home = makeTempDir('backup');
  const [member, to] = [join(home.path, 'data'), join(home.path, 'kept')];
  mkdirSync(join(member, 'version-2'), { recursive: true });
  const file = (name: string) => join(member, 'version-2', name);
  writeFileSync(
    file('snapshot.0'),
    makeSnapshot({
      nodes: ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path })),
    }),
  );
  try {
    await use({
      member,
      to,
      put: (name, bytes) => writeFileSync(file(name), bytes),
      remove: (name) => rmSync(file(name)),
      run: (...args) => taskJson(['backup', 'run', member, '--to', to, '--once', ...args]),
      status: () => taskJson(['backup', 'status', to]),
      restore: (at, ...args) => taskJson(['backup', 'restore', to, '--at', at, ...args]),
    });
  } finally {
    home.remove();
  }
}

test('a second run adds only new txns, also from a new log of the member', () =>
  withMember(async ({ put, run, status, restore }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    assert.is((await run()).verdict.summary, '1 snapshot and 3 txns added, up to txn 0x3');
    put('log.1', buildLog(entries(1, 5), 4096));
    put('log.6', buildLog(entries(6, 7), 4096));
    assert.is((await run()).verdict.summary, '0 snapshots and 4 txns added, up to txn 0x7');
    assert.is((await run()).verdict.summary, '0 snapshots and 0 txns added, up to txn 0x7');
    const { verdict, exitCode } = await status();
    assert.is(exitCode, 0, verdict.summary);
    assert.match(verdict.summary, 'moments from 0x0 to 0x7 (2026-01-31T12:07:00.000Z)');
    const dry = await restore('latest', '--dry-run');
    assert.is(dry.rows[0]?.['txns'], 7);
  }));

test('a time means the last txn at or before it', () =>
  withMember(async ({ put, run, restore }) => {
    put('log.1', buildLog(entries(1, 9)));
    await run();
    const { rows, totals } = await restore('2026-01-31T12:04:30Z', '--dry-run');
    assert.is(rows[0]?.['zxid'], '0x4');
    assert.is(rows[0]?.['time'], '2026-01-31T12:04:00.000Z');
    assert.is(totals['later'], 5);
  }));

test('a clock that went forward and back is reported with a restore to a time', () =>
  withMember(async ({ put, run, restore, to }) => {
    const jumped = entry(5n, 600);
    put('log.1', buildLog([...entries(1, 4), jumped, entry(6n, 5), entry(7n, 6)]));
    await run();
    const moment = '2026-01-31T12:30:00Z';
    const { rows, exitCode, verdict } = await restore(moment, '--dry-run');
    assert.equal([rows[0]?.['zxid'], exitCode], ['0x4', 1]);
    assert.match(verdict.summary, 'a clock went back after 0x4: 2 later txns with a time at or');
    const { out } = await callTask(['backup', 'restore', to, '--at', moment, '--dry-run']);
    assert.match(out, 'continues with 3 later txns');
    assert.not.match(out, /later\s+txns are not in it/);
    for (const at of ['2026-01-31T12:03:30Z', '0x4', 'latest']) {
      const { verdict: fine } = await restore(at, '--dry-run');
      assert.not.match(fine.summary, 'clock', at);
    }
  }));

test('txns that the member removes, since no quorum accepted them, leave the backup, too', () =>
  withMember(async ({ put, run, restore, to }) => {
    put('log.1', buildLog(entries(1, 5)));
    await run();
    const before = readFileSync(join(to, 'version-2', 'log.1'));
    put('log.1', buildLog(entries(1, 3)));
    const late = await run();
    assert.is(late.verdict.summary, '0 snapshots and 0 txns added, up to txn 0x5');
    const next = entry(0x1_0000_0001n, 8, 'of the new leader');
    put('log.1', buildLog([...entries(1, 3), next]));
    const { rows } = await run();
    const kept = join(to, 'removed.4-1');
    assert.match(String(rows[0]?.['notes']), '2 txns removed: the member continued without them');
    assert.match(String(rows[0]?.['notes']), `${kept}: the log with the removed txns`);
    assert.equal(readFileSync(kept), before, 'a restored member had acknowledged them');
    const dry = await restore('latest', '--dry-run');
    assert.equal([dry.rows[0]?.['zxid'], dry.rows[0]?.['txns']], ['0x100000001', 4]);
    // Once more, and later than --keep-time. The clock of these tasks begins in 1970.
    utimesSync(kept, new Date(-2_000_000_000), new Date(-2_000_000_000));
    put('log.1', buildLog([...entries(1, 3), entry(0x2_0000_0001n, 9, 'of another leader')]));
    await run('--keep-time', '1d');
    assert.not.ok(existsSync(kept));
    assert.ok(existsSync(join(to, 'removed.100000001-1')));
  }));

test('a restore names the later txns that a backup in the same folder would lose', () =>
  withMember(async ({ put, run, restore, to }) => {
    put('log.1', buildLog(entries(1, 5)));
    await run();
    const told = async (...args: string[]) =>
      (await callTask(['backup', 'restore', to, ...args])).out.replaceAll(/\s+/g, ' ');
    const advice = /to keep the later txns, let zkops backup run write to a new folder/;
    assert.match(await told('--at', '0x3', '--to', `${to}.past`), advice);
    assert.not.match(await told('--at', '0x3', '--dry-run'), advice);
    assert.not.match(await told('--to', `${to}.newest`), advice);
    const { rows } = await restore('0x3', '--dry-run');
    assert.is(rows[0]?.['zxid'], '0x3');
  }));

test('a restore of a time after the end of the backup says so', () =>
  withMember(async ({ put, run, to }) => {
    put('log.1', buildLog(entries(1, 5)));
    await run();
    const told = async (at: string) =>
      (await callTask(['backup', 'restore', to, '--at', at, '--dry-run'])).out;
    assert.match(await told('2030-01-31T12:00:00Z'), /ends at 0x5 of .*before this\s+moment/);
    assert.not.match(await told('2026-01-31T12:05:00Z'), 'before this');
    assert.not.match(await told('latest'), 'before this');
  }));

test('a backup without the log of the member is a problem, not healthy', () =>
  withMember(async ({ put, remove, run, member }) => {
    const alone = await run();
    assert.is(alone.exitCode, 1);
    assert.is(alone.verdict.problems[0]?.code, 'no-logs');
    assert.match(alone.verdict.problems[0]?.text ?? '', `${member}: has no log`);
    put('log.1', buildLog(entries(1, 5)));
    assert.is((await run()).exitCode, 0);
    // The member logs elsewhere now, and the old logs are still here.
    const nodes = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));
    put('snapshot.9', makeSnapshot({ nodes }));
    const elsewhere = await run();
    assert.is(elsewhere.exitCode, 1);
    assert.match(elsewhere.verdict.problems[0]?.text ?? '', 'has no txn after 0x5');
    // At the start of an epoch, no txn has this zxid.
    remove('snapshot.9');
    put('snapshot.200000000', makeSnapshot({ nodes }));
    assert.is((await run()).exitCode, 0);
  }));

test('a member of another ensemble is refused, and the backup stays', () =>
  withMember(async ({ put, run, status, member, to }) => {
    put('log.1', buildLog(entries(1, 5)));
    await run();
    put('log.1', buildLog([1, 2, 3, 4, 5, 6].map((at) => entry(BigInt(at), at, 'other'))));
    const { exitCode, error } = await callTask(['backup', 'run', member, '--to', to, '--once']);
    assert.is(exitCode, 3);
    assert.match(
      error,
      /txn 0x1 differs .*another ensemble.*\n.*Start a new backup in another folder/,
    );
    assert.match((await status()).verdict.summary, 'to 0x5');
  }));

test('txns that the member purged first are a gap, which status and restore name', () =>
  withMember(async ({ put, remove, run, status, restore }) => {
    put('log.1', buildLog(entries(1, 3)));
    await run();
    remove('log.1');
    put('log.6', buildLog(entries(6, 8)));
    const gap = await run();
    assert.is(gap.exitCode, 1);
    assert.match(gap.verdict.problems[0]?.text ?? '', /no longer has the txns between 0x3 and 0x6/);
    assert.match((await status()).verdict.problems[0]?.text ?? '', 'between 0x3 and 0x6');
    const refused = await restore('0x7', '--dry-run').catch(String);
    assert.match(String(refused), /no snapshot of the backup leads to 0x7:(.|\n)*txns are missing/);
    assert.is((await restore('0x3', '--dry-run')).rows[0]?.['zxid'], '0x3');
  }));

test('a record that is being written waits for the next run', () =>
  withMember(async ({ put, run }) => {
    const whole = buildLog(entries(1, 4));
    const last = buildRecord(entry(4n, 4)).length;
    put('log.1', Buffer.concat([whole.subarray(0, -last / 2), Buffer.alloc(4096)]));
    const torn = await run();
    assert.equal(
      [torn.exitCode, torn.verdict.summary],
      [0, '1 snapshot and 3 txns added, up to txn 0x3'],
    );
    put('log.1', whole);
    assert.is((await run()).verdict.summary, '0 snapshots and 1 txn added, up to txn 0x4');
  }));

test('one run reports damage inside the log of the member, behind which txns follow', () =>
  withMember(async ({ put, run }) => {
    const offset = buildLog(entries(1, 3)).length;
    for (const at of [offset + 30, offset + 8]) {
      const bytes = buildLog(entries(1, 6), 4096);
      bytes[at] = (bytes[at] ?? 0) ^ 0x40;
      put('log.1', bytes);
      const { exitCode, verdict } = await run('--interval', '1ms');
      assert.is(exitCode, 2, verdict.summary);
      assert.match(verdict.summary, `log.1: damaged at offset ${offset}: `);
      assert.match(verdict.summary, '0x3');
    }
  }));

test('a crash of the backup costs no txn: its incomplete end is written again', () =>
  withMember(async ({ put, run, to, status }) => {
    put('log.1', buildLog(entries(1, 4)));
    await run();
    const log = join(to, 'version-2', 'log.1');
    truncateSync(log, readFileSync(log).length - 5);
    mkdirSync(join(to, 'incoming'), { recursive: true });
    writeFileSync(join(to, 'incoming', 'snapshot.9'), 'half');
    assert.is((await run()).verdict.summary, '0 snapshots and 1 txn added, up to txn 0x4');
    assert.equal(readdirSync(join(to, 'incoming')), []);
    assert.is((await status()).exitCode, 0);
    const bytes = readFileSync(log);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(log, bytes);
    const damaged = await run().catch(String);
    assert.match(String(damaged), /the backup is damaged at offset 16\n.*start a new backup/);
  }));

test('a damaged snapshot of the member stays out of the backup, until it is whole', () =>
  withMember(async ({ put, run, to }) => {
    put('log.1', buildLog(entries(1, 4)));
    const whole = makeSnapshot({ nodes: ['', '/app'].map((path) => ({ path })) });
    put('snapshot.3', whole.subarray(0, -9));
    const first = await run();
    assert.is(first.exitCode, 1);
    assert.match(
      first.verdict.problems[0]?.text ?? '',
      /data\/version-2\/snapshot\.3: .*leaves it out/,
    );
    assert.not.ok(existsSync(join(to, 'version-2', 'snapshot.3')));
    put('snapshot.3', whole);
    assert.is((await run()).exitCode, 0);
    assert.equal(readFileSync(join(to, 'version-2', 'snapshot.3')), whole);
  }));

test('--keep-time removes only what no restore to that time needs', () =>
  withMember(async ({ put, run, to }) => {
    put('log.1', buildLog(entries(1, 4)));
    put('snapshot.2', makeSnapshot({ nodes: ['', '/app'].map((path) => ({ path })) }));
    await run();
    // The task's clock is at 1970, so all files are newer.
    assert.is((await run('--keep-time', '1d')).exitCode, 0);
    assert.ok(existsSync(join(to, 'version-2', 'snapshot.0')));
  }));

test('refuses what would mix or overwrite data, and names the next step', () =>
  withMember(async ({ put, run, member, to }) => {
    put('log.1', buildLog(entries(1, 3)));
    await run();
    const cases: readonly (readonly [args: readonly string[], exitCode: number, text: RegExp])[] = [
      [['run', member], 64, /expected --to FOLDER/],
      [['run', join(member, 'no'), '--to', `${to}2`], 3, /does not exist\n.*Pass the dataDir/],
      [
        ['run', member, '--to', member],
        3,
        /is not empty, and has no backup\n.*Choose an empty folder/,
      ],
      [['run', member, '--to', join(member, 'b')], 64, /is in the folder of the member/],
      [['restore', to], 64, /expected --to FOLDER or --dry-run/],
      [
        ['restore', to, '--to', member],
        64,
        /is not empty: a restore never overwrites data\n.*Stop the server/,
      ],
      [['restore', to, '--at', 'noon', '--dry-run'], 64, /--at: invalid moment: "noon"/],
      [
        ['restore', to, '--at', '0x9', '--dry-run'],
        64,
        /does not contain this moment \(expected 0x0 to 0x3\)/,
      ],
      [['restore', to, '--at', '1999-01-01', '--dry-run'], 64, /does not contain this moment/],
      [['status', member], 3, /has no backup: zkops-backup.json is missing/],
    ];
    for (const [args, exitCode, text] of cases) {
      const outcome = await callTask(['backup', ...args]);
      assert.match(outcome.error, text);
      assert.is(outcome.exitCode, exitCode, args.join(' '));
    }
    writeFileSync(join(to, 'zkops-backup.lock'), `${process.pid} ${Number.MAX_SAFE_INTEGER}\n`);
    const second = await callTask(['backup', 'run', member, '--to', to, '--once']);
    assert.match(second.error, /another backup writes to it: process \d+\n.*Stop that one/);
  }));

test('a full disk is named as that, with the way to continue', () => {
  const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  const fault = asTargetFault('/kept', cause) as CommandError;
  assert.match(fault.message, /\/kept: .*the disk is full$/);
  assert.match(fault.hint ?? '', /^Free space .*continues/);
});

test('a txn with an impossible time is shown with its number', () =>
  withMember(async ({ put, run, status, restore }) => {
    const time = 2n ** 62n;
    const body = new ByteBuilder().string('/app').buffer(Buffer.from('x')).int(2).build();
    const late = buildEntry({ zxid: 2n, type: 5, body, time });
    put('log.1', buildLog([entry(1n, 1), late]));
    assert.is((await run()).exitCode, 0);
    assert.is((await status()).rows.at(-1)?.['time'], String(Number(time)));
    assert.is((await restore('latest', '--dry-run')).rows[0]?.['time'], String(Number(time)));
    assert.is((await restore('0x1', '--dry-run')).totals['later'], 1);
  }));

test.run();
