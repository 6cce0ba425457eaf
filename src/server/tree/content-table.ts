import { readLatin1, writeLatin1 } from '../../jute/latin1.js';
import { copyWords, getInt } from '../../jute/long.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ViewCache } from '../../jute/view-cache.js';
import { crc32 } from '../base/checksum.js';
import { BlockStore } from './block-store.js';
import { dataLength, RequestData, type TxnData, type ZnodeData } from './data-node.js';
import { KeptPaths } from './kept-paths.js';
import type { NodeTable } from './node-table.js';
import type { StatTable } from './stat-table.js';

/** An int: the length of the path in bytes, and two marks. */
const HEAD_SIZE = 4;
const IS_NULL = 1 << 31;
/** The path has characters beyond ASCII. */
const IS_WIDE = 1 << 30;
const LENGTH = IS_WIDE - 1;
/** A longer run is copied by a call out of JavaScript. */
const SHORT = 256;
/** No slot. */
const NOWHERE = -1;
const NO_BYTES = Buffer.alloc(0);

/**
 * The paths and data of all znodes, off the heap. The block of a slot has the length of the path,
 * the path in UTF-8, and the data, whose length is in the Stat.
 */
export class ContentTable {
  /** Of all paths and data, in characters of paths and bytes of data. */
  size = 0;
  private readonly table: NodeTable;
  private readonly stats: StatTable;
  private readonly blocks = new BlockStore();
  private readonly views = new ViewCache();
  private readonly kept = new KeptPaths();
  /** Where the content of this slot is: a read asks several times. */
  private located = NOWHERE;
  private chunk: Buffer = NO_BYTES;
  private view: DataView = new DataView(NO_BYTES.buffer, 0, 0);
  private head = 0;
  private pathAt = 0;

  constructor(table: NodeTable, stats: StatTable) {
    this.table = table;
    this.stats = stats;
  }

  /** Gives a new slot its path and data. */
  add(slot: number, path: string, data: TxnData): void {
    const length = data === null ? -1 : data.length;
    this.allocate(slot, path.length, 0, length);
    if (!this.putAscii(path)) {
      this.free(slot);
      const bytes = Buffer.from(path);
      this.allocate(slot, bytes.length, IS_WIDE, length);
      bytes.copy(this.chunk, this.pathAt);
    }
    if (data !== null) this.putData(data);
    this.size += path.length + dataLength(data);
  }

  /** Gives a new slot its path, and its data as a jute buffer at `dataAt`. */
  load(slot: number, bytes: Buffer, pathAt: number, dataAt: number): void {
    const length = getInt(bytes, dataAt);
    const mark = isAsciiBytes(bytes, pathAt, dataAt) ? 0 : IS_WIDE;
    this.allocate(slot, dataAt - pathAt, mark, length);
    this.put(this.pathAt, bytes, pathAt, dataAt);
    if (length > 0) this.put(this.dataAt, bytes, dataAt + 4, dataAt + 4 + length);
    this.size += this.pathLength(slot) + this.stats.dataLength(slot);
  }

  /** Sets the data from a jute buffer at `dataAt`. */
  loadData(slot: number, bytes: Buffer, dataAt: number): void {
    const length = getInt(bytes, dataAt);
    this.resize(slot, length);
    if (length > 0) this.put(this.dataAt, bytes, dataAt + 4, dataAt + 4 + length);
  }

  setData(slot: number, data: TxnData): void {
    this.resize(slot, data === null ? -1 : data.length);
    if (data !== null) this.putData(data);
  }

  /** Takes the path and the data of a slot before it is released. */
  remove(slot: number): void {
    this.size -= this.pathLength(slot) + this.stats.dataLength(slot);
    this.free(slot);
    this.kept.forget(slot);
  }

  isNull(slot: number): boolean {
    this.locate(slot);
    return this.head < 0;
  }

  pathOf(slot: number): string {
    this.locate(slot);
    const { chunk, head, pathAt, dataAt } = this;
    const isWide = (head & IS_WIDE) !== 0;
    return isWide ? chunk.toString('utf8', pathAt, dataAt) : readLatin1(chunk, pathAt, dataAt);
  }

  /** The same string as last time, if the znode is in use. */
  keptPathOf(slot: number): string {
    return this.kept.get(slot) ?? this.kept.keep(slot, this.pathOf(slot));
  }

  /** Of the path, as a string has it. */
  pathLength(slot: number): number {
    this.locate(slot);
    return (this.head & IS_WIDE) === 0 ? this.head & LENGTH : this.pathOf(slot).length;
  }

  /** The bytes before the names of its children in their paths. */
  prefixLength(slot: number): number {
    this.locate(slot);
    const length = this.head & LENGTH;
    return length === 1 ? 1 : length + 1;
  }

