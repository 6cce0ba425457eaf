/**
 * Decides after which txn a snapshot is due.
 *
 * With `growth`, the log pays for it: a snapshot costs as much as its tree is large, so one is due
 * when the log since the last has grown to a share of the tree. Then the cost of a logged byte does
 * not depend on the tree, and a start reads at most `growth` bytes of log for each of the snapshot.
 * Without, the limits alone decide (SyncRequestProcessor). All are at random between half and all,
 * so that the members of an ensemble do not write at the same time.
 */
import { assert } from '../../base/assert.js';
import { Random } from '../../base/random.js';
import type { DataTree } from '../tree/data-tree.js';

export interface SnapshotLimits {
  /** The most txns between two snapshots; with `growth`, the least. */
  readonly snapCount: number;
  /** The most bytes of log between two snapshots (snapSizeLimitInKb); 0 or less: no limit. */
  readonly snapSize: number;
  /** Bytes of log for each byte of the tree; 0: the limits alone decide. */
  readonly growth: number;
}

/** What the log has since the last snapshot. */
export interface LogLength {
  readonly txns: number;
  readonly bytes: number;
}

export const NOTHING_LOGGED: LogLength = { txns: 0, bytes: 0 };

/** The steps of a random share. */
const SHARES = 1000;

/** One for the life of a process: a change of its role writes no snapshot. */
export class SnapshotTrigger {
  private readonly limits: SnapshotLimits;
  private readonly random: Random;
  /** Since the last snapshot; never negative. */
  private txns = 0;
  private bytes = 0;
  /** The limits until the next snapshot, above 0: a part of `limits`, at random. */
  private dueTxns = 0;
  private dueBytes = 0;
  private dueGrowth = 0;

  constructor(limits: SnapshotLimits, seed: number, logged = NOTHING_LOGGED) {
    this.limits = limits;
    this.random = new Random(seed);
    this.rearm();
    this.txns = logged.txns;
    this.bytes = logged.bytes;
  }

  /** Counts a txn of `size` bytes in the log. */
  isDue(size: number, tree: Pick<DataTree, 'snapshotSize'>): boolean {
    if (size <= 0) assert(false, 'log batch: a txn without bytes', size);
    this.txns++;
    this.bytes += size;
    if (this.bytes < this.dueBytes) {
      if (this.txns < this.dueTxns) return false;
      if (this.limits.growth > 0 && this.bytes < this.dueGrowth * tree.snapshotSize) return false;
    }
    this.rearm();
    return true;
  }

  /** Begins again: a snapshot of the present tree is, or will be, on the disk. */
  rearm(): void {
    const { snapCount, snapSize, growth } = this.limits;
    this.txns = 0;
    this.bytes = 0;
    this.dueTxns = this.between(Math.max(2, snapCount));
    this.dueBytes = snapSize > 0 ? this.between(snapSize) : Number.POSITIVE_INFINITY;
    this.dueGrowth = (growth * this.between(SHARES)) / SHARES;
    if (this.dueTxns <= 0 || this.dueBytes <= 0)
      assert(false, 'log batch: every txn makes a snapshot', snapCount);
  }

  private between(limit: number): number {
    const half = Math.floor(limit / 2);
    return half + 1 + this.random.below(limit - half);
  }
}
