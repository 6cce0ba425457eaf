import { highOf, lowOf } from '../../jute/long.js';

/**
 * A Map by longs, as session ids are. Neither a bigint nor its text is hashed: the halves are keys
 * of two Maps, and the outer one is small, since ids of one server begin alike for days.
 */
export class LongMap<V> {
  private readonly byHigh = new Map<number, Map<number, V>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(key: bigint): V | undefined {
    return this.byHigh.get(highOf(key))?.get(lowOf(key));
  }

  set(key: bigint, value: V): void {
    const high = highOf(key);
    let byLow = this.byHigh.get(high);
    if (byLow === undefined) {
      byLow = new Map();
      this.byHigh.set(high, byLow);
    }
    this.count -= byLow.size;
    byLow.set(lowOf(key), value);
    this.count += byLow.size;
  }

  /** Returns whether it was there. */
  delete(key: bigint): boolean {
    const high = highOf(key);
    const byLow = this.byHigh.get(high);
    if (byLow === undefined || !byLow.delete(lowOf(key))) return false;
    if (byLow.size === 0) this.byHigh.delete(high);
    this.count--;
    return true;
  }

  clear(): void {
    this.byHigh.clear();
    this.count = 0;
  }

  *values(): Generator<V, void, undefined> {
    for (const byLow of this.byHigh.values()) yield* byLow.values();
  }
}
