import { crc32 } from '../../base/checksum.js';
import { dataLength, type TxnData, type ZnodeData } from '../../files/txn-data.js';
import { readLatin1 } from '../../jute/latin1.js';
import { getInt } from '../../jute/long.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { BlockStore } from './block-store.js';
import { HEAD_SIZE, LocatedContent } from './located-content.js';
import type { NodeTable } from './node-table.js';
import type { StatTable } from './stat-table.js';

const SLASH = 0x2f;

/**
 * The paths and data of all znodes, off the heap. The block of a slot has the length of the path,
 * the path in UTF-8, and the data, whose length is in the Stat.
 */
export class ContentTable {
  /** The size of all paths and data, in characters of paths and bytes of data. */
  size = 0;
  private readonly table: NodeTable;
  private readonly stats: StatTable;
  /** One block for each slot in use, which NodeTable names; its owner is the slot. */
  private readonly blocks = new BlockStore();
  /** The content that `locate` found last: valid until the next call or change. */
  private readonly located = new LocatedContent();

  constructor(table: NodeTable, stats: StatTable) {
    this.table = table;
    this.stats = stats;
  }

  /** Gives a new slot its path and data. */
  add(slot: number, path: string, data: TxnData): void {
    const length = data === null ? -1 : data.length;
    const { located } = this;
    this.allocate(slot, path.length, false, length);
    if (!located.putAscii(path)) {
      this.free(slot);
      const bytes = Buffer.from(path);
      this.allocate(slot, bytes.length, true, length);
      bytes.copy(located.chunk, located.pathAt);
    }
    if (data !== null) located.putData(data);
    this.size += path.length + dataLength(data);
  }

  /** Gives a new slot its path, and its data as a jute buffer at `dataAt`. */
  load(slot: number, bytes: Buffer, pathAt: number, dataAt: number, isAscii: boolean): void {
    const length = getInt(bytes, dataAt);
    const { located } = this;
    this.allocate(slot, dataAt - pathAt, !isAscii, length);
    located.put(located.pathAt, bytes, pathAt, dataAt);
    if (length > 0) located.put(located.dataAt, bytes, dataAt + 4, dataAt + 4 + length);
    this.size += this.pathLength(slot) + this.stats.dataLength(slot);
  }

  /** Sets the data from a jute buffer at `dataAt`. */
  loadData(slot: number, bytes: Buffer, dataAt: number): void {
    const length = getInt(bytes, dataAt);
    this.resize(slot, length);
    const { located } = this;
    if (length > 0) located.put(located.dataAt, bytes, dataAt + 4, dataAt + 4 + length);
  }

  setData(slot: number, data: TxnData): void {
    this.resize(slot, data === null ? -1 : data.length);
    if (data !== null) this.located.putData(data);
  }

  /** Takes the path and the data of a slot before it is released. */
  remove(slot: number): void {
    this.size -= this.pathLength(slot) + this.stats.dataLength(slot);
    this.free(slot);
  }

  isNull(slot: number): boolean {
    return this.locate(slot).isNull;
  }

  pathOf(slot: number): string {
    const { chunk, isWide, pathAt, dataAt } = this.locate(slot);
    return isWide ? chunk.toString('utf8', pathAt, dataAt) : readLatin1(chunk, pathAt, dataAt);
  }

  /** The length of the path as a string. */
  pathLength(slot: number): number {
    const { isWide, pathLength } = this.locate(slot);
    return isWide ? this.pathOf(slot).length : pathLength;
  }

  /** The bytes before the names of its children in their paths. */
  prefixLength(slot: number): number {
    const { pathLength } = this.locate(slot);
    return pathLength === 1 ? 1 : pathLength + 1;
  }

