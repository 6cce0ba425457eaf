import type { OutputArchive } from '../../jute/output-archive.js';
import { STAT_SIZE, type StatPersisted } from '../../protocol/data.js';

/**
 * The Stats of all znodes, off the heap, in the bytes a reply carries: answering a read is one copy,
 * the garbage collector never sees them, and all 64 bits of every zxid and owner are exact.
 *
 * ```
 *   0 czxid   8 mzxid   16 ctime   24 mtime   32 version   36 cversion*   40 aversion
 *  44 ephemeralOwner*   52 dataLength   56 numChildren   60 pzxid | 68 stored cversion
 *  72 stored ephemeralOwner   80 digest
 * ```
 * The starred two are what clients see: cversion = 2 * stored - numChildren (creates and deletes;
 * only creates are stored), and an owner of 0 for containers and TTL nodes.
 */
const RECORD_SIZE = 84;
const RECORDS_PER_CHUNK = 4096;
const CHUNK_SHIFT = 12;

const MZXID = 8;
const CTIME = 16;
const MTIME = 24;
const VERSION = 32;
const CVERSION = 36;
const AVERSION = 40;
const OWNER = 44;
const DATA_LENGTH = 52;
const NUM_CHILDREN = 56;
const PZXID = 60;
const STORED_CVERSION = 68;
const STORED_OWNER = 72;
const DIGEST = 80;

export class StatTable {
  private readonly chunks: Buffer[] = [];
  private readonly free: number[] = [];
  private used = 0;

  /** A slot for a new znode. `shownOwner` is what clients see of `owner`. */
  allocate(stat: StatPersisted, shownOwner: bigint, dataLength: number): number {
    const slot = this.free.pop() ?? this.grow();
    this.chunkOf(slot).writeBigInt64BE(shownOwner, offsetOf(slot) + OWNER);
    this.setDigest(slot, 0);
    this.setStat(slot, stat, dataLength, 0);
    return slot;
  }

  /** Every field but the owner that clients see, which never changes. */
  setStat(slot: number, stat: StatPersisted, dataLength: number, numChildren: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    chunk.writeBigInt64BE(stat.czxid, at);
    chunk.writeBigInt64BE(stat.mzxid, at + MZXID);
    chunk.writeBigInt64BE(stat.ctime, at + CTIME);
    chunk.writeBigInt64BE(stat.mtime, at + MTIME);
    chunk.writeInt32BE(stat.version, at + VERSION);
    chunk.writeInt32BE(stat.aversion, at + AVERSION);
    chunk.writeInt32BE(dataLength, at + DATA_LENGTH);
    chunk.writeInt32BE(numChildren, at + NUM_CHILDREN);
    chunk.writeBigInt64BE(stat.pzxid, at + PZXID);
    chunk.writeInt32BE(stat.cversion, at + STORED_CVERSION);
    chunk.writeBigInt64BE(stat.ephemeralOwner, at + STORED_OWNER);
    showCversion(chunk, at);
  }

  release(slot: number): void {
    this.free.push(slot);
  }

  /** The 68 bytes of the Stat that clients get. */
  writeStat(out: OutputArchive, slot: number): void {
    out.writeRun(this.chunkOf(slot), offsetOf(slot), STAT_SIZE);
  }

  /** A change of the data: the fields that setData moves. */
  setData(slot: number, zxid: bigint, time: bigint, version: number, dataLength: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    chunk.writeBigInt64BE(zxid, at + MZXID);
    chunk.writeBigInt64BE(time, at + MTIME);
    chunk.writeInt32BE(version, at + VERSION);
    chunk.writeInt32BE(dataLength, at + DATA_LENGTH);
  }

  /** Without a txn: the quota figures that each server keeps for itself. */
  setDataLength(slot: number, dataLength: number): void {
    this.chunkOf(slot).writeInt32BE(dataLength, offsetOf(slot) + DATA_LENGTH);
  }

