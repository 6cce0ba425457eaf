/**
 * The last committed txns in wire format, for learners that lack only these
 * (ZKDatabase.committedLog). It keeps the configured count, and more while they are small.
 *
 * The bytes stay where they were logged, and no txn has an object: tens of thousands of short-lived
 * objects would keep the garbage collector busy.
 */
import { assert } from '../../../base/assert.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import { LIMITS } from '../../limits/limits.js';

export interface CommittedTxn {
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/** commitLogCount */
const DEFAULT_COMMIT_LOG_COUNT = 500;
/** Keeps more txns up to this size: a learner that was away briefly needs no snapshot. */
const KEPT_BYTES = LIMITS.keptTxnBytes.value;
const FIRST_CAPACITY = 512;
/** Long.MIN_VALUE */
const BEFORE_ALL = -(2n ** 63n);

export class CommittedLog {
  private readonly minCount: number;
  private readonly keptBytes: number;
  /**
   * Ring buffers of one length, a power of two; an entry is a range of its memory. The zxids from
   * `head` on ascend.
   */
  private zxids = new BigInt64Array(FIRST_CAPACITY);
  /** Where each entry begins in its memory … */
  private starts = new Int32Array(FIRST_CAPACITY);
  /** … and ends. */
  private ends = new Int32Array(FIRST_CAPACITY);
  /** Null where no entry is. */
  private memories: (Buffer | null)[] = new Array(FIRST_CAPACITY).fill(null);
  /** The place of the oldest entry. */
  private head = 0;
  /** Entries kept, at most the length of the rings. */
  private count = 0;
  /** The sum of their lengths. */
  private bytes = 0;
  /** The last one added since the last `clear`, whether or not it is kept. */
  private lastZxid = BEFORE_ALL;

  constructor(minCount = DEFAULT_COMMIT_LOG_COUNT, keptBytes = KEPT_BYTES) {
    this.minCount = minCount;
    this.keptBytes = keptBytes;
  }

  /** @param entry must not change later */
  add(zxid: bigint, entry: ByteRange): void {
    assert(zxid > this.lastZxid, 'zxid order: committed after a later txn', zxid, this.lastZxid);
    this.lastZxid = zxid;
    if (this.count === this.memories.length) this.grow();
    const at = (this.head + this.count++) & (this.memories.length - 1);
    this.zxids[at] = zxid;
    this.starts[at] = entry.start;
    this.ends[at] = entry.end;
    this.memories[at] = entry.memory;
    this.bytes += entry.length;
    while (this.bytes > this.keptBytes && this.count > this.minCount) this.drop();
  }

  private drop(): void {
    const { head } = this;
    assert(this.count > 0, 'link: drops a txn that it does not keep', this.count);
    this.bytes -= (this.ends[head] as number) - (this.starts[head] as number);
    this.memories[head] = null;
    this.head = (head + 1) & (this.memories.length - 1);
    this.count--;
    assert(this.bytes >= 0, 'link: keeps less than nothing', this.bytes);
  }

  /** Oldest first. */
  zxidsKept(): bigint[] {
    return Array.from({ length: this.count }, (_, i) => this.zxids[this.placeOf(i)] as bigint);
  }

  /** From an index of `zxidsKept`, oldest first. The bytes do not change. */
  entries(from = 0): CommittedTxn[] {
    return Array.from({ length: Math.max(0, this.count - from) }, (_, i) => {
      const at = this.placeOf(from + i);
      const memory = this.memories[at] as Buffer;
      return {
        zxid: this.zxids[at] as bigint,
        entry: memory.subarray(this.starts[at], this.ends[at]),
      };
    });
  }

  clear(): void {
    this.memories.fill(null);
    this.head = 0;
    this.count = 0;
    this.bytes = 0;
    this.lastZxid = BEFORE_ALL;
  }

  private placeOf(index: number): number {
    return (this.head + index) & (this.memories.length - 1);
  }

  private grow(): void {
    const { zxids, starts, ends, memories, count } = this;
    const capacity = memories.length * 2;
    assert((capacity & (capacity - 1)) === 0, 'link: not a power of two', capacity);
    this.zxids = new BigInt64Array(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.memories = new Array(capacity).fill(null);
    for (let i = 0; i < count; i++) {
      const at = (this.head + i) & (memories.length - 1);
      this.zxids[i] = zxids[at] as bigint;
      this.starts[i] = starts[at] as number;
      this.ends[i] = ends[at] as number;
      this.memories[i] = memories[at] as Buffer;
    }
    this.head = 0;
  }
}