  /** Whether the znode has this path. */
  isAt(slot: number, path: string): boolean {
    const { chunk, isWide, pathAt, pathLength } = this.locate(slot);
    if (isWide) return this.pathOf(slot) === path;
    if (pathLength !== path.length) return false;
    // From the end: paths under one parent differ there.
    for (let i = pathLength - 1; i >= 0; i--) {
      if (chunk[pathAt + i] !== path.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Whether the znode has this path, not "/", or is below it; false if not all is in ASCII. */
  isBelow(slot: number, top: string): boolean {
    const { chunk, isWide, pathAt, pathLength } = this.locate(slot);
    const { length } = top;
    if (isWide || pathLength < length) return false;
    if (pathLength > length && chunk[pathAt + length] !== SLASH) return false;
    for (let i = length - 1; i >= 0; i--) {
      if (chunk[pathAt + i] !== top.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Whether the znode has the path that these bytes are in UTF-8. */
  isAtBytes(slot: number, bytes: Buffer, start: number, length: number): boolean {
    const { chunk, pathAt, pathLength } = this.locate(slot);
    if (pathLength !== length) return false;
    for (let i = length - 1; i >= 0; i--) {
      if (chunk[pathAt + i] !== bytes[start + i]) return false;
    }
    return true;
  }

  /** Writes the path as a jute string, and the data as a jute buffer. */
  writeTo(out: OutputArchive, slot: number): void {
    this.locate(slot).writeBoth(out, this.stats.dataLength(slot));
  }

  /** Writes the data as a jute buffer. */
  writeData(out: OutputArchive, slot: number): void {
    this.locate(slot).writeData(out, this.stats.dataLength(slot));
  }

  /** Writes the path from its byte `from` as a jute string. */
  writePath(out: OutputArchive, slot: number, from = 0): void {
    this.locate(slot).writePath(out, from);
  }

  /** Continues the CRC-32 `seed` over the data. */
  dataCrc(slot: number, seed: number): number {
    const length = this.stats.dataLength(slot);
    if (length === 0) return seed;
    const { chunk, dataAt } = this.locate(slot);
    return crc32(chunk, dataAt, dataAt + length, seed);
  }

  /** A view, valid until any znode changes. */
  dataOf(slot: number): Buffer | null {
    const { chunk, isNull, dataAt } = this.locate(slot);
    return isNull ? null : chunk.subarray(dataAt, dataAt + this.stats.dataLength(slot));
  }

  textOf(slot: number): ZnodeData {
    const view = this.dataOf(slot);
    return view === null ? null : readLatin1(view, 0, view.length);
  }

  private locate(slot: number): LocatedContent {
    const { blocks, located } = this;
    const block = this.table.block(slot);
    located.moveTo(blocks.chunkOf(block), blocks.viewOf(block), blocks.startOf(block));
    return located;
  }

  /**
   * Gives the slot a block, and locates it.
   * @param pathLength in bytes
   * @param dataLength -1 for null
   */
  private allocate(slot: number, pathLength: number, isWide: boolean, dataLength: number): void {
    const { table, stats, blocks } = this;
    const length = Math.max(0, dataLength);
    table.setBlock(slot, blocks.allocate(HEAD_SIZE + pathLength + length, slot));
    stats.setDataLength(slot, length);
    this.locate(slot).setHead(pathLength, isWide, dataLength < 0);
  }

  /** Makes room for other data, and locates the slot. @param dataLength -1 for null */
  private resize(slot: number, dataLength: number): void {
    const { stats, blocks } = this;
    const { chunk, isWide, pathAt, pathLength, dataAt } = this.locate(slot);
    const length = Math.max(0, dataLength);
    const before = stats.dataLength(slot);
    this.size += length - before;
    const size = HEAD_SIZE + pathLength;
    if (length !== before && !blocks.isSameSize(size + before, size + length)) {
      const path = Buffer.from(chunk.subarray(pathAt, dataAt));
      this.free(slot);
      this.allocate(slot, pathLength, isWide, dataLength);
      this.located.put(this.located.pathAt, path, 0, pathLength);
      return;
    }
    this.located.setHead(pathLength, isWide, dataLength < 0);
    stats.setDataLength(slot, length);
  }

  /** Another znode's content may take its place. */
  private free(slot: number): void {
    const { table, stats } = this;
    const size = HEAD_SIZE + this.locate(slot).pathLength + stats.dataLength(slot);
    const block = table.block(slot);
    const owner = this.blocks.free(block, size);
    if (owner !== slot) table.setBlock(owner, block);
  }
}
