import type { InputArchive } from '../../jute/input-archive.js';
import { ustring } from '../../jute/record.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { type ACL, NO_STAT, type StatPersisted } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { isParentPath, parentPath } from '../../protocol/path.js';
import { READ_ACL_UNSAFE } from '../../protocol/perms.js';
import { LIMIT_NODE, QUOTA_ROOT, STAT_NODE, statPath } from '../../protocol/quota.js';
import { assert } from '../base/assert.js';
import { AclTable, OPEN_ACL_KEY } from './acl-table.js';
import { Children } from './children.js';
import { DataNode, dataLength, type ZnodeData } from './data-node.js';
import type { DataTreeOptions, PreparedNode, TreeListener } from './data-tree-options.js';
import { contentCrc, pathCrc, TreeDigest, tableDigest } from './digest.js';
import { DigestHistory, type ZxidDigest } from './digest-history.js';
import { Ephemerals } from './ephemerals.js';
import { PathTable } from './path-table.js';
import { formatUsage, QuotaPaths, quotaOf, quotaOwner } from './quotas.js';
import { StatTable } from './stat-table.js';
import {
  type CreateNodeTxn,
  createdOwner,
  partsOf,
  type SetDataTxn,
  type Txn,
  type TxnHead,
} from './txn.js';
import { walk } from './walk.js';

/**
 * The znodes. Only `apply` changes them, and it never refuses. Each change is idempotent, since a
 * replay over a fuzzy snapshot finds some made already. docs/protocol.md has the rules for a Stat.
 */
export class DataTree {
  readonly nodes: PathTable;
  readonly stats = new StatTable();
  readonly acls = new AclTable();
  readonly root: DataNode;
  private readonly ephemerals = new Ephemerals();
  readonly containers = new Set<string>();
  readonly ttls = new Set<string>();
  readonly quotas = new QuotaPaths();
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
  private dataSize = 0;

  constructor(options: DataTreeOptions = {}) {
    const { isTTLEnabled = false, isDigestEnabled = true } = options;
    this.options = options;
    this.nodes = new PathTable(options.hashSeed);
    this.isTTLEnabled = isTTLEnabled;
    this.isDigestEnabled = isDigestEnabled;
    this.isDigesting = isDigestEnabled;
    this.root = this.insert('/', '', OPEN_ACL_KEY, NO_STAT);
    // Requests for "" reach the root, so Apache's node count includes it twice.
    this.nodes.set('', this.root);
  }

  /** Adds /zookeeper and its standard znodes if the snapshot lacked them. */
  addReserved(): this {
    for (const path of ['/zookeeper', '/zookeeper/quota', '/zookeeper/config']) {
      if (this.nodes.get(path) !== undefined) continue;
      const isConfig = path === '/zookeeper/config';
      const aclKey = isConfig ? this.acls.acquire(READ_ACL_UNSAFE) : OPEN_ACL_KEY;
      const stat = isConfig ? { ...NO_STAT, aversion: -1 } : NO_STAT;
      const node = this.insert(path, '', aclKey, stat);
      this.addChild(this.parentOf(path), node);
      this.rehash(node);
    }
    return this;
  }

  /** Computes the data that a snapshot does not contain. */
  finishLoading(zxid: bigint): void {
    this.lastProcessedZxid = zxid;
    this.addReserved();
    this.rehash(this.root);
    const quotaRoot = this.nodes.get(QUOTA_ROOT);
    for (const node of quotaRoot === undefined ? [] : walk(quotaRoot)) {
      const limited = quotaOwner(node.path, LIMIT_NODE);
      if (limited !== undefined) this.quotas.add(limited);
      const counted = quotaOwner(node.path, STAT_NODE);
      if (counted !== undefined) this.recount(counted);
    }
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
    if (node !== null && this.nodes.at(node.slot) === node) return node;
    return this.nodes.get(path);
  }

  /** Called when the content changed. */
  private rehash({ path, data, slot }: DataNode): void {
    if (!this.isDigesting) return;
    this.stats.setContentCrc(slot, contentCrc(path, data, this.stats.pathCrc(slot)));
    this.rehashStat(path, slot);
  }

  /** Called when only the Stat changed. */
  private rehashStat(path: string, slot: number): void {
    if (!this.isDigesting) return;
    const { stats } = this;
    this.digest.remove(stats.digest(slot));
    const digest = tableDigest(path, stats, slot);
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
    return this.dataSize;
  }

  get(path: string, hash?: number): DataNode | undefined {
    return this.nodes.get(path, hash);
  }

