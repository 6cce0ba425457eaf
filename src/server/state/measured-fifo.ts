import { Fifo } from '../../protocol/fifo.js';

/** A queue that adds its size in bytes to a total over several queues. */
export class MeasuredFifo<T> extends Fifo<T> {
  bytes = 0;
  total = { bytes: 0 };
  private readonly sizeOf: (value: T) => number;

  /** @param sizeOf in bytes; the result must not change while the value is queued */
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
