/**
 * The last committed txns as they travel, for learners that lack only them
 * (ZKDatabase.committedLog): at least so many, and more while they are small.
 */
export interface CommittedTxn {
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/** commitLogCount */
export const DEFAULT_COMMIT_LOG_COUNT = 500;
/** Below it more are kept: a learner that was away for a moment needs no snapshot. */
const KEPT_BYTES = 8 * 1024 * 1024;

export class CommittedLog {
  private readonly minCount: number;
  private readonly keptBytes: number;
  private txns: CommittedTxn[] = [];
  /** Those before it are dropped already. */
  private first = 0;
  private bytes = 0;

  constructor(minCount = DEFAULT_COMMIT_LOG_COUNT, keptBytes = KEPT_BYTES) {
    this.minCount = minCount;
    this.keptBytes = keptBytes;
  }

  /** @param entry stays as it is */
  add(zxid: bigint, entry: Buffer): void {
    this.txns.push({ zxid, entry });
    this.bytes += entry.length;
    while (this.bytes > this.keptBytes && this.txns.length - this.first > this.minCount) {
      this.bytes -= this.txns[this.first++]?.entry.length ?? 0;
    }
    // Dropping one by one from the front of an array would move all the others each time.
    if (this.first > 1024 && this.first * 2 > this.txns.length) {
      this.txns = this.txns.slice(this.first);
      this.first = 0;
    }
  }

  /** Oldest first. */
  entries(): readonly CommittedTxn[] {
    return this.txns.slice(this.first);
  }

  clear(): void {
    this.txns = [];
    this.first = 0;
    this.bytes = 0;
  }
}
