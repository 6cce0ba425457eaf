import { RequestData } from '../../files/txn-data.js';
import { writeAscii, writeLatin1 } from '../../jute/latin1.js';
import { copyWords } from '../../jute/long.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ViewCache } from '../../jute/view-cache.js';

/** An int: the length of the path in bytes, and two marks. */
export const HEAD_SIZE = 4;
const IS_NULL = 1 << 31;
/** The path has characters beyond ASCII. */
const IS_WIDE = 1 << 30;
const LENGTH = IS_WIDE - 1;
/** A longer run is copied by a call out of JavaScript. */
const SHORT = 256;
const NO_BYTES = Buffer.alloc(0);

/** The content of one slot in its chunk: the head, the path in UTF-8, and the data. */
export class LocatedContent {
  /** Of the block that `moveTo` was given last. */
  chunk: Buffer = NO_BYTES;
  /** After the head, in `chunk`. */
  pathAt = 0;
  /** Of all of `chunk`. */
  private view: DataView = new DataView(NO_BYTES.buffer, 0, 0);
  /** As it is in the block. */
  private head = 0;
  /** Of the bytes that `put` copies from. */
  private readonly views = new ViewCache();

  /** @param start where the head is */
  moveTo(chunk: Buffer, view: DataView, start: number): void {
    this.chunk = chunk;
    this.view = view;
    this.pathAt = start + HEAD_SIZE;
    this.head = view.getInt32(start);
  }

  setHead(pathLength: number, isWide: boolean, isNull: boolean): void {
    this.head = pathLength | (isWide ? IS_WIDE : 0) | (isNull ? IS_NULL : 0);
    this.view.setInt32(this.pathAt - HEAD_SIZE, this.head);
  }

  get isNull(): boolean {
    return this.head < 0;
  }

  get isWide(): boolean {
    return (this.head & IS_WIDE) !== 0;
  }

  /** In bytes. */
  get pathLength(): number {
    return this.head & LENGTH;
  }

  get dataAt(): number {
    return this.pathAt + this.pathLength;
  }

  /** Puts a path in its place. False if it is not in ASCII. */
  putAscii(path: string): boolean {
    return writeAscii(this.chunk, path, this.pathAt);
  }

  putData(data: string | RequestData): void {
    if (data instanceof RequestData) {
      this.put(this.dataAt, data.memory, data.start, data.start + data.length);
    } else if (data.length > 0) {
      writeLatin1(this.chunk, data, this.dataAt);
    }
  }

  put(at: number, bytes: Buffer, start: number, end: number): void {
    const { chunk } = this;
    const length = end - start;
    if (length > SHORT) {
      bytes.copy(chunk, at, start, end);
      return;
    }
    const words = length >>> 2;
    const from = this.views.of(bytes);
    copyWords(from, this.views.byteOffset + start, this.view, at, words);
    for (let i = words * 4; i < length; i++) chunk[at + i] = bytes[start + i] as number;
  }

  /** Writes the path as a jute string, and the data as a jute buffer. */
  writeBoth(out: OutputArchive, dataLength: number): void {
    const { chunk, view, pathAt, pathLength } = this;
    const size = pathLength + dataLength;
    if (size > SHORT || pathAt + size + 3 > chunk.length) {
      this.writePath(out, 0);
      this.writeData(out, dataLength);
      return;
    }
    // The last word of a run may have bytes after it, which the next write replaces.
    const at = out.skip(8 + size + 3);
    const { words } = out;
    words.setInt32(at, pathLength);
    copyWords(view, pathAt, words, at + 4, (pathLength + 3) >>> 2);
    const dataAt = at + 4 + pathLength;
    words.setInt32(dataAt, this.isNull ? -1 : dataLength);
    copyWords(view, pathAt + pathLength, words, dataAt + 4, (dataLength + 3) >>> 2);
    out.truncate(dataAt + 4 + dataLength);
  }

  /** Writes the data as a jute buffer. */
  writeData(out: OutputArchive, length: number): void {
    out.writeInt(this.isNull ? -1 : length);
    if (length > 0) this.writeRun(out, this.dataAt, length);
  }

  /** Writes the path from its byte `from` as a jute string. */
  writePath(out: OutputArchive, from: number): void {
    const length = this.pathLength - from;
    out.writeInt(length);
    this.writeRun(out, this.pathAt + from, length);
  }

  private writeRun(out: OutputArchive, at: number, length: number): void {
    const { chunk, view } = this;
    const words = (length + 3) >>> 2;
    if (length > SHORT || at + words * 4 > chunk.length) {
      out.writeRun(chunk, at, length);
      return;
    }
    const end = out.length + length;
    out.writeWords(view, at, words);
    out.truncate(end);
  }
}
