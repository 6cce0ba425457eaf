/**
 * Searches the transaction log for the txns that a learner lacks: where its history departs from
 * the log, and whether all later txns are there (ZKDatabase.getProposalsFromTxnLog). The caller
 * feeds the entries of `logsHolding`, oldest first; no file is opened here.
 *
 * The result must never have a hole. Within an epoch the zxids show holes. Between two epochs they
 * do not: a server that received a snapshot never logged its txns and continues with the first txn
 * of the next epoch. So a snapshot with a zxid in between ends the search (ZOOKEEPER-2418,
 * ZOOKEEPER-4925).
 */
import { isSuccessor, type LogFile, logsAfter } from './recovery.js';

export interface LogRange {
  /** The last zxid of the learner. */
  readonly after: bigint;
  /** The last wanted txn: the log should contain it. */
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
  /** Zxids of the existing snapshots. */
  readonly snapshots: readonly bigint[];
  /** Size limit of the txns to send. */
  readonly maxBytes: number;
}

/** The logs that contain a zxid, if any does, and all later txns. */
export function logsHolding(logs: readonly LogFile[], zxid: bigint): LogFile[] {
  return logsAfter(logs, zxid - 1n);
}

/**
 * How many bytes of log may be sent instead of a snapshot of that size (snapshotSizeFactor):
 * nothing for a negative factor, any number for 0.
 */
export function maxLogBytes(snapshotSize: number, factor: number): number {
  if (factor === 0) return Number.POSITIVE_INFINITY;
  return factor < 0 ? -1 : snapshotSize * factor;
}

export class LogSearch {
  /** Null until it is found. */
  place: LogPlace | null = null;
  private readonly options: LogSearchOptions;
  private last: bigint | null = null;
  private gap: LogPlace | null = null;
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

/** Selects the entries of a range, in order and without a gap. */
export class LogSlice {
  private readonly range: LogRange;
  private last: bigint;

  constructor(range: LogRange) {
    this.range = range;
    this.last = range.after;
  }

  get isWhole(): boolean {
    return this.last >= this.range.until;
  }

  /** Whether the entry is in the range. */
  take(zxid: bigint): boolean {
    if (zxid <= this.last || zxid > this.range.until) return false;
    this.last = zxid;
    return true;
  }
}
