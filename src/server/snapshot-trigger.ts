/**
 * Says after which txn a snapshot is due: a random count between half of snapCount and all of it,
 * so that the servers of an ensemble do not all write theirs at once (SyncRequestProcessor).
 */
export class SnapshotTrigger {
  private readonly snapCount: number;
  private random: number;
  private left: number;

  constructor(snapCount: number, seed: number, alreadyLogged = 0) {
    this.snapCount = Math.max(2, snapCount);
    this.random = seed >>> 0 || 1;
    this.left = this.nextCount() - alreadyLogged;
  }

  /** Counts one txn. */
  isDue(): boolean {
    if (--this.left > 0) return false;
    this.left = this.nextCount();
    return true;
  }

  private nextCount(): number {
    // xorshift32
    this.random ^= this.random << 13;
    this.random ^= this.random >>> 17;
    this.random ^= this.random << 5;
    const half = Math.floor(this.snapCount / 2);
    return half + 1 + ((this.random >>> 0) % (this.snapCount - half));
  }
}
