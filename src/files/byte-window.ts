import { assert } from '../base/assert.js';

/**
 * The unparsed bytes of a file with their offset. Items inside one chunk are read in place. Only
 * the rest of a chunk is copied, so a driver may read every chunk into the same memory.
 */
export class ByteWindow {
  /** The unread bytes are `bytes[at]` to `bytes[end]`, valid until `settle` or `push`. */
  bytes: Buffer = Buffer.alloc(0);
  /** The first unread byte; the reader moves it, up to `end`. */
  at = 0;
  /** The end of the unread bytes. */
  end = 0;
  /** The offset of `bytes[0]` in the file. */
  private base: number;
  /** Memory of this window for the rest of a chunk; it only becomes larger. */
  private own: Buffer = Buffer.alloc(0);

  /** @param base the offset of the first byte that will be pushed */
  constructor(base = 0) {
    this.base = base;
  }

  /** The offset of the first unread byte in the file. */
  get offset(): number {
    return this.base + this.at;
  }

  get available(): number {
    return this.end - this.at;
  }

  push(chunk: Buffer): void {
    assert(this.at >= 0 && this.at <= this.end, 'file: read past the window', this.at, this.end);
    if (this.at === this.end) {
      this.base += this.end;
      this.bytes = chunk;
      this.at = 0;
      this.end = chunk.length;
      return;
    }
    this.settle();
    const needed = this.end + chunk.length;
    if (needed > this.own.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.own.length * 2));
      this.own.copy(grown, 0, 0, this.end);
      this.own = grown;
      this.bytes = grown;
    }
    chunk.copy(this.own, this.end);
    this.end = needed;
  }

  /** Copies the unread bytes, so that the pushed chunk may be overwritten. */
  settle(): void {
    const rest = this.end - this.at;
    assert(rest >= 0, 'file: read past the window', this.at, this.end);
    if (this.bytes === this.own && this.at === 0) return;
    if (rest > this.own.length) {
      const grown = Buffer.allocUnsafe(rest);
      this.bytes.copy(grown, 0, this.at, this.end);
      this.own = grown;
    } else {
      this.bytes.copy(this.own, 0, this.at, this.end);
    }
    this.base += this.at;
    this.bytes = this.own;
    this.at = 0;
    this.end = rest;
  }
}
