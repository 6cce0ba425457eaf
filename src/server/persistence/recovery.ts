/**
 * Plans how a server recovers its data (FileTxnSnapLog.restore): the newest valid snapshot, then
 * every later logged txn, committed or not. It reads no file.
 *
 * It must never accept a tree that lacks txns. So it refuses logs without a snapshot and logs with
 * a hole.
 */
import { formatZxid } from '../../protocol/zxid.js';
import { parseLogName, parseSnapshotName, type SnapshotCompression } from './file-names.js';

/** As in Apache's server. */
const MAX_SNAPSHOTS_TRIED = 100;

export interface FoundFile {
  readonly name: string;
  readonly size: number;
}

export interface LogFile extends FoundFile {
  readonly zxid: bigint;
}

export interface SnapshotFile extends FoundFile {
  readonly zxid: bigint;
  readonly compression: SnapshotCompression;
}

/** Oldest first. */
export function logsAmong(files: Iterable<FoundFile>): LogFile[] {
  const logs: LogFile[] = [];
  for (const { name, size } of files) {
    const zxid = parseLogName(name);
    if (zxid !== undefined) logs.push({ name, size, zxid });
  }
  return logs.sort((a, b) => compareZxids(a.zxid, b.zxid));
}

/** Newest first. */
export function snapshotsAmong<Found extends FoundFile>(
  files: Iterable<Found>,
): (Found & SnapshotFile)[] {
  const snapshots: (Found & SnapshotFile)[] = [];
  for (const file of files) {
    const parsed = parseSnapshotName(file.name);
    if (parsed !== undefined) snapshots.push({ ...file, ...parsed });
  }
  return snapshots.sort((a, b) => compareZxids(b.zxid, a.zxid));
}

function compareZxids(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type RecoveryPlan =
  | { readonly kind: 'empty' }
  /** Read the first valid snapshot, newest first, then `logsAfter` its zxid. */
  | {
      readonly kind: 'restore';
      readonly snapshots: readonly SnapshotFile[];
      readonly logs: readonly LogFile[];
    }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface RecoveryOptions {
  /** snapshot.trust.empty: the logs alone are complete. */
  readonly isEmptyTrusted: boolean;
}

/** @param snapDir the files of dataDir/version-2 @param logDir those of dataLogDir/version-2 */
export function planRecovery(
  snapDir: Iterable<FoundFile>,
  logDir: Iterable<FoundFile>,
  options: RecoveryOptions,
): RecoveryPlan {
  const snapshots = snapshotsAmong(snapDir).slice(0, MAX_SNAPSHOTS_TRIED);
  const logs = logsAmong(logDir);
  if (snapshots.length > 0) return { kind: 'restore', snapshots, logs };
  return withoutSnapshot(snapshots, logs, options);
}

/** Used if no snapshot exists, or if all are damaged. */
export function withoutSnapshot(
  damaged: readonly SnapshotFile[],
  logs: readonly LogFile[],
  { isEmptyTrusted }: RecoveryOptions,
): RecoveryPlan {
  const [newest] = damaged;
  if (newest !== undefined && !isEmptyTrusted) {
    const count =
      damaged.length === 1 ? 'the only snapshot' : `each of ${damaged.length} snapshots`;
    return { kind: 'refuse', reason: `${count} is damaged (newest: ${newest.name})` };
  }
  const [first] = logs;
  if (first === undefined) return { kind: 'empty' };
  if (isEmptyTrusted) return { kind: 'restore', snapshots: [], logs };
  return { kind: 'refuse', reason: `found ${first.name}, but no snapshot` };
}

/** The logs to replay after a snapshot, oldest first. The first one may begin before it. */
export function logsAfter(logs: readonly LogFile[], snapshotZxid: bigint): LogFile[] {
  const isNeeded = (_: LogFile, at: number) => {
    const next = logs[at + 1];
    return next === undefined || next.zxid > snapshotZxid + 1n;
  };
  return logs.filter(isNeeded);
}

const COUNTER_BITS = 32n;
const COUNTER_MASK = 0xffff_ffffn;

/** Whether `next` may follow `last`: the next counter, or the first of a later epoch. */
export function isSuccessor(last: bigint, next: bigint): boolean {
  if (next === last + 1n) return true;
  return (next & COUNTER_MASK) === 1n && next >> COUNTER_BITS > last >> COUNTER_BITS;
}

export type ReplayStep =
  | { readonly kind: 'apply' }
  /** The snapshot already contains it, or it was logged twice. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'gap'; readonly reason: string };

const APPLY: ReplayStep = { kind: 'apply' };
const SKIP: ReplayStep = { kind: 'skip' };

/** Decides which txns of a replay to apply, and detects missing ones. */
export class ReplaySequence {
  private last: bigint;

  /** @param snapshotZxid where the replay starts; 0n for an empty tree */
  constructor(snapshotZxid: bigint) {
    this.last = snapshotZxid;
  }

  get lastZxid(): bigint {
    return this.last;
  }

  next(zxid: bigint): ReplayStep {
    if (zxid <= this.last) return SKIP;
    if (!isSuccessor(this.last, zxid)) {
      const expected = formatZxid(this.last + 1n);
      return { kind: 'gap', reason: `zxid ${formatZxid(zxid)} (expected ${expected})` };
    }
    this.last = zxid;
    return APPLY;
  }
}
