import { DATA_FOLDERS } from '../calls/arguments.js';

// Removes old snapshots and logs. A server must find every file it needs afterwards, so only
// verified snapshots count as kept. Like Apache's PurgeTxnLog, keeps one log more than the oldest
// kept snapshot needs.

import { realpath, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FoundFile,
  isSuccessor,
  logsAfter,
  logsAmong,
  planPurge,
  type SnapshotFile,
  snapshotsAmong,
} from '../../../files/recovery.js';
import { listFiles, versionFolder } from '../../data-files/find-files.js';
import { usersOf } from '../../data-files/in-use.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { COUNT } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, type Report, type Row } from '../../results/result.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION } from './max-entry.js';
import { checkSnapshot } from './verify-snapshot.js';

interface Folders {
  readonly snap: string;
  readonly log: string;
  readonly snapFiles: readonly FoundFile[];
  readonly logFiles: readonly FoundFile[];
}

/** The oldest of the newest `keep` whole snapshots, and the damaged ones among them. */
interface Kept {
  readonly oldest: SnapshotFile | undefined;
  readonly whole: number;
  readonly damaged: readonly string[];
}

async function findKept(call: TaskCall, folders: Folders, keep: number): Promise<Kept> {
  const damaged: string[] = [];
  let oldest: SnapshotFile | undefined;
  let whole = 0;
  for (const snapshot of snapshotsAmong(folders.snapFiles)) {
    if (whole === keep) break;
    const path = join(folders.snap, snapshot.name);
    const { problems } = await checkSnapshot(call, path, (bytes) =>
      call.progress(snapshot.name, bytes, snapshot.size),
    );
    if (problems.length > 0) damaged.push(path);
    else {
      whole++;
      oldest = snapshot;
    }
  }
  return { oldest, whole, damaged };
}

function planOf(folders: Folders, { oldest }: Kept): Map<string, number> {
  const plan = new Map<string, number>();
  if (oldest === undefined) return plan;
  const { snapshots: old, logs } = planPurge(folders.snapFiles, folders.logFiles, oldest);
  // PurgeTxnLog keeps the last log that begins before the oldest kept snapshot, even if the next
  // log begins right after it.
  const before = logsAmong(folders.logFiles).filter(({ zxid }) => zxid <= oldest.zxid);
  const spared = before.at(-1)?.name;
  const sizeOf = (files: readonly FoundFile[], name: string): number =>
    files.find((file) => file.name === name)?.size ?? 0;
  for (const name of old) plan.set(join(folders.snap, name), sizeOf(folders.snapFiles, name));
  for (const name of logs) {
    if (name !== spared) plan.set(join(folders.log, name), sizeOf(folders.logFiles, name));
  }
  return plan;
}

/** Files of the plan that a process has open, such as a backup or a transfer to a member. */
async function openAmong(folders: Folders): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  for (const folder of new Set([folders.snap, folders.log])) {
    for (const { pid, file } of await usersOf(folder)) {
      if (file !== undefined) open.set(file, pid);
    }
  }
  return open;
}

async function clean(call: TaskCall): Promise<Report> {
  const keep = call.number('keep');
  if (keep === undefined)
    throw usageError('clean: missing --keep: add the number of snapshots to keep');
  const isDry = call.has('dry-run');
  if (!isDry && !call.has('yes')) {
    throw usageError('clean: removes files: add --yes to confirm, or --dry-run to list them');
  }
  const [dataDir = '.', logDir = dataDir] = call.args;
  const snap = versionFolder(dataDir);
  const log = versionFolder(logDir);
  const folders = { snap, log, snapFiles: await listFiles(snap), logFiles: await listFiles(log) };
  const kept = await findKept(call, folders, keep);
  const plan = planOf(folders, kept);
  const problems = problemsOf(folders, kept, keep);
  const open = await openAmong(folders);
  const rows: Row[] = [];
  let freed = 0;
  for (const [path, size] of plan) {
    call.signal.throwIfAborted();
    const pid = open.get(await realpath(path).catch(() => path));
    if (pid !== undefined) {
      rows.push([path, size, `kept: process ${pid} has it open`]);
      continue;
    }
    const failure = isDry ? undefined : await remove(path);
    if (failure === undefined) freed += size;
    else problems.push({ level: 'warning', code: 'not-removed', text: failure });
    rows.push([
      path,
      size,
      isDry ? 'would be removed' : failure === undefined ? 'removed' : 'kept',
    ]);
  }
  const word = isDry ? 'would be freed' : 'freed';
  const summary = `${shortBytes(freed)} ${word}, ${kept.whole} whole snapshots kept`;
  const totals = { files: rows.length, bytes: freed, kept: kept.whole, isDryRun: isDry };
  return finishedReport(COLUMNS, rows, { verdict: concludeFrom(problems, summary), totals });
}

/** Undefined when the file no longer exists. */
async function remove(path: string): Promise<string | undefined> {
  try {
    await unlink(path);
    return undefined;
  } catch (cause) {
    return `${path}: cannot remove: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

function problemsOf(folders: Folders, kept: Kept, keep: number): Problem[] {
  const problems: Problem[] = [];
  if (kept.oldest === undefined) {
    const isAny = snapshotsAmong(folders.snapFiles).length > 0;
    problems.push({
      level: isAny ? 'critical' : 'unknown',
      code: isAny ? 'no-whole-snapshot' : 'no-snapshot',
      text: isAny
        ? `${folders.snap}: has no whole snapshot, so clean removes nothing`
        : `${folders.snap}: has no snapshot: name the dataDir first, the dataLogDir second`,
    });
  } else if (kept.whole < keep) {
    const text = `${folders.snap}: has only ${kept.whole} whole snapshots (expected ${keep} to keep)`;
    // A new server has only a few snapshots, which is not a problem.
    if (kept.damaged.length > 0) {
      problems.push({ level: 'warning', code: 'few-snapshots', text });
    }
  }
  for (const path of kept.damaged) {
    const text = `${path}: not whole: it does not count as kept, an older snapshot does`;
    problems.push({ level: 'warning', code: 'damaged-snapshot', text });
  }
  const problem = kept.oldest === undefined ? undefined : hole(folders, kept.oldest);
  if (problem !== undefined) problems.push(problem);
  if (kept.oldest !== undefined && logsAmong(folders.logFiles).length === 0) {
    const text = `${folders.log}: has no log: name the dataLogDir as the second folder`;
    problems.push({ level: 'warning', code: 'no-logs', text });
  }
  return problems;
}

/** Between a kept snapshot and the log after it, as their names tell. */
function hole({ log, logFiles }: Folders, { name, zxid }: SnapshotFile): Problem | undefined {
  const [next] = logsAfter(logsAmong(logFiles), zxid);
  if (next === undefined || next.zxid <= zxid || isSuccessor(zxid, next.zxid)) return undefined;
  const text = `${log}: the txns between ${name} and ${next.name} are missing: zkops log verify tells more`;
  return { level: 'warning', code: 'missing-txns', text };
}

const COLUMNS = [{ key: 'file' }, { key: 'size', show: shortBytes }, { key: 'done' }];

export const cleanFolder: Task = {
  name: 'clean',
  args: DATA_FOLDERS,
  options: {
    keep: {
      ...COUNT,
      valueName: 'N',
      summary: 'number of valid snapshots to keep, with their logs',
    },
    'dry-run': { letter: 'n', summary: 'list the files, and remove nothing' },
    yes: { letter: 'y', summary: 'confirm the removal' },
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  run: clean,
};
