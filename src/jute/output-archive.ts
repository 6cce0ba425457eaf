import { writeAscii, writeLatin1 } from './latin1.js';
import { copyWords, putInt, putLong } from './long.js';
import { ViewCache } from './view-cache.js';

const NOTHING = Buffer.alloc(0);
/** Limits the initial allocation of later turns after one huge reply. */
const MAX_KEPT_SIZE = 256 * 1024;
const SHORT_STRING = 64;
const sources = new ViewCache();
const LONG_RUN = 256;

/**
 * Encodes jute: big-endian integers, and buffers, strings and vectors after an int length (-1 is
 * null). A connection collects all replies of a turn in one archive. Growth doubles; `take()` gives
 * the bytes away and starts with fresh memory, so they are never overwritten.
 */
export class OutputArchive {
  private readonly initialSize: number;
  private bytes: Buffer = NOTHING;
  /** A view of `bytes`, once needed. */
  private wordView: DataView | null = null;
  private end = 0;
  /** True if `bytes` have another owner. */
  private isShared = false;
  private nextSize: number;

  constructor(initialSize = 512) {
    this.initialSize = initialSize;
    this.nextSize = initialSize;
  }

  get length(): number {
    return this.end;
  }

  writeByte(value: number): void {
    this.reserve(1);
    this.bytes[this.end++] = value;
  }

  writeBool(value: boolean): void {
    this.writeByte(value ? 1 : 0);
  }

  writeInt(value: number): void {
    this.reserve(4);
    putInt(this.bytes, this.end, value);
    this.end += 4;
  }

  writeLong(value: bigint): void {
    this.reserve(8);
    putLong(this.bytes, this.end, value);
    this.end += 8;
  }

  /** Writes a long from two halves, without a bigint. */
  writeLongParts(high: number, low: number): void {
    this.writeInt(high);
    this.writeInt(low);
  }

  writeBuffer(value: Uint8Array | null): void {
    if (value === null) {
      this.writeInt(-1);
      return;
    }
    this.writeInt(value.length);
    this.writeBytes(value);
  }

  /** UTF-8. Apache writes CESU-8 for astral characters, which its path rules forbid anyway. */
  writeString(value: string | null): void {
    if (value === null) {
      this.writeInt(-1);
      return;
    }
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.reserve(4 + value.length * 3);
    // Most paths are: a loop is faster than a call out of JavaScript.
    const isShort = value.length <= SHORT_STRING && writeAscii(this.bytes, value, this.end + 4);
    const length = isShort ? value.length : this.bytes.write(value, this.end + 4);
    this.writeInt(length);
    this.end += length;
  }

  /** Writes a buffer that is a latin1 string, or null. */
  writeLatin1(value: string | null): void {
    if (value === null) {
      this.writeInt(-1);
      return;
    }
    this.reserve(4 + value.length);
    this.writeInt(value.length);
    this.end += writeLatin1(this.bytes, value, this.end);
  }

  /** Up to about 200 bytes, copying words is faster than a view and set(). */
  writeRun(from: Buffer, start: number, length: number): void {
    this.reserve(length);
    const { bytes, end } = this;
    this.end = end + length;
    if (length > LONG_RUN) {
      from.copy(bytes, end, start, start + length);
      return;
    }
    const words = length >>> 2;
    const view = sources.of(from);
    copyWords(view, sources.byteOffset + start, this.words, end, words);
    for (let i = words * 4; i < length; i++) bytes[end + i] = from[start + i] as number;
  }

  writeWords(from: DataView, start: number, count: number): void {
    this.reserve(count * 4);
    copyWords(from, start, this.words, this.end, count);
    this.end += count * 4;
  }

  writeBytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.end);
    this.end += value.length;
  }

  /**
   * Like writeBuffer, but an empty archive uses the bytes without a copy, because most archives
   * write nothing after them. The bytes must never change.
   */
  writeShared(value: Buffer): void {
    if (this.end > 0) {
      this.writeBytes(value);
      return;
    }
    // No room is left, so the next write copies them.
    this.own(value);
    this.end = value.length;
    this.isShared = true;
  }

  /** Reserves `count` bytes to be written later; returns their offset. */
  skip(count: number): number {
    this.reserve(count);
    const at = this.end;
    this.end += count;
    return at;
  }

  patchInt(at: number, value: number): void {
    putInt(this.bytes, at, value);
  }

  /** Drops everything from `length` on, and gives back the memory of much. */
  truncate(length: number): void {
    const isMuch = this.end - length > MAX_KEPT_SIZE;
    this.end = length;
    if (isMuch) this.own(Buffer.from(this.bytes.subarray(0, length)));
    else if (this.isShared) this.grow(0);
    this.isShared = false;
  }

  /** The current bytes, valid until the next write; the archive still owns them. */
  view(from = 0): Buffer {
    return this.bytes.subarray(from, this.end);
  }

  /** The memory of the archive, of which `length` bytes are written; valid until the next write. */
  get memory(): Buffer {
    return this.bytes;
  }

  /** The caller owns the bytes. The next write allocates as much as this turn used. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.end);
    this.nextSize = Math.max(this.initialSize, Math.min(this.end, MAX_KEPT_SIZE));
    this.own(NOTHING);
    this.end = 0;
    this.isShared = false;
    return taken;
  }

  reset(): void {
    if (this.isShared) this.take();
    this.end = 0;
  }

  private reserve(count: number): void {
    const needed = this.end + count;
    if (needed > this.bytes.length) this.grow(needed);
  }

  private grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2, this.nextSize));
    this.bytes.copy(grown, 0, 0, this.end);
    this.own(grown);
    this.isShared = false;
  }

  private own(bytes: Buffer): void {
    this.bytes = bytes;
    this.wordView = null;
  }

  /** A view of `memory`, for ints at offsets that `skip` returned. */
  get words(): DataView {
    this.wordView ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.wordView;
  }
}
