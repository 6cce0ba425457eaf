/**
 * Looks in the transaction log for what a learner lacks: where its history leaves that of the log,
 * and whether all that follows is there (ZKDatabase.getProposalsFromTxnLog). Fed with the entries
 * of `logsHolding`, oldest first; opens no file.
 *
 * What must never happen is a history with a hole. Within an epoch the zxids tell. Between two
 * epochs they do not: a server that was sent a snapshot has logged nothing of what it shows, and
 * goes on with the first txn of the next epoch. So a snapshot whose zxid lies in between ends the
 * search (ZOOKEEPER-2418, ZOOKEEPER-4925).
 */
import { isSuccessor, type LogFile, logsBehind } from './recovery.js';

export interface LogRange {
  /** The last zxid of the learner. */
  readonly behind: bigint;
  /** The last txn that is wanted: one that the log should have. */
  readonly until: bigint;
}

/** Where the learner's history leaves that of the log. */
export interface LogPlace {
  /** The last logged zxid that the learner may have. */
  readonly at: bigint;
  /** The first that it lacks. */
  readonly next: bigint;
}

export interface LogSearchOptions extends LogRange {
  /** Zxids of the snapshots that are there. */
  readonly snapshots: readonly bigint[];
  /** Of what may be sent. */
  readonly maxBytes: number;
}

/** The logs that hold what is behind a zxid, and that zxid itself, if any does. */
export function logsHolding(logs: readonly LogFile[], zxid: bigint): LogFile[] {
  return logsBehind(logs, zxid - 1n);
}

/**
 * How many bytes of log may be sent instead of a snapshot of that size (snapshotSizeFactor): none
 * below 0, any number for 0.
 */
export function maxLogBytes(snapshotSize: number, factor: number): number {
  if (factor === 0) return Number.POSITIVE_INFINITY;
  return factor < 0 ? -1 : snapshotSize * factor;
}

export class LogSearch {
  /** Null until it is found, and when there is none. */
  place: LogPlace | null = null;
  private readonly options: LogSearchOptions;
  private last: bigint | null = null;
  private gap: LogPlace | null = null;
  private bytes = 0;

  constructor(options: LogSearchOptions) {
    this.options = options;
  }

  /** The next entry of the log; false when no further one matters. */
  take(zxid: bigint, size: number): boolean {
    const { behind, until, maxBytes } = this.options;
    const { last } = this;
    // Logged twice, as Apache's servers may.
    if (last !== null && zxid <= last) return true;
    this.last = zxid;
    if (zxid <= behind) return true;
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

/** The entries of a range that was found, in order and without a gap. */
export class LogSlice {
  private readonly range: LogRange;
  private last: bigint;

  constructor(range: LogRange) {
    this.range = range;
    this.last = range.behind;
  }

  get isWhole(): boolean {
    return this.last >= this.range.until;
  }

  /** Does the entry belong to it? */
  take(zxid: bigint): boolean {
    if (zxid <= this.last || zxid > this.range.until) return false;
    this.last = zxid;
    return true;
  }
}
