import { assert } from '../../base/assert.js';
import { crc32 } from '../../base/checksum.js';
import { isDigested, pathCrc, TreeDigest } from '../../files/digest.js';
import {
  type CreateNodeTxn,
  createdOwner,
  partsOf,
  type SetDataTxn,
  type Txn,
  type TxnHead,
} from '../../files/txn.js';
import { dataLength, type ZnodeData } from '../../files/txn-data.js';
import type { InputArchive } from '../../jute/input-archive.js';
import { ustring } from '../../jute/record.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { type ACL, NO_STAT, STAT_PERSISTED_SIZE, type StatPersisted } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { isParentPath, parentPath } from '../../protocol/path.js';
import { READ_ACL_UNSAFE } from '../../protocol/perms.js';
import { QUOTA_ROOT } from '../../protocol/quota.js';
import { AclTable, OPEN_ACL_KEY } from './acl-table.js';
import { ChildTable } from './children.js';
import { ContentTable } from './content-table.js';
import { DataNode } from './data-node.js';
import type {
  DataTreeOptions,
  LoadedNode,
  PreparedNode,
  TreeListener,
} from './data-tree-options.js';
import { DigestHistory, type ZxidDigest } from './digest-history.js';
import { Ephemerals } from './ephemerals.js';
import { NodeTable } from './node-table.js';
import { NO_SLOT, PathTable } from './path-table.js';
import { QuotaUsage } from './quota-usage.js';
import { QuotaPaths } from './quotas.js';
import { StatTable } from './stat-table.js';
import { walk } from './walk.js';

/**
 * The znodes. Only `apply` changes them, and it never refuses. Each change is idempotent, since a
 * replay over a fuzzy snapshot finds some made already. docs/protocol.md has the rules for a Stat.
 */
export class DataTree {
  readonly nodes: PathTable;
  readonly stats = new StatTable();
  readonly table = new NodeTable();
  readonly content = new ContentTable(this.table, this.stats);
  readonly children = new ChildTable(this.table, this.stats);
  readonly acls = new AclTable();
  readonly root: DataNode;
  private readonly ephemerals = new Ephemerals();
  readonly containers = new Set<string>();
  readonly ttls = new Set<string>();
  readonly quotas: QuotaPaths;
  private readonly usage: QuotaUsage;
  readonly digest = new TreeDigest();
  private readonly history = new DigestHistory();
  readonly options: DataTreeOptions;
  listener: TreeListener | null = null;
  lastProcessedZxid = 0n;
  /** The snapshot had no end zxid: the tree has parts of later txns until they are replayed. */
  isFuzzy = false;
  readonly isDigestEnabled: boolean;
  /** Whether digests are computed here, as in a replay and on a follower. If not, prep did. */
  private isDigesting: boolean;
  private readonly isTTLEnabled: boolean;
  private lastParent: DataNode | null = null;
  private lastLoadedParent = NO_SLOT;

  constructor(options: DataTreeOptions = {}) {
    const { isTTLEnabled = false, isDigestEnabled = true } = options;
    this.options = options;
    this.nodes = new PathTable(this.content, options.hashSeed);
    this.quotas = new QuotaPaths(options.hashSeed);
    this.usage = new QuotaUsage(this);
    this.isTTLEnabled = isTTLEnabled;
    this.isDigestEnabled = isDigestEnabled;
    this.isDigesting = isDigestEnabled;
    this.root = this.insert('/', OPEN_ACL_KEY, NO_STAT);
    // Requests for "" reach the root, so Apache's node count includes it twice.
    this.nodes.setNameless(this.root.slot);
  }

