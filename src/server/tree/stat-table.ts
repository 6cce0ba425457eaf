import { assert } from '../../base/assert.js';
import { crcOfPair, crcOfWord } from '../../base/checksum.js';
import { isDigested } from '../../files/digest.js';
import { copyWords, getViewLong, highOf, lowOf, putViewLong } from '../../jute/long.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ViewCache } from '../../jute/view-cache.js';
import { STAT_PERSISTED_SIZE, STAT_SIZE, StatPersisted } from '../../protocol/data.js';
import { treeMemory } from './tree-memory.js';

/**
 * The Stats of all znodes, off the heap and in wire format. Answering a read is one copy, the
 * garbage collector never sees them, and all 64 bits of every zxid and owner are exact.
 *
 * ```
 *   0 czxid   8 mzxid   16 ctime   24 mtime   32 version   36 cversion*   40 aversion
 *  44 ephemeralOwner*   52 dataLength   56 numChildren   60 pzxid | 68 stored cversion
 *  72 stored ephemeralOwner   80 digest   84 CRC-32 of path and data, with which the digest begins
 *  88 CRC-32 of the path
 * ```
 * Clients see the two starred values: cversion = 2 * stored - numChildren (creates and deletes;
 * only creates are stored), and an owner of 0 for containers and TTL nodes.
 */
const RECORD_SIZE = 92;
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
const CONTENT_CRC = 84;
const PATH_CRC = 88;

export class StatTable {
  /** One for each chunk: an int access is one instruction. */
  private readonly views: DataView[] = [];
  /** The slots below `slots` that no Stat has, each once. */
  private readonly free: number[] = [];
  /** Of the bytes of a snapshot. */
  private readonly persistedViews = new ViewCache();
  /** All slots are below this number. */
  slots = 0;

  get count(): number {
    return this.slots - this.free.length;
  }

  /** @param shownOwner the owner that clients see */
  allocate(stat: StatPersisted, shownOwner: bigint): number {
    const slot = this.allocatePersisted(StatPersisted.encode(stat), 0);
    this.setShownOwner(slot, shownOwner);
    return slot;
  }

  /** Allocates a slot from a StatPersisted, which begins at `at`. */
  allocatePersisted(bytes: Uint8Array, at: number): number {
    const slot = this.free.pop() ?? this.grow();
    const view = this.viewOf(slot);
    const record = offsetOf(slot);
    // Without a bigint: a restart makes a million of these.
    view.setInt32(record + OWNER, 0);
    view.setInt32(record + OWNER + 4, 0);
    view.setInt32(record + DIGEST, 0);
    view.setInt32(record + CONTENT_CRC, 0);
    view.setInt32(record + DATA_LENGTH, 0);
    view.setInt32(record + NUM_CHILDREN, 0);
    this.setPersisted(slot, bytes, at);
    return slot;
  }

  /** Sets the persisted fields; the owner that clients see never changes. */
  setPersisted(slot: number, bytes: Uint8Array, start: number): void {
    const persisted = this.persistedViews.of(bytes);
    const from = this.persistedViews.byteOffset + start;
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    copyWords(persisted, from, view, at, 9);
    view.setInt32(at + STORED_CVERSION, persisted.getInt32(from + 36));
    view.setInt32(at + AVERSION, persisted.getInt32(from + 40));
    copyWords(persisted, from + 44, view, at + STORED_OWNER, 2);
    copyWords(persisted, from + 52, view, at + PZXID, 2);
    showCversion(view, at);
  }

  /** The ephemeralOwner as clients see it: 0 unless it is a session. */
  setShownOwner(slot: number, owner: bigint): void {
    putViewLong(this.viewOf(slot), offsetOf(slot) + OWNER, owner);
  }

  /** Allocates a slot for a created znode: all counters at 0, and no data. */
  allocateNew(zxid: bigint, time: bigint, owner: bigint): number {
    const slot = this.free.pop() ?? this.grow();
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    for (let word = at + VERSION; word < at + RECORD_SIZE; word += 4) view.setInt32(word, 0);
    putViewLong(view, at, zxid);
    copyWords(view, at, view, at + MZXID, 2);
    copyWords(view, at, view, at + PZXID, 2);
    putViewLong(view, at + CTIME, time);
    copyWords(view, at + CTIME, view, at + MTIME, 2);
    if (owner !== 0n) putViewLong(view, at + STORED_OWNER, owner);
    return slot;
  }

