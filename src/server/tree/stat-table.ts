import { getInt, getLong, putInt, putLong } from '../../jute/long.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { STAT_SIZE, type StatPersisted } from '../../protocol/data.js';

/**
 * The Stats of all znodes, off the heap, in the bytes a reply carries: answering a read is one
 * copy, the garbage collector never sees them, and all 64 bits of every zxid and owner are exact.
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

  /** A slot for a znode with this Stat. `shownOwner` is what clients see of the owner. */
  allocate(stat: StatPersisted, shownOwner: bigint, dataLength: number): number {
    const slot = this.free.pop() ?? this.grow();
    this.setShownOwner(slot, shownOwner);
    this.setDigest(slot, 0);
    this.setStat(slot, stat, dataLength, 0);
    return slot;
  }

  /** A slot for a znode of a snapshot, from the 60 bytes of its StatPersisted. */
  allocatePersisted(persisted: Buffer, dataLength: number): number {
    const slot = this.free.pop() ?? this.grow();
    this.setShownOwner(slot, 0n);
    this.setDigest(slot, 0);
    this.setPersisted(slot, persisted, dataLength, 0);
    return slot;
  }

  /** What `setStat` does, from the 60 bytes of a StatPersisted. */
  setPersisted(slot: number, persisted: Buffer, dataLength: number, numChildren: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    copyRun(persisted, 0, chunk, at, 36);
    copyRun(persisted, 36, chunk, at + STORED_CVERSION, 4);
    copyRun(persisted, 40, chunk, at + AVERSION, 4);
    copyRun(persisted, 44, chunk, at + STORED_OWNER, 8);
    copyRun(persisted, 52, chunk, at + PZXID, 8);
    putInt(chunk, at + DATA_LENGTH, dataLength);
    putInt(chunk, at + NUM_CHILDREN, numChildren);
    showCversion(chunk, at);
  }

  /** Fills in the 60 bytes of its StatPersisted. */
  copyPersisted(slot: number, target: Buffer): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    copyRun(chunk, at, target, 0, 36);
    copyRun(chunk, at + STORED_CVERSION, target, 36, 4);
    copyRun(chunk, at + AVERSION, target, 40, 4);
    copyRun(chunk, at + STORED_OWNER, target, 44, 8);
    copyRun(chunk, at + PZXID, target, 52, 8);
  }

  /** What clients see as the ephemeralOwner: 0 unless it is a session. */
  setShownOwner(slot: number, owner: bigint): void {
    putLong(this.chunkOf(slot), offsetOf(slot) + OWNER, owner);
  }

  /** Every field but the owner that clients see, which never changes. */
  setStat(slot: number, stat: StatPersisted, dataLength: number, numChildren: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    putLong(chunk, at, stat.czxid);
    putLong(chunk, at + MZXID, stat.mzxid);
    putLong(chunk, at + CTIME, stat.ctime);
    putLong(chunk, at + MTIME, stat.mtime);
    putInt(chunk, at + VERSION, stat.version);
    putInt(chunk, at + AVERSION, stat.aversion);
    putInt(chunk, at + DATA_LENGTH, dataLength);
    putInt(chunk, at + NUM_CHILDREN, numChildren);
    putLong(chunk, at + PZXID, stat.pzxid);
    putInt(chunk, at + STORED_CVERSION, stat.cversion);
    putLong(chunk, at + STORED_OWNER, stat.ephemeralOwner);
    showCversion(chunk, at);
  }

  /** A slot for a znode that is made now, by clients' doing: all counters at 0. */
  allocateNew(zxid: bigint, time: bigint, owner: bigint): number {
    const slot = this.free.pop() ?? this.grow();
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    chunk.fill(0, at, at + RECORD_SIZE);
    putLong(chunk, at, zxid);
    putLong(chunk, at + MZXID, zxid);
    putLong(chunk, at + CTIME, time);
    putLong(chunk, at + MTIME, time);
    putLong(chunk, at + PZXID, zxid);
    if (owner !== 0n) putLong(chunk, at + STORED_OWNER, owner);
    return slot;
  }

  /** A slot with the fields of another, maybe of another table. */
  allocateCopy(from: StatTable, fromSlot: number): number {
    const slot = this.free.pop() ?? this.grow();
    const target = this.chunkOf(slot);
    const source = from.chunkOf(fromSlot);
    let at = offsetOf(slot);
    const start = offsetOf(fromSlot);
    for (let i = start; i < start + RECORD_SIZE; i++) target[at++] = source[i] as number;
    return slot;
  }

  /** Fills in the 60 bytes that a digest covers, in its order (tree/digest.ts). */
  copyDigested(slot: number, target: Buffer): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    copyRun(chunk, at, target, 0, 16);
    copyRun(chunk, at + PZXID, target, 16, 8);
    copyRun(chunk, at + CTIME, target, 24, 20);
    copyRun(chunk, at + STORED_CVERSION, target, 44, 4);
    copyRun(chunk, at + AVERSION, target, 48, 4);
    copyRun(chunk, at + STORED_OWNER, target, 52, 8);
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
    putLong(chunk, at + MZXID, zxid);
    putLong(chunk, at + MTIME, time);
    putInt(chunk, at + VERSION, version);
    putInt(chunk, at + DATA_LENGTH, dataLength);
  }

  /** Without a txn: the quota figures that each server keeps for itself. */
  setDataLength(slot: number, dataLength: number): void {
    putInt(this.chunkOf(slot), offsetOf(slot) + DATA_LENGTH, dataLength);
  }

  setNumChildren(slot: number, numChildren: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    putInt(chunk, at + NUM_CHILDREN, numChildren);
    showCversion(chunk, at);
  }

  setCversion(slot: number, storedCversion: number): void {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot);
    putInt(chunk, at + STORED_CVERSION, storedCversion);
    showCversion(chunk, at);
  }

  setPzxid(slot: number, zxid: bigint): void {
    putLong(this.chunkOf(slot), offsetOf(slot) + PZXID, zxid);
  }

  setAversion(slot: number, aversion: number): void {
    putInt(this.chunkOf(slot), offsetOf(slot) + AVERSION, aversion);
  }

  /** The znode's part of the tree digest, unsigned; 0 where none is kept. */
  digest(slot: number): number {
    return getInt(this.chunkOf(slot), offsetOf(slot) + DIGEST) >>> 0;
  }

  setDigest(slot: number, digest: number): void {
    putInt(this.chunkOf(slot), offsetOf(slot) + DIGEST, digest);
  }

  czxid(slot: number): bigint {
    return getLong(this.chunkOf(slot), offsetOf(slot));
  }

  mzxid(slot: number): bigint {
    return getLong(this.chunkOf(slot), offsetOf(slot) + MZXID);
  }

  pzxid(slot: number): bigint {
    return getLong(this.chunkOf(slot), offsetOf(slot) + PZXID);
  }

  mtime(slot: number): bigint {
    return getLong(this.chunkOf(slot), offsetOf(slot) + MTIME);
  }

  version(slot: number): number {
    return getInt(this.chunkOf(slot), offsetOf(slot) + VERSION);
  }

  aversion(slot: number): number {
    return getInt(this.chunkOf(slot), offsetOf(slot) + AVERSION);
  }

  /** As stored: how many children were ever created. */
  cversion(slot: number): number {
    return getInt(this.chunkOf(slot), offsetOf(slot) + STORED_CVERSION);
  }

  /** As stored: a session, or the mark of a container or a TTL node. */
  ephemeralOwner(slot: number): bigint {
    return getLong(this.chunkOf(slot), offsetOf(slot) + STORED_OWNER);
  }

  /** True when the stored owner is not 0: no bigint is made to find out. */
  hasOwner(slot: number): boolean {
    const chunk = this.chunkOf(slot);
    const at = offsetOf(slot) + STORED_OWNER;
    return (getInt(chunk, at) | getInt(chunk, at + 4)) !== 0;
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

function copyRun(from: Buffer, start: number, to: Buffer, at: number, length: number): void {
  for (let i = 0; i < length; i++) to[at + i] = from[start + i] as number;
}

function showCversion(chunk: Buffer, at: number): void {
  const shown = 2 * getInt(chunk, at + STORED_CVERSION) - getInt(chunk, at + NUM_CHILDREN);
  putInt(chunk, at + CVERSION, shown | 0);
}
