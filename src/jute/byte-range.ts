/**
 * Bytes where they lie. A view of its own (`subarray`) is a far bigger object, and slower to make:
 * for what is made for every txn, and mostly never looked at, that is too much.
 */
export class ByteRange {
  readonly memory: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(memory: Buffer, start = 0, end = memory.length) {
    this.memory = memory;
    this.start = start;
    this.end = end;
  }

  get length(): number {
    return this.end - this.start;
  }

  view(): Buffer {
    return this.memory.subarray(this.start, this.end);
  }
}
