const FIRST_SIZE = 16;
/** Shared by all queues that never had an element. */
const NO_RING: never[] = [];

/** A queue over a ring: push and shift have constant cost, and keep no references. */
export class Fifo<T> {
  private ring: (T | undefined)[] = NO_RING;
  private head = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(value: T): void {
    if (this.count === this.ring.length) this.grow();
    this.ring[(this.head + this.count++) & (this.ring.length - 1)] = value;
  }

  peek(): T | undefined {
    return this.ring[this.head];
  }

  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const value = this.ring[this.head];
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.count--;
    return value;
  }

  /** The element `index` places after the oldest. */
  at(index: number): T | undefined {
    if (index >= this.count) return undefined;
    return this.ring[(this.head + index) & (this.ring.length - 1)];
  }

  drain(): T[] {
    const values: T[] = [];
    for (let value = this.shift(); value !== undefined; value = this.shift()) values.push(value);
    return values;
  }

  /** No push or shift may happen meanwhile. */
  *values(): Generator<T> {
    for (let i = 0; i < this.count; i++) yield this.at(i) as T;
  }

  private grow(): void {
    const grown: (T | undefined)[] = new Array(Math.max(FIRST_SIZE, this.ring.length * 2));
    for (let i = 0; i < this.count; i++) grown[i] = this.at(i);
    this.ring = grown;
    this.head = 0;
  }
}
