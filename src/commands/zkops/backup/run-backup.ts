// Follows a member: copies its snapshots, and its txns a moment after it logs them. It only reads
// files, so it works beside every server.

import { realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { versionFolder } from '../../data-files/find-files.js';
import { RunFault } from '../../ensemble/run-fault.js';
import { UsageError } from '../../ensemble/usage-error.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { hasCode } from '../../program/file-error.js';
import type { Report, ReportRow, Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from '../files/max-entry.js';
import { asTargetFault, BackupFolder } from './backup-folder.js';
import { BackupLog } from './backup-log.js';
import { KEY_FILE_OPTION, readKeyFile } from './key-file.js';
import { MemberLog } from './member-log.js';
import { MemberSnapshots } from './member-snapshots.js';
import { applyRetention } from './retention.js';

const DAY_MS = 86_400_000;
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

  private constructor(call: TaskCall, folder: BackupFolder, log: BackupLog) {
    const [dataDir = '.', logDir = dataDir] = call.args;
    const limits = { maxEntry: maxEntryOf(call), signal: call.signal };
    this.call = call;
    this.folder = folder;
    this.log = log;
    this.memberLog = new MemberLog(versionFolder(logDir), log, limits);
    this.memberSnapshots = new MemberSnapshots(call, versionFolder(dataDir), folder);
  }

  static async open(call: TaskCall): Promise<Backup> {
    const to = call.text('to');
    if (to === undefined) throw new UsageError('backup run: missing option (expected --to FOLDER)');
    for (const source of call.args) mustExist(source);
    const key = readKeyFile(call);
    const folder = BackupFolder.open(to, call.now().getTime(), key);
    try {
      const limits = { maxEntry: maxEntryOf(call), signal: call.signal };
      const inside = call.args.some((source) => isInside(folder.path, source));
      if (inside) throw new UsageError(`--to ${to}: is in the folder of the member`);
      return new Backup(call, folder, await BackupLog.open(folder.files, limits, key));
    } catch (error) {
      folder.close();
      throw error;
    }
  }

  get summary(): string {
    const { last } = this.log;
    const reach = last === undefined ? 'no txn yet' : `up to txn ${formatZxid(last.zxid)}`;
    return `${this.snapshots} snapshots and ${this.txns} txns added, ${reach}`;
  }

  /** Yields a row for each round that changed something; with --once, only one. */
  async *run(): AsyncGenerator<readonly ReportRow[]> {
    const isOnce = this.call.has('once');
    const intervalMs = this.call.number('interval') ?? DEFAULT_INTERVAL_MS;
    const { signal } = this.call;
    try {
      while (!signal.aborted) {
        const row = await this.round();
        if (row !== undefined) yield [row];
        if (isOnce) return;
        await delay(intervalMs, undefined, { signal });
      }
    } catch (error) {
      // After a stop, the next run continues.
      if (!signal.aborted) throw hasErrno(error) ? asTargetFault(this.folder.path, error) : error;
    } finally {
      this.log.close();
      this.folder.close();
    }
  }

  private async round(): Promise<ReportRow | undefined> {
    const logRound = await this.memberLog.takeNew();
    const snapshots = await this.memberSnapshots.takeNew();
    const days = this.call.number('keep-days');
    const removedFiles =
      days === undefined
        ? 0
        : await applyRetention(this.folder.files, this.call.now().getTime() - days * DAY_MS);
    this.txns += logRound.txns;
    this.snapshots += snapshots;
    const { gaps, damage, removed, isMemberLate } = logRound;
    this.problems.length = 0;
    for (const { after, before } of gaps) {
      const text = `the member no longer has the txns between ${formatZxid(after)} and ${formatZxid(before)}, so no restore can end there; raise its autopurge.snapRetainCount, or run backups without a pause`;
      this.problems.push({ level: 'warning', code: 'missing-txns', text });
    }
    if (damage !== undefined) {
      const text = `${damage}; the backup ends before it: see zkops log verify, or follow another member`;
      this.problems.push({ level: 'critical', code: 'damaged-log', text });
    }
    this.problems.push(...this.memberSnapshots.problems);
    const notes = [
      ...(removed > 0 ? [`${removed} txns removed: no quorum accepted them`] : []),
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
    const why = hasCode(error, 'ENOENT') ? 'does not exist' : String(error);
    throw new RunFault(
      `${source}: ${why}\nPass the dataDir of the member, and its dataLogDir if it has one`,
    );
  }
}

function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realpathSync(path), realpathSync(folder)];
  return inner === outer || inner.startsWith(`${outer}/`);
}

async function run(call: TaskCall): Promise<Report> {
  const backup = await Backup.open(call);
  return {
    columns: COLUMNS,
    rows: backup.run(),
    isEndless: true,
    isService: !call.has('once'),
    finish: () => ({ verdict: concludeFrom(backup.problems, backup.summary) }),
  };
}

const COLUMNS = [
  { title: 'TIME', key: 'time' },
  { title: 'TXNS', key: 'txns', width: 8 },
  { title: 'SNAPSHOTS', key: 'snapshots' },
  { title: 'ZXID', key: 'zxid', width: 14 },
  { title: 'NOTES', key: 'notes' },
];

export const runBackup: Task = {
  name: 'run',
  summary: 'Follow the files of a member, and keep its snapshots and txns, verified, in a folder',
  args: ['<data-dir>', '[data-log-dir]'],
  options: [
    ['--to <folder>', 'folder of the backup, new or from an earlier run'],
    ['--once', 'copy the present files, and exit'],
    ['--interval <ms>', 'time between two polls at the files', 'ms', DEFAULT_INTERVAL_MS],
    ['--keep-days <n>', 'remove files that no restore to the last n days needs', 'count'],
    KEY_FILE_OPTION,
    MAX_ENTRY_OPTION,
  ],
  hasMembers: false,
  run,
};
