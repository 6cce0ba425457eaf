import { assert } from '../../base/assert.js';
import { InputArchive } from '../../jute/input-archive.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { STAT_PERSISTED_SIZE, STAT_SIZE, StatRecord } from '../../protocol/data.js';
import { StatTable } from './stat-table.js';

/**
 * The Stat of a znode of the tree (TreeReader.statOf), or one of PendingStats. It reads the present
 * values. Only txns change a Stat of the tree, so the methods that set are for pending ones.
 */
export class NodeStat {
  private readonly table: StatTable;
  private readonly slot: number;

  constructor(table: StatTable, slot: number) {
    this.table = table;
    this.slot = slot;
  }

  get czxid(): bigint {
    return this.table.czxid(this.slot);
  }

  get mzxid(): bigint {
    return this.table.mzxid(this.slot);
  }

  get pzxid(): bigint {
    return this.table.pzxid(this.slot);
  }

  get mtime(): bigint {
    return this.table.mtime(this.slot);
  }

  get version(): number {
    return this.table.version(this.slot);
  }

  get aversion(): number {
    return this.table.aversion(this.slot);
  }

  /** As stored: how many children were ever created. */
  get cversion(): number {
    return this.table.cversion(this.slot);
  }

  get hasOwner(): boolean {
    return this.table.hasOwner(this.slot);
  }

  /** As stored: a session, or the mark of a container or a TTL node; 0 without one. */
  get ephemeralOwner(): bigint {
    return this.hasOwner ? this.table.ephemeralOwner(this.slot) : 0n;
  }

  get dataLength(): number {
    return this.table.dataLength(this.slot);
  }

  get numChildren(): number {
    return this.table.numChildren(this.slot);
  }

  /** The part of the tree digest; unsigned, and 0 without digests. */
  get digest(): number {
    return this.table.digest(this.slot);
  }

  /** The CRC-32 of path and data, unsigned; only valid with digests. */
  get contentCrc(): number {
    return this.table.contentCrc(this.slot);
  }

  /** The CRC-32 of the path, likewise. */
  get pathCrc(): number {
    return this.table.pathCrc(this.slot);
  }

  /** Continues the CRC-32 of path and data over the Stat. */
  digestOf(path: string): number {
    return this.table.digestOf(path, this.slot);
  }

  /** The 60 bytes of a StatPersisted. */
  persisted(): Buffer {
    const out = new OutputArchive(STAT_PERSISTED_SIZE);
    this.table.writePersisted(out, this.slot);
    assert(out.length === STAT_PERSISTED_SIZE, 'snapshot merge: the size of a Stat', out.length);
    return out.take();
  }

  /** As clients see it, but with the children and the cversion of the tree. */
  shown(): StatRecord {
    const out = new OutputArchive(STAT_SIZE);
    this.table.writeStat(out, this.slot);
    return StatRecord.read(new InputArchive(out.take()));
  }

  setData(zxid: bigint, time: bigint, version: number, dataLength: number): void {
    this.table.setData(this.slot, zxid, time, version, dataLength);
  }

  setAversion(aversion: number): void {
    this.table.setAversion(this.slot, aversion);
  }

  setCversion(cversion: number): void {
    this.table.setCversion(this.slot, cversion);
  }

  setPzxid(zxid: bigint): void {
    this.table.setPzxid(this.slot, zxid);
  }

  setContentCrc(crc: number): void {
    this.table.setContentCrc(this.slot, crc);
  }

  isIn(table: StatTable): boolean {
    return this.table === table;
  }

  copyTo(table: StatTable): NodeStat {
    return new NodeStat(table, table.allocateCopy(this.table, this.slot));
  }

  /** Nothing may use it afterwards. */
  release(): void {
    this.table.release(this.slot);
  }

  /** Releases all Stats of a table but these, which are in it. */
  static releaseOthers(table: StatTable, kept: Iterable<NodeStat>): void {
    const slots = new Set<number>();
    for (const stat of kept) slots.add(stat.slot);
    table.releaseOthers(slots);
  }
}

/** The Stats of znodes that a tree does not have yet, such as those after pending changes. */
export class PendingStats {
  /** Every Stat in it was made or copied here, and not released. */
  private readonly table = new StatTable();

  get count(): number {
    return this.table.count;
  }

  has(stat: NodeStat): boolean {
    return stat.isIn(this.table);
  }

  copy(stat: NodeStat): NodeStat {
    return stat.copyTo(this.table);
  }

  /**
   * The Stat of a created znode: all counters at 0.
   * @param owner as stored: a session, or a mark
   * @param crc of path and data, and of the path; 0 without digests
   */
  make(
    { zxid, time }: { readonly zxid: bigint; readonly time: bigint },
    owner: bigint,
    { dataLength = 0, crc = 0, pathSum = 0 } = {},
  ): NodeStat {
    const { table } = this;
    const slot = table.allocateNew(zxid, time, owner);
    table.setDataLength(slot, dataLength);
    table.setContentCrc(slot, crc);
    table.setPathCrc(slot, pathSum);
    return new NodeStat(table, slot);
  }

  release(stat: NodeStat): void {
    if (!this.has(stat)) assert(false, 'pending Stats: one of another table is released');
    stat.release();
  }

  /** Releases all but these. */
  releaseOthers(kept: Iterable<NodeStat>): void {
    NodeStat.releaseOthers(this.table, kept);
  }
}