  /** Adds /zookeeper and its standard znodes if the snapshot lacked them. */
  addReserved(): this {
    for (const path of ['/zookeeper', '/zookeeper/quota', '/zookeeper/config']) {
      if (this.nodes.get(path) !== NO_SLOT) continue;
      const isConfig = path === '/zookeeper/config';
      const aclKey = isConfig ? this.acls.acquire(READ_ACL_UNSAFE) : OPEN_ACL_KEY;
      const stat = isConfig ? { ...NO_STAT, aversion: -1 } : NO_STAT;
      const node = this.insert(path, aclKey, stat);
      this.children.add(this.parentOf(path).slot, node.slot);
      this.rehash(node);
    }
    return this;
  }

  /** Computes the data that a snapshot does not contain. */
  finishLoading(zxid: bigint): void {
    this.lastProcessedZxid = zxid;
    this.addReserved();
    this.rehash(this.root);
    const quotaRoot = this.get(QUOTA_ROOT);
    for (const { path } of quotaRoot === undefined ? [] : this.walk(quotaRoot)) {
      this.usage.follow(path, true);
    }
  }

  /** Called after each tick. */
  countLate(): void {
    this.usage.countLate();
  }

  /** From now on prep computes the digests, and they come with the txns. */
  stopDigesting(): void {
    this.isDigesting = false;
  }

  startDigesting(): void {
    this.isDigesting = this.isDigestEnabled;
  }

  /** The znode of a prepared write, without another look-up of its path. */
  nodeOf({ node, path }: PreparedNode): DataNode | undefined {
    if (node !== null && this.table.generation(node.slot) === node.generation) return node;
    return this.get(path);
  }

  /** Called when the content changed. */
  private rehash({ path, slot }: DataNode): void {
    if (!this.isDigesting) return;
    this.stats.setContentCrc(slot, this.contentCrc(path, slot));
    this.rehashStat(path, slot);
  }

  /** The CRC-32 of path and data; 0 if the znode does not count. */
  contentCrc(path: string, slot: number): number {
    return isDigested(path) ? this.content.dataCrc(slot, this.stats.pathCrc(slot)) : 0;
  }

  /** Called when only the Stat changed. */
  private rehashStat(path: string, slot: number): void {
    if (!this.isDigesting) return;
    const { stats } = this;
    this.digest.remove(stats.digest(slot));
    const digest = stats.digestOf(path, slot);
    this.digest.add(digest);
    stats.setDigest(slot, digest);
  }

  /** As in Apache's server, the root counts twice. */
  get nodeCount(): number {
    return this.nodes.size;
  }

  get ephemeralsCount(): number {
    return this.ephemerals.count;
  }

  get approximateDataSize(): number {
    return this.content.size;
  }

  get(path: string, hash?: number): DataNode | undefined {
    const slot = this.nodes.get(path, hash);
    return slot === NO_SLOT ? undefined : this.nodeAt(path === '' ? '/' : path, slot);
  }

  /** The znode of a slot; undefined if the slot is free. */
  at(slot: number): DataNode | undefined {
    return this.table.isUsed(slot) ? this.nodeAt(this.content.pathOf(slot), slot) : undefined;
  }

  private nodeAt(path: string, slot: number): DataNode {
    return new DataNode(path, slot, this.table.generation(slot));
  }

  /** Reads a path, mostly without a new string if the znode exists. */
  readPath(input: InputArchive): string {
    const slot = this.nodes.findNext(input);
    if (slot === NO_SLOT) return ustring.read(input);
    const path = this.content.keptPathOf(slot);
    this.nodes.remember(path, slot, this.nodes.foundHash);
    return path;
  }

  aclOf(slot: number): readonly ACL[] {
    return this.acls.get(this.table.aclKey(slot));
  }

  dataOf(node: DataNode): ZnodeData {
    return this.content.textOf(node.slot);
  }

  /** Undefined without a znode. */
  dataAt(path: string): ZnodeData | undefined {
    const slot = this.nodes.get(path);
    return slot === NO_SLOT ? undefined : this.content.textOf(slot);
  }

  *childrenOf(node: DataNode): Generator<DataNode, void, undefined> {
    for (const slot of this.children.of(node.slot)) {
      yield this.nodeAt(this.content.pathOf(slot), slot);
    }
  }