  /** Reads a path. If the znode exists, its own string: nothing is decoded or hashed again. */
  readPath(input: InputArchive): string {
    const start = input.at;
    const length = input.readInt();
    if (length > 0 && length <= input.remaining) {
      const node = this.nodes.find(input.bytes, input.at, length);
      if (node !== undefined) {
        input.at += length;
        return node.path;
      }
    }
    input.at = start;
    return ustring.read(input);
  }

  aclOf(node: DataNode): readonly ACL[] {
    return this.acls.get(node.aclKey);
  }

  ephemeralsOf(sessionId: bigint): ReadonlySet<string> {
    return this.ephemerals.of(sessionId);
  }

  *sessionsWithEphemerals(): Generator<[sessionIdHex: string, paths: ReadonlySet<string>]> {
    yield* this.ephemerals.bySession();
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
        for (const path of txn.paths ?? []) this.applyDelete(path, head.zxid);
        for (const path of [...this.ephemeralsOf(head.sessionId)])
          this.applyDelete(path, head.zxid);
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
    const existing = this.nodes.get(txn.path, hash);
    this.raiseParent(parent, txn.parentCVersion, head.zxid);
    if (existing !== undefined) {
      this.changeAcl(existing, txn.acl);
      this.rehashStat(parent.path, parent.slot);
      return;
    }
    const owner = createdOwner(head, txn);
    const slot = this.stats.allocateNew(head.zxid, head.time, owner);
    const aclKey = this.acls.acquire(txn.acl);
    const node = this.place(txn.path, txn.data, aclKey, slot, owner, hash, made?.pathSum);
    if (made !== undefined) made.node = node;
    this.addChild(parent, node);
    this.rehashStat(parent.path, parent.slot);
    this.rehash(node);
    this.followQuotas(node.path);
    this.countUsage(node.path, dataLength(node.data), 1);
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
    const node = this.nodes.get(path);
    if (node === undefined || parent === undefined || node === this.root) return;
    // Only a replay over a fuzzy snapshot finds children, which the log creates again.
    if (node.numChildren > 0) {
      for (const child of [...(node.children ?? [])]) this.applyDelete(child.path, zxid);
    }
    this.remove(node, parent);
    if (this.isDigesting) this.digest.remove(this.stats.digest(node.slot));
    const owner = quotaOwner(path, LIMIT_NODE);
    if (owner !== undefined) this.quotas.delete(owner);
    this.countUsage(path, -dataLength(node.data), -1);
    this.listener?.deleted(node, parent, zxid);
    this.stats.release(node.slot);
    this.acls.release(node.aclKey);
  }

  private applySetData(head: TxnHead, txn: SetDataTxn, [prepared]: Prepared): void {
    const node = prepared === undefined ? this.nodes.get(txn.path) : this.nodeOf(prepared);
    if (node === undefined) return;
    const length = dataLength(txn.data);
    const grownBy = length - dataLength(node.data);
    this.dataSize += grownBy;
    node.data = txn.data;
    this.stats.setData(node.slot, head.zxid, head.time, txn.version, length);
    this.rehash(node);
    this.countUsage(txn.path, grownBy, 0);
    this.listener?.dataChanged(node, head.zxid);
  }

  /** Sets /zookeeper/config, which each member does without a txn (initConfigInZKDatabase). */
  setConfig(text: string, version: bigint, wallMs: number): void {
    const node = this.nodes.get('/zookeeper/config');
    if (node === undefined) return;
    this.dataSize += text.length - dataLength(node.data);
    node.data = text;
    this.stats.setData(node.slot, version, BigInt(wallMs), -1, text.length);
  }

  private applySetACL(path: string, acl: readonly ACL[], version: number): void {
    const node = this.nodes.get(path);
    if (node === undefined) return;
    this.changeAcl(node, acl);
    this.stats.setAversion(node.slot, version);
    this.rehashStat(path, node.slot);
  }

  private followQuotas(path: string): void {
    if (!path.startsWith(QUOTA_ROOT)) return;
    const limited = quotaOwner(path, LIMIT_NODE);
    if (limited !== undefined) this.quotas.add(limited);
    const counted = quotaOwner(path, STAT_NODE);
    if (counted !== undefined) this.recount(counted);
  }

  private countUsage(path: string, bytes: number, count: number): void {
    const owner = this.quotas.above(path);
    const node = owner === undefined ? undefined : this.nodes.get(statPath(owner));
    if (node === undefined) return;
    const usage = quotaOf(node.data);
    this.setUsage(node, usage.count + count, usage.bytes + bytes);
  }

  private recount(owner: string): void {
    const node = this.nodes.get(statPath(owner));
    const top = this.nodes.get(owner);
    if (node === undefined) return;
    let count = 0;
    let bytes = 0;
    for (const counted of top === undefined ? [] : walk(top)) {
      count++;
      bytes += dataLength(counted.data);
    }
    this.setUsage(node, count, bytes);
  }

