import { assert } from '../base/assert.js';
import { formatZxid } from '../protocol/zxid.js';
import { parseLogName, parseSnapshotName, type SnapshotCompression } from './file-names.js';

/**
 * Plans how a server recovers its data (FileTxnSnapLog.restore): the newest valid snapshot, then
 * every later logged txn, committed or not. It reads no file.
 *
 * It must never accept a tree that lacks txns. So it refuses logs without a snapshot and logs with
 * a hole.
 */

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
  /** The last txn that was applied, or is in the snapshot; it only grows. */
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
    assert(zxid > this.last, 'zxid order: replayed', zxid, this.last);
    this.last = zxid;
    return APPLY;
  }
}

export interface PurgePlan {
  readonly snapshots: readonly string[];
  readonly logs: readonly string[];
}

/**
 * Keeps a snapshot, all newer ones, and the logs that they need (PurgeTxnLog, ZOOKEEPER-1797).
 * @param oldestKept must be one that was read whole: a start on the rest begins with it
 * @param neededZxid the txns after it are being sent to a learner; null for none
 */
export function planPurge(
  snapDir: readonly FoundFile[],
  logDir: readonly FoundFile[],
  oldestKept: Pick<SnapshotFile, 'zxid'>,
  neededZxid: bigint | null = null,
): PurgePlan {
  const isForLearner = neededZxid !== null && neededZxid < oldestKept.zxid;
  const from = isForLearner ? neededZxid : oldestKept.zxid;
  const logs = logsAmong(logDir);
  const needed = new Set(logsAfter(logs, from));
  // Also for a learner: a snapshot between two epochs tells it that the log has a hole there.
  const old = snapshotsAmong(snapDir).filter(({ zxid }) => zxid < from);
  return {
    snapshots: old.map(({ name }) => name),
    logs: logs.filter((log) => !needed.has(log)).map(({ name }) => name),
  };
}

/**
 * Searches the log for the txns that a learner lacks (ZKDatabase.getProposalsFromTxnLog). The
 * caller feeds the entries of `logsHolding`, oldest first.
 *
 * The result must not have a hole. Zxids show holes within an epoch, but not between two: a server
 * that received a snapshot never logged its txns, and continues with the next epoch. So a snapshot
 * with a zxid in between ends the search (ZOOKEEPER-2418, ZOOKEEPER-4925).
 */

export interface LogRange {
  /** The last zxid of the learner. */
  readonly after: bigint;
  /** The last txn that the log should contain. */
  readonly until: bigint;
}

/** Where the learner's history departs from the log. */
export interface LogPlace {
  /** The last logged zxid that the learner may have. */
  readonly at: bigint;
  /** The first txn that it lacks. */
  readonly next: bigint;
}

export interface LogSearchOptions extends LogRange {
  readonly snapshots: readonly bigint[];
  /** Limits the size of the txns to send. */
  readonly maxBytes: number;
}

/** The logs that contain the zxid and all later ones, if any do. */
export function logsHolding(logs: readonly LogFile[], zxid: bigint): LogFile[] {
  return logsAfter(logs, zxid - 1n);
}

/** Bytes of log that may replace a snapshot (snapshotSizeFactor): any number for 0. */
export function maxLogBytes(snapshotSize: number, factor: number): number {
  if (factor === 0) return Number.POSITIVE_INFINITY;
  return factor < 0 ? -1 : snapshotSize * factor;
}

export class LogSearch {
  /** Where the wanted txns begin; null until all of them are found. */
  place: LogPlace | null = null;
  private readonly options: LogSearchOptions;
  /** The last entry; null before the first one. */
  private last: bigint | null = null;
  /** Where the wanted txns begin, if all of them follow; null before the first. */
  private gap: LogPlace | null = null;
  /** The size of the wanted entries so far. */
  private bytes = 0;

  constructor(options: LogSearchOptions) {
    this.options = options;
  }

  /** Takes the next entry of the log; false when no later one matters. */
  take(zxid: bigint, size: number): boolean {
    const { after, until, maxBytes } = this.options;
    const { last } = this;
    // Logged twice, as Apache's servers may do.
    if (last !== null && zxid <= last) return true;
    this.last = zxid;
    if (zxid <= after) return true;
    if (last === null || zxid > until || !this.follows(last, zxid)) return false;
    this.bytes += size;
    if (this.bytes > maxBytes) return false;
    this.gap ??= { at: last, next: zxid };
    if (zxid < until) return true;
    this.place = this.gap;
    return false;
  }

  private follows(last: bigint, zxid: bigint): boolean {
    if (zxid === last + 1n) return true;
    const isBetween = (snapshot: bigint) => snapshot > last && snapshot < zxid;
    return isSuccessor(last, zxid) && !this.options.snapshots.some(isBetween);
  }
}

/** The committed txns of a log, as far as they are on the disk when they are read. */
export interface LogTail {
  /** The last txn that the learner has. */
  readonly after: bigint;
  /** The last txn to send now; null if nobody waits for them any longer. */
  readonly until: () => bigint | null;
}

/** Selects the entries after a txn, in order and without a gap. */
export class LogSlice {
  /** The last txn selected; it only grows. */
  last: bigint;

  constructor(after: bigint) {
    this.last = after;
  }

  /** @throws Error when the log lacks the txns before this one */
  take(zxid: bigint): boolean {
    if (zxid <= this.last) return false;
    if (!isSuccessor(this.last, zxid)) {
      throw new Error(`the log no longer has the txns after ${formatZxid(this.last)}`);
    }
    this.last = zxid;
    return true;
  }
}

/**
 * How far a snapshot reaches. It is written while txns are applied, so it may contain later ones
 * than its name says. A truncation must not keep those.
 */

/** The end of a file: of its digest, and of its last section. Null without it. */
export interface SnapshotEnd {
  readonly sealed: { readonly zxid: bigint } | null;
  readonly reachedZxid: bigint | null;
}

/**
 * The last txn that the snapshot may contain; null if nothing tells it, as with
 * digest.enabled=false.
 * @param named the zxid of its name
 * @param isExact the digest at its end is that of its tree
 */
export function reachOf(
  { sealed, reachedZxid }: SnapshotEnd,
  named: bigint,
  isExact: boolean,
): bigint | null {
  if (isExact && sealed !== null) return sealed.zxid;
  const sealedZxid = sealed?.zxid ?? -1n;
  const end = reachedZxid !== null && reachedZxid > sealedZxid ? reachedZxid : sealedZxid;
  // Apache's server writes zeros if it had no txn since its start.
  if (end < named) return null;
  // It also writes its end on another thread, while the effect of one more txn may be in the tree.
  return end + 1n;
}
