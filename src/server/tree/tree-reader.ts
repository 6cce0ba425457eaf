import { assert } from '../../base/assert.js';
import { type SnapshotAcl, writeAclKey } from '../../files/snapshot.js';
import type { ZnodeData } from '../../files/txn-data.js';
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { type ACL, STAT_PERSISTED_SIZE } from '../../protocol/data.js';
import { AclTable } from './acl-table.js';
import { ChildTable } from './children.js';
import { ContentTable } from './content-table.js';
import { NodeStat } from './node-stat.js';
import { NodeTable } from './node-table.js';
import { NO_SLOT, PathTable } from './path-table.js';
import { slotOf, znodeAt, znodesAt } from './slots.js';
import { StatTable } from './stat-table.js';
import type { Znode } from './znode.js';

/** The lengths of path and data, the key of the ACL, and the Stat. */
const SNAPSHOT_NODE_SIZE = 4 + 4 + 8 + STAT_PERSISTED_SIZE;

/**
 * What the server may ask about znodes. Nothing here changes one. A read finds its znode once, and
 * then asks for the parts by it: without an object, and without a string of its path or data.
 */
export abstract class TreeReader {
  protected readonly nodes: PathTable;
  /** A slot is allocated here, and released last. */
  protected readonly stats = new StatTable();
  protected readonly table = new NodeTable();
  protected readonly content = new ContentTable(this.table, this.stats);
  protected readonly children = new ChildTable(this.table, this.stats);
  protected readonly acls = new AclTable();
  abstract readonly root: Znode;

  /** @param hashSeed DataTreeOptions.hashSeed */
  constructor(hashSeed?: number) {
    this.nodes = new PathTable(this.content, hashSeed);
  }

  /** As in Apache's server, the root counts twice. */
  get nodeCount(): number {
    return this.nodes.size;
  }

  get approximateDataSize(): number {
    return this.content.size;
  }

  /** The bytes of a snapshot, but for sessions and ACLs. */
  get snapshotSize(): number {
    return this.content.size + this.nodes.size * SNAPSHOT_NODE_SIZE;
  }

  /** Callers that use a path several times can compute its hash once. */
  hashOf(path: string): number {
    return this.nodes.hashOf(path);
  }

  get(path: string, hash?: number): Znode | undefined {
    return found(this.nodes.get(path, hash));
  }

  /** Reads a path, mostly without a string, and finds its znode. */
  read(input: InputArchive): Znode | undefined {
    return found(this.nodes.read(input));
  }

  /** The same, but reads nothing unless it finds the znode, and perhaps not then. */
  peek(input: InputArchive): Znode | undefined {
    return found(this.nodes.findNext(input));
  }

  /** Reads a path, mostly without decoding it if its znode exists. */
  readPath(input: InputArchive): string {
    return this.nodes.readPath(input);
  }

  /** Differs between the znodes that have the same Znode one after the other. */
  generationOf(znode: Znode): number {
    return this.table.generation(slotOf(znode));
  }

  pathOf(znode: Znode): string {
    return this.content.pathOf(slotOf(znode));
  }

  /** The length of the path as a string. */
  pathLength(znode: Znode): number {
    return this.content.pathLength(slotOf(znode));
  }

  /** Whether it has this path, not "/", or is below it; false if not all is in ASCII. */
  isBelow(znode: Znode, top: string): boolean {
    return this.content.isBelow(slotOf(znode), top);
  }

  aclOf(znode: Znode): readonly ACL[] {
    return this.acls.get(this.table.aclKey(slotOf(znode)));
  }

  /** The key of its ACL in `aclEntries`. */
  aclKeyOf(znode: Znode): number {
    return this.table.aclKey(slotOf(znode));
  }

  aclEntries(): Generator<SnapshotAcl> {
    return this.acls.entries();
  }

  dataOf(znode: Znode): ZnodeData {
    return this.content.textOf(slotOf(znode));
  }

  /** A view, valid until any znode changes. */
  viewOf(znode: Znode): Buffer | null {
    return this.content.dataOf(slotOf(znode));
  }

