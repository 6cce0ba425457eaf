import { DATA_FOLDERS } from '../calls/arguments.js';

// Follows a member: copies its snapshots, and its txns a moment after it logs them. It only reads
// files, so it works beside every server.

import { readdirSync, realpathSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseSnapshotName } from '../../../files/file-names.js';
import { snapshotsAmong } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { listFiles, versionFolder } from '../../data-files/find-files.js';
import { runFault } from '../../ensemble/run-fault.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { WAIT } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { DURATION_FORM, parseDuration } from '../../program/duration.js';
import { hasCode } from '../../program/file-error.js';
import type { Report, Row } from '../../results/result.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from '../files/max-entry.js';
import type { Mirror } from '../s3/mirror.js';
import { asTargetFault, type BackupFolder, unreadable } from './backup-folder.js';
import { BackupLog } from './backup-log.js';
import { openTarget, type Target } from './backup-target.js';
import { KEY_FILE_OPTION } from './key-file.js';
import { MemberLog } from './member-log.js';
import { MemberSnapshots } from './member-snapshots.js';
import { Retention } from './retention.js';

/** The part of a zxid that is not its epoch. */
const COUNTER = 0xffff_ffffn;
const DEFAULT_INTERVAL_MS = 1000;

class Backup {
  readonly problems: Problem[] = [];
  txns = 0;
  snapshots = 0;
  private readonly call: TaskCall;
  private readonly folder: BackupFolder;
  private readonly log: BackupLog;
  private readonly memberLog: MemberLog;
  private readonly memberSnapshots: MemberSnapshots;
  private readonly retention: Retention;
  private readonly mirror: Mirror | undefined;
  private mirrorProblem: string | undefined;
  private isWithoutLog = false;

  private constructor(call: TaskCall, { folder, mirror }: Target, log: BackupLog) {
    const [dataDir = '.', logDir = dataDir] = call.args;
    const limits = { maxEntry: maxEntryOf(call), signal: call.signal };
    this.call = call;
    this.folder = folder;
    this.mirror = mirror;
    this.log = log;
    this.memberLog = new MemberLog(versionFolder(logDir), log, limits);
    this.memberSnapshots = new MemberSnapshots(call, versionFolder(dataDir), folder);
    this.retention = new Retention(call, folder);
  }

  static async open(call: TaskCall): Promise<Backup> {
    for (const source of call.args) mustExist(source);
    const target = await openTarget(call);
    const { folder, mirror } = target;
    try {
      const limits = { maxEntry: maxEntryOf(call), signal: call.signal };
      const log = await BackupLog.open(folder.files, limits, folder.key);
      await mirror?.release(log.takeChanged());
      return new Backup(call, target, log);
    } catch (error) {
      await mirror?.close();
      folder.close();
      throw error;
    }
  }

  get allProblems(): readonly Problem[] {
    const text = this.mirror?.problem;
    const found = [...this.problems, ...this.nothing(), ...this.withoutLog()];
    if (text === undefined) return found;
    return [...found, { level: 'critical', code: 'late-bucket', text }];
  }

  /** A backup of nothing must not look healthy. */
  private nothing(): Problem[] {
    const { path, files } = this.folder;
    if (readdirSync(files).some((name) => parseSnapshotName(name) !== undefined)) return [];
    const text = `${path}: has no snapshot, so nothing can be restored: name the dataDir of the member first, the dataLogDir second`;
    return [{ level: 'critical', code: 'no-snapshot', text }];
  }

  /** A backup without the log, as of a member whose dataLogDir was not named, must not either. */
  private withoutLog(): Problem[] {
    const [dataDir = '.', logDir = dataDir] = this.call.args;
    const { last } = this.log;
    if (!this.isWithoutLog) return [];
    const lack =
      last === undefined
        ? 'has no log, so the backup has no txn'
        : `has no txn after ${formatZxid(last.zxid)}, but a snapshot in ${dataDir} is newer`;
    const text = `${logDir}: ${lack}: name the dataDir of the member first, the dataLogDir second`;
    return [{ level: 'warning', code: 'no-logs', text }];
  }

  /** @param newest the zxid of a snapshot that the member had before its log was read */
  private lacksLog(newest: bigint | undefined): boolean {
    const { last } = this.log;
    if (newest === undefined) return false;
    if (last === undefined) return true;
    // A snapshot at the start of an epoch has the zxid of the epoch, without a txn.
    return newest > last.zxid && (newest & COUNTER) !== 0n;
  }

  get summary(): string {
    const { last } = this.log;
    const reach = last === undefined ? 'no txn yet' : `up to txn ${formatZxid(last.zxid)}`;
    return `${counted(this.snapshots, 'snapshot')} and ${counted(this.txns, 'txn')} added, ${reach}`;
  }

  /** Yields a row for each round that changed something; --once ends without a doubt. */
  async *run(): AsyncGenerator<readonly Row[]> {
    const isOnce = this.call.has('once');
    let wasInDoubt = false;
    const intervalMs = this.call.number('interval') ?? DEFAULT_INTERVAL_MS;
    const { signal } = this.call;
    try {
      while (!signal.aborted) {
        const end = performance.now() + intervalMs;
        const row = await this.round();
        if (row !== undefined) yield [row];
        if (isOnce && (wasInDoubt || !this.memberLog.isInDoubt)) {
          await this.mirror?.flush();
          return;
        }
        wasInDoubt = this.memberLog.isInDoubt;
        const note = await this.mirrorUntil(end);
        if (note !== undefined) yield [note];
        await delay(Math.max(0, end - performance.now()), undefined, { signal });
      }
    } catch (error) {
      // After a stop, the next run continues.
      if (!signal.aborted) throw hasErrno(error) ? asTargetFault(this.folder.path, error) : error;
    } finally {
      await this.mirror?.close();
      this.log.close();
      this.folder.close();
    }
  }

