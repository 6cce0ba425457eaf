/**
 * How a server finds back what it knew (FileTxnSnapLog.restore): the newest snapshot that reads
 * whole, then every logged txn behind it, committed or not. Pure: it is given the names in the
 * folders and says what to read in which order, and whether a txn may follow another.
 *
 * What must never happen is a tree that lacks txns and does not say so. So logs without a snapshot
 * are refused (somebody deleted it), and so is a hole in the log.
 */
import { formatZxid } from '../../protocol/zxid.js';
import { parseLogName, parseSnapshotName, type SnapshotCompression } from './file-names.js';

/** As many as Apache's server tries. */
const MAX_SNAPSHOTS_TRIED = 100;

export interface FoundFile {
  readonly name: string;
  readonly size: number;
}

export interface LogFile extends FoundFile {
  /** Of its first txn. */
  readonly zxid: bigint;
}

export interface SnapshotFile extends FoundFile {
  readonly zxid: bigint;
  readonly compression: SnapshotCompression;
}

/** The logs among the files of a folder, oldest first. */
export function logsAmong(files: Iterable<FoundFile>): LogFile[] {
  const logs: LogFile[] = [];
  for (const { name, size } of files) {
    const zxid = parseLogName(name);
    if (zxid !== undefined) logs.push({ name, size, zxid });
  }
  return logs.sort((a, b) => compareZxids(a.zxid, b.zxid));
}

/** The snapshots among the files of a folder, newest first. */
export function snapshotsAmong(files: Iterable<FoundFile>): SnapshotFile[] {
  const snapshots: SnapshotFile[] = [];
  for (const { name, size } of files) {
    const parsed = parseSnapshotName(name);
    if (parsed !== undefined) snapshots.push({ name, size, ...parsed });
  }
  return snapshots.sort((a, b) => compareZxids(b.zxid, a.zxid));
}

function compareZxids(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type RecoveryPlan =
  /** Nothing was ever stored here. */
  | { readonly kind: 'empty' }
  /**
   * Read the first of `snapshots` that is whole (newest first), then `logsBehind` its zxid. When
   * none is whole, `withoutSnapshot` says what to do.
   */
  | {
      readonly kind: 'restore';
      readonly snapshots: readonly SnapshotFile[];
      readonly logs: readonly LogFile[];
    }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface RecoveryOptions {
  /** snapshot.trust.empty: logs alone tell the whole story. */
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

/** What to do when no snapshot is there, or none of those that are there is whole. */
export function withoutSnapshot(
  damaged: readonly SnapshotFile[],
  logs: readonly LogFile[],
  { isEmptyTrusted }: RecoveryOptions,
): RecoveryPlan {
  const [newest] = damaged;
  if (newest !== undefined && !isEmptyTrusted) {
    const count =
      damaged.length === 1 ? 'the only snapshot' : `each of ${damaged.length} snapshots`;
    const reason = `${count} is damaged (the newest is ${newest.name})`;
    return { kind: 'refuse', reason: `${reason}; ${TRUST_ADVICE}` };
  }
  const [first] = logs;
  if (first === undefined) return { kind: 'empty' };
  if (isEmptyTrusted) return { kind: 'restore', snapshots: [], logs };
  return { kind: 'refuse', reason: `there is ${first.name}, but no snapshot; ${TRUST_ADVICE}` };
}

const TRUST_ADVICE =
  'bring a snapshot back, or start with -D zookeeper.snapshot.trust.empty=true if the logs hold all';

/**
 * The logs to replay behind a snapshot, oldest first: the one that must hold `snapshotZxid + 1`,
 * and all later ones. Its earlier txns are in the snapshot.
 */
export function logsBehind(logs: readonly LogFile[], snapshotZxid: bigint): LogFile[] {
  const isNeeded = (_: LogFile, at: number) => {
    const next = logs[at + 1];
    return next === undefined || next.zxid > snapshotZxid + 1n;
  };
  return logs.filter(isNeeded);
}

const COUNTER_BITS = 32n;
const COUNTER_MASK = 0xffff_ffffn;

/** May `next` be the first txn after `last`? The next number, or the first one of a later epoch. */
export function isSuccessor(last: bigint, next: bigint): boolean {
  if (next === last + 1n) return true;
  return (next & COUNTER_MASK) === 1n && next >> COUNTER_BITS > last >> COUNTER_BITS;
}

export type ReplayStep =
  | { readonly kind: 'apply' }
  /** In the snapshot already, or logged twice. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'gap'; readonly reason: string };

const APPLY: ReplayStep = { kind: 'apply' };
const SKIP: ReplayStep = { kind: 'skip' };

/** Watches over a replay: which txns to apply, and that none is missing. */
export class ReplaySequence {
  private last: bigint;

  /** @param snapshotZxid where the replay starts; 0n for an empty tree. */
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
      return { kind: 'gap', reason: `expected zxid ${expected}, found ${formatZxid(zxid)}` };
    }
    this.last = zxid;
    return APPLY;
  }
}
