/**
 * Searches the log for the txns that a learner lacks (ZKDatabase.getProposalsFromTxnLog). The
 * caller feeds the entries of `logsHolding`, oldest first.
 *
 * The result must not have a hole. Zxids show holes within an epoch, but not between two: a server
 * that received a snapshot never logged its txns, and continues with the next epoch. So a snapshot
 * with a zxid in between ends the search (ZOOKEEPER-2418, ZOOKEEPER-4925).
 */
import { formatZxid } from '../../protocol/zxid.js';
import { isSuccessor, type LogFile, logsAfter } from './recovery.js';

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

/** The committed txns of a log, as far as they are on the disk when they are read. */
export interface LogTail {
  /** The last txn that the learner has. */
  readonly after: bigint;
  /** The last txn to send now; null if nobody waits for them any longer. */
  readonly until: () => bigint | null;
}

/** Selects the entries after a txn, in order and without a gap. */
export class LogSlice {
  /** The last txn selected. */
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