  /** @returns a row if the store begins or ceases to fail */
  private async mirrorUntil(end: number): Promise<Row | undefined> {
    const { mirror } = this;
    if (mirror === undefined) return undefined;
    while (performance.now() < end && (await mirror.step()));
    const { problem } = mirror;
    if (problem === this.mirrorProblem) return undefined;
    this.mirrorProblem = problem;
    const note = problem ?? 'the bucket receives the backup again';
    return [this.call.now().toISOString(), 0, 0, undefined, note];
  }

  private async round(): Promise<Row | undefined> {
    const [dataDir = '.'] = this.call.args;
    // Before the log: the member logs the txns of a snapshot first.
    const [newest] = snapshotsAmong(await listFiles(versionFolder(dataDir)));
    const logRound = await this.memberLog.takeNew();
    this.isWithoutLog = this.lacksLog(newest?.zxid);
    const snapshots = await this.memberSnapshots.takeNew();
    const keptMs = this.call.number('keep-time');
    const old =
      keptMs === undefined ? [] : await this.retention.apply(this.call.now().getTime() - keptMs);
    const removedFiles = old.length;
    this.txns += logRound.txns;
    this.snapshots += snapshots;
    const { gaps, damage, removed, isMemberLate } = logRound;
    const changed = [...this.log.takeChanged(), ...old];
    if (changed.length > 0) await this.mirror?.release(changed);
    this.problems.length = 0;
    for (const { after, before } of gaps) {
      const text = `the member no longer has the txns between ${formatZxid(after)} and ${formatZxid(before)}, so no restore can end there; raise its autopurge.snapRetainCount, or run backups without a pause`;
      this.problems.push({ level: 'warning', code: 'missing-txns', text });
    }
    if (damage !== undefined) {
      const text = `${damage}; the backup ends before it: see zkops log verify, or follow another member`;
      this.problems.push({ level: 'critical', code: 'damaged-log', text });
    }
    this.problems.push(...this.memberSnapshots.problems, ...this.retention.problems);
    const notes = [
      ...(removed > 0
        ? [`${counted(removed, 'txn')} removed: the member continued without them`]
        : []),
      ...this.log.takeAside().map((path) => `${path}: the log with the removed txns`),
      ...(isMemberLate ? ['the member lags the backup'] : []),
      ...(removedFiles > 0 ? [`${removedFiles} old files removed`] : []),
      ...this.problems.map(({ text }) => text),
    ];
    if (logRound.txns + snapshots + removed + removedFiles + this.problems.length === 0) {
      return undefined;
    }
    const { last } = this.log;
    const zxid = last === undefined ? undefined : formatZxid(last.zxid);
    return [this.call.now().toISOString(), logRound.txns, snapshots, zxid, notes.join('; ')];
  }
}

function hasErrno(error: unknown): boolean {
  return error instanceof Error && 'errno' in error;
}

function mustExist(source: string): void {
  try {
    realpathSync(source);
  } catch (error) {
    if (hasCode(error, 'EACCES')) throw unreadable(source);
    const why = hasCode(error, 'ENOENT') ? 'does not exist' : String(error);
    throw runFault(
      `${source}: ${why}\nPass the dataDir of the member, and its dataLogDir if it has one`,
    );
  }
}

async function run(call: TaskCall): Promise<Report> {
  const backup = await Backup.open(call);
  return {
    columns: COLUMNS,
    rows: backup.run(),
    isEndless: true,
    isService: !call.has('once'),
    finish: () => ({ verdict: concludeFrom(backup.allProblems, backup.summary) }),
  };
}

const COLUMNS = [
  { key: 'time' },
  { key: 'txns', width: 8 },
  { key: 'snapshots' },
  { key: 'zxid', width: 14 },
  { key: 'notes' },
];

/** A number alone would be milliseconds, and remove almost everything. */
function readKeepTime(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms > 0) return ms;
  throw new RangeError(`expected ${DURATION_FORM}`);
}

export const runBackup: Task = {
  name: 'run',
  summary: 'Follow the files of a member, and keep its snapshots and txns, verified, in a folder',
  args: DATA_FOLDERS,
  options: {
    to: {
      kind: 'folder',
      valueName: 'FOLDER',
      summary: 'folder or s3://BUCKET/PREFIX of the backup, new or from an earlier run',
    },
    spool: {
      kind: 'folder',
      valueName: 'FOLDER',
      summary: 'local copy of a backup in S3, which continues while S3 is down',
    },
    once: { summary: 'copy the present files, and exit' },
    interval: {
      ...WAIT,
      valueName: 'TIME',
      fallback: DEFAULT_INTERVAL_MS,
      summary: 'time between two polls of the files',
    },
    'keep-time': {
      kind: 'text',
      read: readKeepTime,
      valueName: 'TIME',
      summary: 'remove files that no restore to this last time needs',
    },
    ...KEY_FILE_OPTION,
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  run,
};
