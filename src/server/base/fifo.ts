/** A queue over a ring: push and shift cost the same however long it is, and keep no references. */
export class Fifo<T> {
  private ring: (T | undefined)[] = new Array(16);
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

  /** Oldest first; nothing may be pushed or shifted meanwhile. */
  *values(): Generator<T> {
    for (let i = 0; i < this.count; i++) {
      yield this.ring[(this.head + i) & (this.ring.length - 1)] as T;
    }
  }

  private grow(): void {
    const grown: (T | undefined)[] = new Array(this.ring.length * 2);
    for (let i = 0; i < this.count; i++) {
      grown[i] = this.ring[(this.head + i) & (this.ring.length - 1)];
    }
    this.ring = grown;
    this.head = 0;
  }
}

/** A queue that knows how many bytes it holds, and adds them to a total of several queues. */
export class MeasuredFifo<T> extends Fifo<T> {
  bytes = 0;
  total = { bytes: 0 };
  private readonly sizeOf: (value: T) => number;

  /** @param sizeOf in bytes; it must not change while the value is here */
  constructor(sizeOf: (value: T) => number) {
    super();
    this.sizeOf = sizeOf;
  }

  override push(value: T): void {
    this.add(this.sizeOf(value));
    super.push(value);
  }

  override shift(): T | undefined {
    const value = super.shift();
    if (value !== undefined) this.add(-this.sizeOf(value));
    return value;
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.total.bytes += bytes;
  }
}
