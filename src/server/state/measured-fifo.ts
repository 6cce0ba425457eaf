import { assert } from '../../base/assert.js';
import { Fifo } from '../../base/fifo.js';

/** A queue that adds its size in bytes to a total over several queues. */
export class MeasuredFifo<T> extends Fifo<T> {
  /** The bytes of the queued values; 0 for an empty queue. */
  bytes = 0;
  /** The bytes of all queues that share it; never less than `bytes`. */
  total = { bytes: 0 };
  private readonly sizeOf: (value: T) => number;

  /** @param sizeOf in bytes; the result must not change while the value is queued */
  constructor(sizeOf: (value: T) => number) {
    super();
    this.sizeOf = sizeOf;
  }

  override push(value: T): void {
    // Counted last: without memory, the queue does not change.
    super.push(value);
    this.add(this.sizeOf(value));
  }

  override shift(): T | undefined {
    const value = super.shift();
    if (value === undefined) return value;
    this.add(-this.sizeOf(value));
    if (this.bytes < 0)
      assert(false, 'back-pressure: more bytes left a queue than came', this.bytes);
    return value;
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.total.bytes += bytes;
    if (this.total.bytes < this.bytes)
      assert(false, 'back-pressure: a queue has more than all', this.bytes);
  }
}