  ephemeralsOf(sessionId: bigint): ReadonlySet<string> {
    return this.ephemerals.of(sessionId);
  }

  sessionsWithEphemerals(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.ephemerals.bySession();
  }

  /** @param prepared where prep decided this txn: what it knows about each changed znode */
  apply(head: TxnHead, txn: Txn, prepared: Prepared = NOT_PREPARED): void {
    if (txn.type === OpCode.multi) {
      for (const part of partsOf(txn.txns)) this.applyPart(head, part);
    } else {
      this.applyPart(head, txn, prepared);
    }
    this.finish(head);
  }

  /** Completes a txn whose parts have been applied. */
  finish(head: TxnHead): void {
    if (head.zxid > this.lastProcessedZxid) this.lastProcessedZxid = head.zxid;
  }

  noteDigest(zxid: bigint): void {
    if (this.isDigestEnabled) this.history.note(zxid, this.digest);
  }

  get digests(): readonly ZxidDigest[] {
    return this.history.digests;
  }

  /** Applies one part of a multi, or another txn; `finish` must follow. */
  applyPart(head: TxnHead, txn: Txn, prepared: Prepared = NOT_PREPARED): void {
    switch (txn.type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        this.applyCreate(head, txn, prepared);
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.applyDelete(txn.path, head.zxid);
        break;
      case OpCode.setData:
      case OpCode.reconfig:
        this.applySetData(head, txn, prepared);
        break;
      case OpCode.setACL:
        this.applySetACL(txn.path, txn.acl, txn.version);
        break;
      case OpCode.closeSession:
        this.applyClose(head, txn.paths ?? []);
        break;
      case OpCode.createSession:
      case OpCode.check:
      case OpCode.error:
        break;
      case OpCode.multi:
        assert(false, 'nested multi');
    }
  }

  private applyCreate(head: TxnHead, txn: CreateNodeTxn, [above, made]: Prepared): void {
    const parent = above === undefined ? this.findParent(txn.path) : this.nodeOf(above);
    if (parent === undefined) return;
    const hash = made?.hash ?? this.nodes.hashOf(txn.path);
    const existing = this.get(txn.path, hash);
    this.raiseParent(parent, txn.parentCVersion, head.zxid);
    if (existing !== undefined) {
      this.changeAcl(existing.slot, txn.acl);
      this.rehashStat(parent.path, parent.slot);
      return;
    }
    const owner = createdOwner(head, txn);
    const slot = this.stats.allocateNew(head.zxid, head.time, owner);
    this.content.add(slot, txn.path, txn.data);
    this.table.setAclKey(slot, this.acls.acquire(txn.acl));
    const node = this.nodeAt(txn.path, slot);
    this.stats.setPathCrc(slot, made?.pathSum ?? this.pathSum(txn.path));
    this.nodes.insert(hash, slot);
    this.nodes.remember(txn.path, slot, hash);
    if (owner !== 0n) this.own(txn.path, slot, owner);
    if (made !== undefined) made.node = node;
    this.children.add(parent.slot, slot);
    this.rehashStat(parent.path, parent.slot);
    this.rehash(node);
    this.usage.follow(node.path);
    this.usage.count(node.path, dataLength(txn.data), 1);
    this.listener?.created(node, parent, head.zxid);
  }

  /** In a replay over a fuzzy snapshot, a parent may be ahead; then it does not change. */
  private raiseParent(parent: DataNode, parentCVersion: number, zxid: bigint): void {
    const current = this.stats.cversion(parent.slot);
    const cversion = parentCVersion === -1 ? (current + 1) | 0 : parentCVersion;
    if (cversion <= current) return;
    this.stats.setCversion(parent.slot, cversion);
    this.stats.setPzxid(parent.slot, zxid);
  }

