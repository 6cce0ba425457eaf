import { JuteError } from './jute-error.js';
import { readLatin1 } from './latin1.js';
import { getInt, getLong } from './long.js';

/**
 * Decodes jute from one buffer, between `at` and `end`. Checks every read and every length against
 * `end`: a wrong length can neither read past the record nor allocate memory.
 */
export class InputArchive {
  bytes: Buffer;
  at: number;
  end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Starts another record: one archive serves a whole connection. */
  reset(bytes: Buffer, at: number, end: number): this {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    return this;
  }

  get remaining(): number {
    return this.end - this.at;
  }

  readByte(): number {
    return this.bytes[this.advance(1)] as number;
  }

  readBool(): boolean {
    return this.readByte() !== 0;
  }

  readInt(): number {
    const at = this.advance(4);
    return getInt(this.bytes, at);
  }

  readLong(): bigint {
    const at = this.advance(8);
    return getLong(this.bytes, at);
  }

  /** A view: copy the bytes to keep them. */
  readBuffer(): Buffer | null {
    const length = this.readInt();
    if (length === -1) return null;
    const at = this.advance(this.checked(length));
    return this.bytes.subarray(at, at + length);
  }

  /** Skips a buffer; `at` is at its end afterwards. Returns its length, or -1 for null. */
  readLength(): number {
    const length = this.readInt();
    if (length !== -1) this.advance(this.checked(length));
    return length;
  }

  /** A buffer as one character per byte. */
  readLatin1(): string | null {
    const length = this.readLength();
    return length === -1 ? null : readLatin1(this.bytes, this.at - length, this.at);
  }

  readString(): string | null {
    const length = this.readInt();
    if (length === -1) return null;
    const at = this.advance(this.checked(length));
    return this.bytes.toString(undefined, at, at + length);
  }

  /** The count of a vector whose elements take at least `minElementSize` bytes each; -1 is null. */
  readCount(minElementSize: number): number {
    const count = this.readInt();
    if (count < -1 || count * minElementSize > this.remaining) {
      throw new JuteError(`a vector of ${count} elements does not fit in ${this.remaining} bytes`);
    }
    return count;
  }

  private checked(length: number): number {
    if (length < 0) throw new JuteError(`negative length ${length}`);
    return length;
  }

  private advance(count: number): number {
    const { at } = this;
    if (count > this.end - at) {
      throw new JuteError(`expected ${count} bytes, found ${this.end - at}`);
    }
    this.at = at + count;
    return at;
  }
}
