/**
 * Says after which txn a snapshot is due: a random count between half of snapCount and all of it,
 * so that the servers of an ensemble do not all write theirs at once, or as much of the log's size
 * limit, whichever comes first (SyncRequestProcessor).
 */
export interface SnapshotLimits {
  readonly snapCount: number;
  /** Bytes of log (snapSizeLimitInKb); 0 or less is no limit. */
  readonly snapSize: number;
}

export class SnapshotTrigger {
  private readonly limits: SnapshotLimits;
  private random: number;
  private left = 0;
  private bytesLeft = 0;

  constructor(limits: SnapshotLimits, seed: number, alreadyLogged = 0) {
    this.limits = limits;
    this.random = seed >>> 0 || 1;
    this.rearm();
    this.left -= alreadyLogged;
  }

  /** Counts one txn of `size` bytes. */
  isDue(size: number): boolean {
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
  }

  /** Between half of `limit` and all of it. */
  private between(limit: number): number {
    // xorshift32
    this.random ^= this.random << 13;
    this.random ^= this.random >>> 17;
    this.random ^= this.random << 5;
    const half = Math.floor(limit / 2);
    return half + 1 + Math.floor(((this.random >>> 0) / 2 ** 32) * (limit - half));
  }
}