  private applyDelete(path: string, zxid: bigint): void {
    const parent = this.findParent(path);
    if (parent !== undefined && zxid > this.stats.pzxid(parent.slot)) {
      this.stats.setPzxid(parent.slot, zxid);
      this.rehashStat(parent.path, parent.slot);
    }
    const node = this.get(path);
    if (node === undefined || parent === undefined || node.slot === this.root.slot) return;
    // Only a replay over a fuzzy snapshot finds children, which the log creates again.
    if (this.stats.numChildren(node.slot) > 0) {
      for (const child of [...this.childrenOf(node)]) this.applyDelete(child.path, zxid);
    }
    this.remove(node, parent);
    if (this.isDigesting) this.digest.remove(this.stats.digest(node.slot));
    this.usage.forget(path);
    this.usage.count(path, -this.stats.dataLength(node.slot), -1);
    this.listener?.deleted(node, parent, zxid);
    this.acls.release(this.table.aclKey(node.slot));
    this.children.release(node.slot);
    this.content.remove(node.slot);
    this.table.release(node.slot);
    this.stats.release(node.slot);
  }

  private applyClose({ sessionId, zxid }: TxnHead, paths: readonly string[]): void {
    // Taken at once: a large set is slow to empty one by one.
    const owned = this.ephemerals.take(sessionId);
    for (const path of paths) this.applyDelete(path, zxid);
    for (const path of owned) if (this.nodes.get(path) !== NO_SLOT) this.applyDelete(path, zxid);
  }

  private applySetData(head: TxnHead, txn: SetDataTxn, [prepared]: Prepared): void {
    const node = prepared === undefined ? this.get(txn.path) : this.nodeOf(prepared);
    if (node === undefined) return;
    const length = dataLength(txn.data);
    const grownBy = length - this.stats.dataLength(node.slot);
    this.content.setData(node.slot, txn.data);
    this.stats.setData(node.slot, head.zxid, head.time, txn.version, length);
    this.rehash(node);
    this.usage.count(txn.path, grownBy, 0);
    this.listener?.dataChanged(node, head.zxid);
  }

  /** Sets /zookeeper/config, which each member does without a txn (initConfigInZKDatabase). */
  setConfig(data: string, version: bigint, wallMs: number): void {
    const slot = this.nodes.get('/zookeeper/config');
    if (slot === NO_SLOT) return;
    this.content.setData(slot, data);
    this.stats.setData(slot, version, BigInt(wallMs), -1, data.length);
  }

  private applySetACL(path: string, acl: readonly ACL[], version: number): void {
    const slot = this.nodes.get(path);
    if (slot === NO_SLOT) return;
    this.changeAcl(slot, acl);
    this.stats.setAversion(slot, version);
    this.rehashStat(path, slot);
  }

  private changeAcl(slot: number, acl: readonly ACL[]): void {
    const before = this.table.aclKey(slot);
    this.table.setAclKey(slot, this.acls.acquire(acl));
    this.acls.release(before);
  }

  /**
   * Adds a znode of a snapshot after its parent.
   * @param place its bytes, with a path in valid UTF-8
   * @param isAscii whether the path is in ASCII
   * @returns its slot
   */
  load(place: LoadedNode, acl: readonly ACL[], isAscii: boolean): number {
    const { bytes, start, pathEnd, end } = place;
    const statAt = end - STAT_PERSISTED_SIZE;
    const at = start + 4;
    const length = pathEnd - at;
    const aclKey = this.acls.acquire(acl);
    if (length === 0 || (length === 1 && bytes[at] === SLASH)) {
      const { slot } = this.root;
      this.content.loadData(slot, bytes, pathEnd);
      this.table.setAclKey(slot, aclKey);
      this.stats.setPersisted(slot, bytes, statAt);
      return slot;
    }
    const hash = this.nodes.hashOfBytes(bytes, at, length);
    const twin = this.nodes.find(bytes, at, length, hash);
    // A znode that was deleted and created again during the snapshot may occur twice.
    if (twin !== NO_SLOT) this.applyDelete(this.content.pathOf(twin), 0n);
    const parent = this.parentOfBytes(bytes, at, length);
    const slot = this.stats.allocatePersisted(bytes, statAt);
    this.content.load(slot, bytes, at, pathEnd, isAscii);
    this.table.setAclKey(slot, aclKey);
    this.stats.setPathCrc(slot, this.isDigesting ? crc32(bytes, at, pathEnd) : 0);
    this.nodes.insert(hash, slot);
    if (this.stats.hasOwner(slot)) {
      this.own(this.content.pathOf(slot), slot, this.stats.ephemeralOwner(slot));
    }
    this.children.add(parent, slot);
    if (!this.isDigesting) return slot;
    const path = this.content.pathOf(slot);
    this.stats.setContentCrc(slot, this.contentCrc(path, slot));
    this.rehashStat(path, slot);
    return slot;
  }

