import { highOf, lowOf } from '../jute/long.js';

/**
 * A Map with longs as keys. It hashes neither a bigint nor its text: the halves are keys of two
 * Maps. The outer one is small, because session ids of one server start alike for days.
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
