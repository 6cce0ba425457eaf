/**
 * Sessions in buckets by the tick at which they end, so that a touch is a division and a comparison
 * and an expiry takes a whole bucket. A time is rounded up to the next tick: nothing ends early
 * (Apache's ExpiryQueue).
 */
export class ExpiryQueue<T extends { bucketMs: number }> {
  private readonly buckets = new Map<number, Set<T>>();
  private readonly tickMs: number;
  private nextMs: number;
  /** Walks the bucket of `nextMs` while it is worked off. */
  private polled: Iterator<T, undefined> | null = null;

  /** @param nowMs any monotonic clock; all later times are of the same one */
  constructor(tickMs: number, nowMs: number) {
    this.tickMs = tickMs;
    this.nextMs = this.roundUp(nowMs);
  }

  /** When the next bucket is due. */
  get nextExpiryMs(): number {
    return this.nextMs;
  }

  /** Puts `item` into the bucket of now + timeout. */
  touch(item: T, nowMs: number, timeoutMs: number): void {
    // A bucket of the past is never polled: with a negative timeout, an item would stay for ever.
    const bucketMs = this.roundUp(nowMs + Math.max(timeoutMs, 0));
    if (bucketMs === item.bucketMs) return;
    this.remove(item);
    item.bucketMs = bucketMs;
    const bucket = this.buckets.get(bucketMs);
    if (bucket === undefined) this.buckets.set(bucketMs, new Set([item]));
    else bucket.add(item);
  }

  remove(item: T): void {
    const bucket = this.buckets.get(item.bucketMs);
    if (bucket?.delete(item) && bucket.size === 0) this.buckets.delete(item.bucketMs);
    item.bucketMs = 0;
  }

  /** Takes out what is due, at most `limit`; the rest is due as long as nobody touches it. */
  poll(nowMs: number, limit = Number.POSITIVE_INFINITY): T[] {
    const due: T[] = [];
    while (this.nextMs <= nowMs) {
      // One iterator for the whole bucket: each new one would walk over all that is gone.
      this.polled ??= (this.buckets.get(this.nextMs) ?? new Set<T>()).values();
      while (due.length < limit) {
        const { value, done } = this.polled.next();
        if (done === true) break;
        this.remove(value);
        due.push(value);
      }
      if (due.length === limit) return due;
      this.polled = null;
      this.nextMs += this.tickMs;
    }
    return due;
  }

  /** Bucket times with what is in them, soonest first. */
  *entries(): Generator<[bucketMs: number, items: ReadonlySet<T>]> {
    for (const key of [...this.buckets.keys()].sort((a, b) => a - b)) {
      yield [key, this.buckets.get(key) ?? new Set()];
    }
  }

  private roundUp(timeMs: number): number {
    return (Math.floor(timeMs / this.tickMs) + 1) * this.tickMs;
  }
}