  /** Undefined without a znode. */
  dataAt(path: string): ZnodeData | undefined {
    const slot = this.nodes.get(path);
    return slot === NO_SLOT ? undefined : this.content.textOf(slot);
  }

  dataLength(znode: Znode): number {
    return this.stats.dataLength(slotOf(znode));
  }

  /** Whether it has a stored ephemeralOwner. */
  hasOwner(znode: Znode): boolean {
    return this.stats.hasOwner(slotOf(znode));
  }

  numChildren(znode: Znode): number {
    return this.stats.numChildren(slotOf(znode));
  }

  /** An object, so a read does without. */
  statOf(znode: Znode): NodeStat {
    return new NodeStat(this.stats, slotOf(znode));
  }

  /** Whether it was created after a zxid. */
  isYounger(znode: Znode, zxid: bigint): boolean {
    return this.stats.isYounger(slotOf(znode), zxid);
  }

  /** Writes the Stat for clients. */
  writeStat(out: OutputArchive, znode: Znode): void {
    this.stats.writeStat(out, slotOf(znode));
  }

  /** Writes the data as a jute buffer. */
  writeData(out: OutputArchive, znode: Znode): void {
    this.content.writeData(out, slotOf(znode));
  }

  /** Writes the znode in the format of a snapshot. */
  writeNode(out: OutputArchive, znode: Znode): void {
    const { content, stats, table } = this;
    const slot = slotOf(znode);
    assert(table.isUsed(slot), 'snapshot: a znode that was deleted', slot);
    if (znode === this.root) {
      // Its path is "" in a file.
      out.writeInt(0);
      content.writeData(out, slot);
    } else {
      content.writeTo(out, slot);
    }
    writeAclKey(out, table.aclKey(slot));
    stats.writePersisted(out, slot);
  }

  /** Tolerates changes: it skips children that are deleted meanwhile, and may miss new ones. */
  childrenOf(znode: Znode): Generator<Znode, void> {
    return znodesAt(this.children.of(slotOf(znode)));
  }

  /** Where the names of the children begin in their paths, in bytes (writeName). */
  nameStart(parent: Znode): number {
    return this.content.prefixLength(slotOf(parent));
  }

  /** Writes the name of a child as a jute string. @param start of its parent */
  writeName(out: OutputArchive, child: Znode, start: number): void {
    this.content.writePath(out, slotOf(child), start);
  }

  /** The size of the names of the children, in bytes. */
  sizeOfNames(parent: Znode): number {
    const { children, content } = this;
    const before = content.prefixLength(slotOf(parent)) + 1;
    let size = 0;
    for (const slot of children.of(slotOf(parent))) size += content.prefixLength(slot) - before;
    return size;
  }

  /**
   * Writes the names of the children as a jute vector, until they exceed a limit in bytes. Returns
   * their size.
   */
  writeNames(out: OutputArchive, parent: Znode, limit: number): number {
    const { stats, children, content } = this;
    const count = stats.numChildren(slotOf(parent));
    const headSize = 4 * (count + 1);
    const begin = out.length + headSize;
    out.writeInt(count);
    const start = content.prefixLength(slotOf(parent));
    let written = 0;
    for (const slot of children.placesOf(slotOf(parent))) {
      if (slot >= 0) {
        content.writePath(out, slot, start);
        written++;
      }
      if (out.length - begin > limit) return out.length - begin;
    }
    if (written !== count) assert(false, 'reply order: a list with another count', written, count);
    return count === 0 ? 0 : out.length - begin;
  }

  /**
   * A znode and all below it, parents before children: the order of a snapshot. Tolerates changes:
   * a deleted znode leaves its parent, parents are deleted last, and new ones may be missed.
   */
  walk(from: Znode = this.root): Generator<Znode, void> {
    return znodesAt(this.children.walk(slotOf(from)));
  }

  /** The paths of a walk. */
  *paths(from: Znode = this.root): Generator<string, void, undefined> {
    for (const slot of this.children.walk(slotOf(from))) yield this.content.pathOf(slot);
  }
}

function found(slot: number): Znode | undefined {
  return slot === NO_SLOT ? undefined : znodeAt(slot);
}