  setNumChildren(slot: number, numChildren: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    chunk.writeInt32BE(numChildren, at + NUM_CHILDREN);
    showCversion(chunk, at);
  }

  setCversion(slot: number, storedCversion: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    chunk.writeInt32BE(storedCversion, at + STORED_CVERSION);
    showCversion(chunk, at);
  }

  setPzxid(slot: number, zxid: bigint): void {
    this.chunkOf(slot).writeBigInt64BE(zxid, offsetOf(slot) + PZXID);
  }

  setAversion(slot: number, aversion: number): void {
    this.chunkOf(slot).writeInt32BE(aversion, offsetOf(slot) + AVERSION);
  }

  /** The znode's part of the tree digest, unsigned; 0 where none is kept. */
  digest(slot: number): number {
    return this.chunkOf(slot).readUInt32BE(offsetOf(slot) + DIGEST);
  }

  setDigest(slot: number, digest: number): void {
    this.chunkOf(slot).writeUInt32BE(digest, offsetOf(slot) + DIGEST);
  }

  czxid(slot: number): bigint {
    return this.chunkOf(slot).readBigInt64BE(offsetOf(slot));
  }

  mzxid(slot: number): bigint {
    return this.chunkOf(slot).readBigInt64BE(offsetOf(slot) + MZXID);
  }

  pzxid(slot: number): bigint {
    return this.chunkOf(slot).readBigInt64BE(offsetOf(slot) + PZXID);
  }

  mtime(slot: number): bigint {
    return this.chunkOf(slot).readBigInt64BE(offsetOf(slot) + MTIME);
  }

  version(slot: number): number {
    return this.chunkOf(slot).readInt32BE(offsetOf(slot) + VERSION);
  }

  aversion(slot: number): number {
    return this.chunkOf(slot).readInt32BE(offsetOf(slot) + AVERSION);
  }

  /** As stored: how many children were ever created. */
  cversion(slot: number): number {
    return this.chunkOf(slot).readInt32BE(offsetOf(slot) + STORED_CVERSION);
  }

  /** As stored: a session, or the mark of a container or a TTL node. */
  ephemeralOwner(slot: number): bigint {
    return this.chunkOf(slot).readBigInt64BE(offsetOf(slot) + STORED_OWNER);
  }

  /** True when the stored owner is not 0: no bigint is made to find out. */
  hasOwner(slot: number): boolean {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot) + STORED_OWNER;
    return (chunk.readInt32BE(at) | chunk.readInt32BE(at + 4)) !== 0;
  }

  persisted(slot: number): StatPersisted {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    return {
      czxid: chunk.readBigInt64BE(at),
      mzxid: chunk.readBigInt64BE(at + MZXID),
      ctime: chunk.readBigInt64BE(at + CTIME),
      mtime: chunk.readBigInt64BE(at + MTIME),
      version: chunk.readInt32BE(at + VERSION),
      cversion: chunk.readInt32BE(at + STORED_CVERSION),
      aversion: chunk.readInt32BE(at + AVERSION),
      ephemeralOwner: chunk.readBigInt64BE(at + STORED_OWNER),
      pzxid: chunk.readBigInt64BE(at + PZXID),
    };
  }

  private grow(): number {
    if (this.used === this.chunks.length * RECORDS_PER_CHUNK) {
      this.chunks.push(Buffer.allocUnsafeSlow(RECORD_SIZE * RECORDS_PER_CHUNK));
    }
    return this.used++;
  }

  private chunkOf(slot: number): Buffer {
    return this.chunks[slot >>> CHUNK_SHIFT] as Buffer;
  }
}

function offsetOf(slot: number): number {
  return (slot & (RECORDS_PER_CHUNK - 1)) * RECORD_SIZE;
}

function showCversion(chunk: Buffer, at: number): void {
  const shown = 2 * chunk.readInt32BE(at + STORED_CVERSION) - chunk.readInt32BE(at + NUM_CHILDREN);
  chunk.writeInt32BE(shown | 0, at + CVERSION);
}