  /** Whether the znode has this path. */
  isAt(slot: number, path: string): boolean {
    this.locate(slot);
    const { chunk, head, pathAt } = this;
    if ((head & IS_WIDE) !== 0) return this.pathOf(slot) === path;
    const length = head & LENGTH;
    if (length !== path.length) return false;
    // From the end: paths under one parent differ there.
    for (let i = length - 1; i >= 0; i--) {
      if (chunk[pathAt + i] !== path.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Whether the znode has the path that these bytes are in UTF-8. */
  isAtBytes(slot: number, bytes: Buffer, start: number, length: number): boolean {
    this.locate(slot);
    if ((this.head & LENGTH) !== length) return false;
    const { chunk, pathAt } = this;
    for (let i = length - 1; i >= 0; i--) {
      if (chunk[pathAt + i] !== bytes[start + i]) return false;
    }
    return true;
  }

  /** Writes the data as a jute buffer. */
  writeData(out: OutputArchive, slot: number): void {
    this.locate(slot);
    const length = this.stats.dataLength(slot);
    out.writeInt(this.head < 0 ? -1 : length);
    if (length > 0) this.writeRun(out, this.dataAt, length);
  }

  /** Writes the path from its byte `from` as a jute string. */
  writePath(out: OutputArchive, slot: number, from = 0): void {
    this.locate(slot);
    const length = (this.head & LENGTH) - from;
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

  /** Continues the CRC-32 `seed` over the data. */
  dataCrc(slot: number, seed: number): number {
    const length = this.stats.dataLength(slot);
    if (length === 0) return seed;
    this.locate(slot);
    return crc32(this.chunk, this.dataAt, this.dataAt + length, seed);
  }

  /** A view, valid until any znode changes. */
  dataOf(slot: number): Buffer | null {
    this.locate(slot);
    if (this.head < 0) return null;
    return this.chunk.subarray(this.dataAt, this.dataAt + this.stats.dataLength(slot));
  }

  textOf(slot: number): ZnodeData {
    const view = this.dataOf(slot);
    return view === null ? null : readLatin1(view, 0, view.length);
  }

  private locate(slot: number): void {
    if (slot === this.located) return;
    const { blocks } = this;
    const block = this.table.block(slot);
    this.chunk = blocks.chunkOf(block);
    this.view = blocks.viewOf(block);
    const start = blocks.startOf(block);
    this.head = this.view.getInt32(start);
    this.pathAt = start + HEAD_SIZE;
    this.located = slot;
  }

  private get dataAt(): number {
    return this.pathAt + (this.head & LENGTH);
  }

  /**
   * Gives the slot a block, and locates it.
   * @param mark IS_WIDE or 0
   * @param dataLength -1 for null
   */
  private allocate(slot: number, pathLength: number, mark: number, dataLength: number): void {
    const { table, stats, blocks } = this;
    const length = Math.max(0, dataLength);
    const block = blocks.allocate(HEAD_SIZE + pathLength + length, slot);
    table.setBlock(slot, block);
    stats.setDataLength(slot, length);
    const start = blocks.startOf(block);
    this.chunk = blocks.chunkOf(block);
    this.view = blocks.viewOf(block);
    this.head = pathLength | mark | (dataLength < 0 ? IS_NULL : 0);
    this.view.setInt32(start, this.head);
    this.pathAt = start + HEAD_SIZE;
    this.located = slot;
  }

  /** Makes room for other data, and locates the slot. @param dataLength -1 for null */
  private resize(slot: number, dataLength: number): void {
    const { stats, blocks } = this;
    this.locate(slot);
    const { chunk, head, pathAt, dataAt } = this;
    const length = Math.max(0, dataLength);
    const before = stats.dataLength(slot);
    this.size += length - before;
    const size = HEAD_SIZE + (head & LENGTH);
    if (length !== before && !blocks.isSameSize(size + before, size + length)) {
      const path = Buffer.from(chunk.subarray(pathAt, dataAt));
      this.free(slot);
      this.allocate(slot, path.length, head & IS_WIDE, dataLength);
      this.put(this.pathAt, path, 0, path.length);
      return;
    }
    this.head = (head & ~IS_NULL) | (dataLength < 0 ? IS_NULL : 0);
    this.view.setInt32(pathAt - HEAD_SIZE, this.head);
    stats.setDataLength(slot, length);
  }

  /** Another znode's content may take its place. */
  private free(slot: number): void {
    const { table, stats } = this;
    this.locate(slot);
    const block = table.block(slot);
    const size = HEAD_SIZE + (this.head & LENGTH) + stats.dataLength(slot);
    const owner = this.blocks.free(block, size);
    if (owner !== slot) table.setBlock(owner, block);
    this.located = NOWHERE;
  }

  /** Puts a path into the located block. False if it is not in ASCII. */
  private putAscii(path: string): boolean {
    const { chunk, pathAt } = this;
    for (let i = 0; i < path.length; i++) {
      const unit = path.charCodeAt(i);
      if (unit > 0x7f) return false;
      chunk[pathAt + i] = unit;
    }
    return true;
  }

  /** Puts data into the located block. */
  private putData(data: string | RequestData): void {
    if (data instanceof RequestData) {
      this.put(this.dataAt, data.memory, data.start, data.start + data.length);
    } else if (data.length > 0) {
      writeLatin1(this.chunk, data, this.dataAt);
    }
  }

  /** Copies bytes into the located block. */
  private put(at: number, bytes: Buffer, start: number, end: number): void {
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
}

function isAsciiBytes(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((bytes[i] as number) > 0x7f) return false;
  return true;
}
