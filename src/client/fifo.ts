/** A queue over a ring that doubles: push and shift without moving or allocating anything. */
export class Fifo<T> {
  private slots: (T | undefined)[] = new Array(16);
  private head = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(value: T): void {
    if (this.count === this.slots.length) this.grow();
    this.slots[(this.head + this.count) & (this.slots.length - 1)] = value;
    this.count++;
  }

  /** The oldest one, or undefined. */
  peek(): T | undefined {
    return this.slots[this.head];
  }

  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const value = this.slots[this.head];
    this.slots[this.head] = undefined;
    this.head = (this.head + 1) & (this.slots.length - 1);
    this.count--;
    return value;
  }

  /** The one `index` places behind the oldest. */
  at(index: number): T | undefined {
    if (index >= this.count) return undefined;
    return this.slots[(this.head + index) & (this.slots.length - 1)];
  }

  /** Takes everything out, oldest first. */
  drain(): T[] {
    const values: T[] = [];
    for (let value = this.shift(); value !== undefined; value = this.shift()) values.push(value);
    return values;
  }

  private grow(): void {
    const { length } = this.slots;
    const grown = new Array<T | undefined>(length * 2);
    for (let i = 0; i < length; i++) grown[i] = this.slots[(this.head + i) & (length - 1)];
    this.slots = grown;
    this.head = 0;
  }
}
