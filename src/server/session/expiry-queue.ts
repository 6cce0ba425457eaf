import { assert } from '../../base/assert.js';

/**
 * Sessions in buckets by the tick at which they expire (ExpiryQueue). A touch is a division and a
 * comparison. Times are rounded up to the next tick, so that nothing expires early.
 */
export class ExpiryQueue<T extends { bucketMs: number }> {
  /** By time. An item is in the bucket of its `bucketMs`, or in none with 0. None is empty. */
  private readonly buckets = new Map<number, Set<T>>();
  private readonly tickMs: number;
  /** The bucket to poll next, a multiple of the tick; it only grows. */
  private nextMs: number;
  /** The rest of the bucket at `nextMs`; null before its first item is polled. */
  private polled: Iterator<T, undefined> | null = null;

  /** @param nowMs of any monotonic clock, the same for all later times */
  constructor(tickMs: number, nowMs: number) {
    this.tickMs = tickMs;
    this.nextMs = this.roundUp(nowMs);
  }

  get nextExpiryMs(): number {
    return this.nextMs;
  }

  touch(item: T, nowMs: number, timeoutMs: number): void {
    // Past buckets are never polled: with a negative timeout, an item would stay forever.
    const bucketMs = this.roundUp(nowMs + Math.max(timeoutMs, 0));
    if (bucketMs === item.bucketMs) return;
    this.remove(item);
    if (bucketMs <= nowMs)
      assert(false, 'session buckets: it expires before its timeout', bucketMs, nowMs);
    item.bucketMs = bucketMs;
    const bucket = this.buckets.get(bucketMs);
    if (bucket === undefined) this.buckets.set(bucketMs, new Set([item]));
    else bucket.add(item);
  }

  remove(item: T): void {
    const { bucketMs } = item;
    if (bucketMs === 0) return;
    const bucket = this.buckets.get(bucketMs);
    const wasInside = bucket?.delete(item) === true;
    if (!wasInside) assert(false, 'session buckets: a session is not in its bucket', bucketMs);
    if (bucket?.size === 0) this.buckets.delete(bucketMs);
    item.bucketMs = 0;
  }

  /** Removes at most `limit` due items; the rest stays due unless it is touched. */
  poll(nowMs: number, limit = Number.POSITIVE_INFINITY): T[] {
    const due: T[] = [];
    while (this.nextMs <= nowMs) {
      // A new iterator for each poll would walk over all deleted entries.
      this.polled ??= (this.buckets.get(this.nextMs) ?? new Set<T>()).values();
      while (due.length < limit) {
        const { value, done } = this.polled.next();
        if (done === true) break;
        if (value.bucketMs !== this.nextMs)
          assert(false, 'session buckets: polled', value.bucketMs, this.nextMs);
        this.remove(value);
        due.push(value);
      }
      if (due.length === limit) return due;
      this.polled = null;
      this.nextMs += this.tickMs;
    }
    if (due.length > limit)
      assert(false, 'session buckets: more expire than asked for', due.length, limit);
    return due;
  }

  /** Soonest first. */
  *entries(): Generator<[bucketMs: number, items: ReadonlySet<T>]> {
    for (const key of [...this.buckets.keys()].sort((a, b) => a - b)) {
      yield [key, this.buckets.get(key) ?? new Set()];
    }
  }

  private roundUp(timeMs: number): number {
    return (Math.floor(timeMs / this.tickMs) + 1) * this.tickMs;
  }
}