  /** @param from possibly another table */
  allocateCopy(from: StatTable, fromSlot: number): number {
    const slot = this.free.pop() ?? this.grow();
    const target = this.viewOf(slot);
    copyWords(from.viewOf(fromSlot), offsetOf(fromSlot), target, offsetOf(slot), RECORD_SIZE / 4);
    return slot;
  }

  /** Continues the CRC-32 of path and data over the Stat, in the order of files/digest.ts. */
  digestOf(path: string, slot: number): number {
    if (!isDigested(path)) return 0;
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    const pzxid = at + PZXID;
    const ctime = at + CTIME;
    const owner = at + STORED_OWNER;
    let crc = ~view.getInt32(at + CONTENT_CRC);
    crc = crcOfPair(crc, view.getInt32(at, true), view.getInt32(at + 4, true));
    crc = crcOfPair(crc, view.getInt32(at + MZXID, true), view.getInt32(at + MZXID + 4, true));
    crc = crcOfPair(crc, view.getInt32(pzxid, true), view.getInt32(pzxid + 4, true));
    crc = crcOfPair(crc, view.getInt32(ctime, true), view.getInt32(ctime + 4, true));
    crc = crcOfPair(crc, view.getInt32(at + MTIME, true), view.getInt32(at + MTIME + 4, true));
    const cversion = view.getInt32(at + STORED_CVERSION, true);
    crc = crcOfPair(crc, view.getInt32(at + VERSION, true), cversion);
    crc = crcOfPair(crc, view.getInt32(at + AVERSION, true), view.getInt32(owner, true));
    crc = crcOfWord(crc, view.getInt32(owner + 4, true));
    return ~crc >>> 0;
  }

  release(slot: number): void {
    this.free.push(slot);
    if (this.free.length > this.slots) assert(false, 'tree: a Stat is released twice', slot);
  }

  /** Releases all slots but these. */
  releaseOthers(used: ReadonlySet<number>): void {
    if (this.count === used.size) return;
    this.free.length = 0;
    for (let slot = 0; slot < this.slots; slot++) if (!used.has(slot)) this.free.push(slot);
  }

  /** Writes the StatPersisted. */
  writePersisted(out: OutputArchive, slot: number): void {
    const to = out.skip(STAT_PERSISTED_SIZE);
    const { words } = out;
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    copyWords(view, at, words, to, 9);
    words.setInt32(to + 36, view.getInt32(at + STORED_CVERSION));
    words.setInt32(to + 40, view.getInt32(at + AVERSION));
    copyWords(view, at + STORED_OWNER, words, to + 44, 2);
    copyWords(view, at + PZXID, words, to + 52, 2);
  }

  /** The 68 bytes of the Stat for clients. */
  writeStat(out: OutputArchive, slot: number): void {
    out.writeWords(this.viewOf(slot), offsetOf(slot), STAT_SIZE / 4);
  }

  setData(slot: number, zxid: bigint, time: bigint, version: number, dataLength: number): void {
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    putViewLong(view, at + MZXID, zxid);
    putViewLong(view, at + MTIME, time);
    view.setInt32(at + VERSION, version);
    view.setInt32(at + DATA_LENGTH, dataLength);
  }

  dataLength(slot: number): number {
    return this.viewOf(slot).getInt32(offsetOf(slot) + DATA_LENGTH);
  }

  /** Only the content table of a tree calls it: the length tells the size of the block. */
  setDataLength(slot: number, dataLength: number): void {
    this.viewOf(slot).setInt32(offsetOf(slot) + DATA_LENGTH, dataLength);
  }

  numChildren(slot: number): number {
    return this.viewOf(slot).getInt32(offsetOf(slot) + NUM_CHILDREN);
  }

  setNumChildren(slot: number, numChildren: number): void {
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    view.setInt32(at + NUM_CHILDREN, numChildren);
    showCversion(view, at);
  }

