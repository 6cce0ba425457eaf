/** A range of bytes in a buffer. A view (`subarray`) is too slow to create for every txn. */
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