  /** No txn and no new version: each server counts for itself. */
  private setUsage(node: DataNode, count: number, bytes: number): void {
    const data = formatUsage(count, bytes);
    this.dataSize += data.length - dataLength(node.data);
    node.data = data;
    this.stats.setDataLength(node.slot, data.length);
  }

  private changeAcl(node: DataNode, acl: readonly ACL[]): void {
    const before = node.aclKey;
    node.aclKey = this.acls.acquire(acl);
    this.acls.release(before);
  }

  /**
   * Adds a znode of a snapshot after its parent.
   * @param stat contains the 60 bytes of its StatPersisted, from `statAt`
   * @param pathSum the CRC-32 of the path
   * @param crc the CRC-32 of path and data
   * @returns its slot
   */
  load(
    path: string,
    data: ZnodeData,
    acl: readonly ACL[],
    stat: Uint8Array,
    statAt = 0,
    pathSum = pathCrc(path),
    crc = contentCrc(path, data, pathSum),
  ): number {
    const aclKey = this.acls.acquire(acl);
    if (path !== '' && path !== '/') {
      const hash = this.nodes.hashOf(path);
      // A znode that was deleted and created again during the snapshot may occur twice.
      if (this.nodes.get(path, hash) !== undefined) this.applyDelete(path, 0n);
      const slot = this.stats.allocatePersisted(stat, statAt, dataLength(data));
      const owner = this.stats.hasOwner(slot) ? this.stats.ephemeralOwner(slot) : 0n;
      const node = this.place(path, data, aclKey, slot, owner, hash, pathSum);
      this.addChild(this.parentOf(path), node);
      if (this.isDigesting) this.stats.setContentCrc(slot, crc);
      this.rehashStat(path, slot);
      return slot;
    }
    const { root } = this;
    this.dataSize += dataLength(data) - dataLength(root.data);
    root.data = data;
    root.aclKey = aclKey;
    this.stats.setPersisted(root.slot, stat, statAt, dataLength(data), root.numChildren);
    return root.slot;
  }

  /** In the order of a snapshot. */
  walk(from: DataNode = this.root): Iterable<DataNode> {
    return walk(from);
  }

  private insert(path: string, data: ZnodeData, aclKey: number, stat: StatPersisted): DataNode {
    const slot = this.stats.allocate(stat, 0n, dataLength(data));
    return this.place(path, data, aclKey, slot, stat.ephemeralOwner);
  }

  private place(
    path: string,
    data: ZnodeData,
    aclKey: number,
    slot: number,
    owner: bigint,
    hash = this.nodes.hashOf(path),
    pathSum = this.isDigestEnabled ? pathCrc(path) : 0,
  ): DataNode {
    const length = dataLength(data);
    this.stats.setDataLength(slot, length);
    this.stats.setPathCrc(slot, pathSum);
    const node = new DataNode(path, data, aclKey, slot);
    this.nodes.set(path, node, hash);
    this.dataSize += path.length + length;
    if (owner === 0n) return node;
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.add(path);
    else if (kind === 'ttl') this.ttls.add(path);
    else {
      this.stats.setShownOwner(slot, owner);
      this.ephemerals.add(owner, path);
    }
    return node;
  }

  private remove(node: DataNode, parent: DataNode): void {
    const { path } = node;
    this.nodes.delete(path);
    if (node === this.lastParent) this.lastParent = null;
    this.dataSize -= path.length + dataLength(node.data);
    parent.children?.delete(node);
    this.stats.setNumChildren(parent.slot, parent.numChildren);
    if (!this.stats.hasOwner(node.slot)) return;
    const owner = this.stats.ephemeralOwner(node.slot);
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.delete(path);
    else if (kind === 'ttl') this.ttls.delete(path);
    else if (kind === 'session') this.ephemerals.remove(owner, path);
  }

  private addChild(parent: DataNode, child: DataNode): void {
    parent.children ??= new Children();
    parent.children.add(child);
    this.stats.setNumChildren(parent.slot, parent.children.size);
  }

  /** Siblings come in runs, so check the last parent first. */
  private findParent(path: string): DataNode | undefined {
    const { lastParent } = this;
    if (lastParent !== null && isParentPath(lastParent.path, path)) return lastParent;
    const parent = this.nodes.get(parentPath(path));
    this.lastParent = parent ?? null;
    return parent;
  }

  private parentOf(path: string): DataNode {
    const parent = this.findParent(path);
    assert(parent !== undefined, `${path} has no parent`);
    return parent;
  }
}

type Prepared = readonly PreparedNode[];
const NOT_PREPARED: Prepared = [];