  /** Siblings come in runs, so check the last parent first. */
  private parentOfBytes(bytes: Buffer, at: number, length: number): number {
    let end = at + length - 1;
    while (end > at && bytes[end] !== SLASH) end--;
    if (end === at) return this.root.slot;
    const { lastLoadedParent: last } = this;
    if (last !== NO_SLOT && this.content.isAtBytes(last, bytes, at, end - at)) return last;
    const parent = this.nodes.find(bytes, at, end - at);
    assert(parent !== NO_SLOT, `${bytes.toString('utf8', at, at + length)} has no parent`);
    this.lastLoadedParent = parent;
    return parent;
  }

  /** In the order of a snapshot. */
  *walk(from: DataNode = this.root): Generator<DataNode, void, undefined> {
    for (const slot of walk(this.children, from.slot)) {
      yield this.nodeAt(this.content.pathOf(slot), slot);
    }
  }

  /** With "" as data. */
  private insert(path: string, aclKey: number, stat: StatPersisted): DataNode {
    const slot = this.stats.allocate(stat, 0n);
    this.content.add(slot, path, '');
    this.table.setAclKey(slot, aclKey);
    this.stats.setPathCrc(slot, this.pathSum(path));
    this.nodes.insert(this.nodes.hashOf(path), slot);
    return this.nodeAt(path, slot);
  }

  private pathSum(path: string): number {
    return this.isDigestEnabled ? pathCrc(path) : 0;
  }

  private own(path: string, slot: number, owner: bigint): void {
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.add(path);
    else if (kind === 'ttl') this.ttls.add(path);
    else {
      this.stats.setShownOwner(slot, owner);
      this.ephemerals.add(owner, path);
    }
  }

  private remove(node: DataNode, parent: DataNode): void {
    const { path, slot } = node;
    this.nodes.delete(path, slot);
    if (slot === this.lastParent?.slot) this.lastParent = null;
    if (slot === this.lastLoadedParent) this.lastLoadedParent = NO_SLOT;
    this.children.delete(parent.slot, slot);
    if (!this.stats.hasOwner(node.slot)) return;
    const owner = this.stats.ephemeralOwner(node.slot);
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.delete(path);
    else if (kind === 'ttl') this.ttls.delete(path);
    else if (kind === 'session') this.ephemerals.remove(owner, path);
  }

  /** Siblings come in runs, so check the last parent first. */
  private findParent(path: string): DataNode | undefined {
    const { lastParent } = this;
    if (lastParent !== null && isParentPath(lastParent.path, path)) return lastParent;
    const parent = this.get(parentPath(path));
    this.lastParent = parent ?? null;
    return parent;
  }

  private parentOf(path: string): DataNode {
    const parent = this.findParent(path);
    assert(parent !== undefined, `${path} has no parent`);
    return parent;
  }
}

const SLASH = 0x2f;

type Prepared = readonly PreparedNode[];
const NOT_PREPARED: Prepared = [];
