/**
 * Decides after which txn a snapshot is due (SyncRequestProcessor): at random between half of
 * snapCount or snapSizeLimitInKb and all of it. So the servers of an ensemble do not all write at
 * the same time.
 */
import { assert } from '../../base/assert.js';
import { Random } from '../../base/random.js';

export interface SnapshotLimits {
  readonly snapCount: number;
  /** In bytes (snapSizeLimitInKb); 0 or less disables it. */
  readonly snapSize: number;
}

export class SnapshotTrigger {
  private readonly limits: SnapshotLimits;
  private readonly random: Random;
  /** Txns until the next snapshot; above 0 between txns, except after a start on a long log. */
  private left = 0;
  /** Bytes of log until the next snapshot; above 0 between txns, infinite without a limit. */
  private bytesLeft = 0;

  constructor(limits: SnapshotLimits, seed: number, alreadyLogged = 0) {
    this.limits = limits;
    this.random = new Random(seed);
    this.rearm();
    this.left -= alreadyLogged;
  }

  isDue(size: number): boolean {
    if (size <= 0) assert(false, 'log batch: a txn without bytes', size);
    this.left--;
    this.bytesLeft -= size;
    if (this.left > 0 && this.bytesLeft > 0) return false;
    this.rearm();
    return true;
  }

  private rearm(): void {
    const { snapCount, snapSize } = this.limits;
    this.left = this.between(Math.max(2, snapCount));
    this.bytesLeft = snapSize > 0 ? this.between(snapSize) : Number.POSITIVE_INFINITY;
    if (this.left <= 0 || this.bytesLeft <= 0)
      assert(false, 'log batch: every txn makes a snapshot', snapCount);
  }

  private between(limit: number): number {
    const half = Math.floor(limit / 2);
    return half + 1 + this.random.below(limit - half);
  }
}