  setCversion(slot: number, storedCversion: number): void {
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    view.setInt32(at + STORED_CVERSION, storedCversion);
    showCversion(view, at);
  }

  setPzxid(slot: number, zxid: bigint): void {
    putViewLong(this.viewOf(slot), offsetOf(slot) + PZXID, zxid);
  }

  setAversion(slot: number, aversion: number): void {
    this.viewOf(slot).setInt32(offsetOf(slot) + AVERSION, aversion);
  }

  /** Unsigned; 0 without digests. */
  digest(slot: number): number {
    return this.viewOf(slot).getUint32(offsetOf(slot) + DIGEST);
  }

  setDigest(slot: number, digest: number): void {
    this.viewOf(slot).setInt32(offsetOf(slot) + DIGEST, digest);
  }

  /** The CRC-32 of path and data, unsigned; only valid with digests. */
  contentCrc(slot: number): number {
    return this.viewOf(slot).getUint32(offsetOf(slot) + CONTENT_CRC);
  }

  setContentCrc(slot: number, crc: number): void {
    this.viewOf(slot).setInt32(offsetOf(slot) + CONTENT_CRC, crc);
  }

  /** The CRC-32 of the path, likewise. */
  pathCrc(slot: number): number {
    return this.viewOf(slot).getUint32(offsetOf(slot) + PATH_CRC);
  }

  setPathCrc(slot: number, crc: number): void {
    this.viewOf(slot).setInt32(offsetOf(slot) + PATH_CRC, crc);
  }

  czxid(slot: number): bigint {
    return getViewLong(this.viewOf(slot), offsetOf(slot));
  }

  isYounger(slot: number, zxid: bigint): boolean {
    const view = this.viewOf(slot);
    const at = offsetOf(slot);
    const high = view.getInt32(at);
    const zxidHigh = highOf(zxid);
    return high === zxidHigh ? view.getUint32(at + 4) > lowOf(zxid) >>> 0 : high > zxidHigh;
  }

  mzxid(slot: number): bigint {
    return getViewLong(this.viewOf(slot), offsetOf(slot) + MZXID);
  }

  pzxid(slot: number): bigint {
    return getViewLong(this.viewOf(slot), offsetOf(slot) + PZXID);
  }

  mtime(slot: number): bigint {
    return getViewLong(this.viewOf(slot), offsetOf(slot) + MTIME);
  }

  version(slot: number): number {
    return this.viewOf(slot).getInt32(offsetOf(slot) + VERSION);
  }

  aversion(slot: number): number {
    return this.viewOf(slot).getInt32(offsetOf(slot) + AVERSION);
  }

  /** The stored value: how many children were ever created. */
  cversion(slot: number): number {
    return this.viewOf(slot).getInt32(offsetOf(slot) + STORED_CVERSION);
  }

  /** The stored value: a session, or the mark of a container or a TTL node. */
  ephemeralOwner(slot: number): bigint {
    return getViewLong(this.viewOf(slot), offsetOf(slot) + STORED_OWNER);
  }

  /** Whether the stored owner is not 0; makes no bigint. */
  hasOwner(slot: number): boolean {
    const view = this.viewOf(slot);
    const at = offsetOf(slot) + STORED_OWNER;
    return (view.getInt32(at) | view.getInt32(at + 4)) !== 0;
  }

  private grow(): number {
    if (this.slots === this.views.length * RECORDS_PER_CHUNK) {
      this.views.push(new DataView(treeMemory(RECORD_SIZE * RECORDS_PER_CHUNK)));
    }
    return this.slots++;
  }

  private viewOf(slot: number): DataView {
    return this.views[slot >>> CHUNK_SHIFT] as DataView;
  }
}

function offsetOf(slot: number): number {
  return (slot & (RECORDS_PER_CHUNK - 1)) * RECORD_SIZE;
}

function showCversion(view: DataView, at: number): void {
  const shown = 2 * view.getInt32(at + STORED_CVERSION) - view.getInt32(at + NUM_CHILDREN);
  view.setInt32(at + CVERSION, shown);
}
