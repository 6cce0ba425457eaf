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
import { dataLength } from '../../files/txn-data.js';
import { lowOf } from '../../jute/long.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { type ACL, NO_STAT, STAT_PERSISTED_SIZE, type StatPersisted } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { parentPath } from '../../protocol/path.js';
import { READ_ACL_UNSAFE } from '../../protocol/perms.js';
import { QUOTA_ROOT } from '../../protocol/quota.js';
import { OPEN_ACL_KEY } from './acl-table.js';
import { Ephemerals } from './ephemerals.js';
import { NO_SLOT } from './path-table.js';
import { QuotaUsage } from './quota-usage.js';
import { QuotaPaths } from './quotas.js';
import { slotOf, znodeAt } from './slots.js';
import { TreeAudit } from './tree-audit.js';
import { TreeReader } from './tree-reader.js';
import type { Znode } from './znode.js';

/** Notified of each change in order, to trigger watches. */
export interface TreeListener {
  created(path: string, node: Znode, parent: Znode, zxid: bigint): void;
  /** Called while the tree still answers for the znode. */
  deleted(path: string, node: Znode, parent: Znode, zxid: bigint): void;
  dataChanged(path: string, node: Znode, zxid: bigint): void;
}

/**
 * What prep found out about a znode that a txn changes, so that no later step looks it up again. A
 * create has the parent first, then the new znode.
 */
export interface PreparedNode {
  readonly path: string;
  /** Null if the znode did not exist then. */
  znode: Znode | null;
  /** Of `znode`: another one may have its place when the txn is applied. */
  generation: number;
  /** The hash of the path, as in the path table. */
  readonly hash: number;
  /** The CRC-32 of the path; 0 without digests. */
  readonly pathSum: number;
}

export interface DataTreeOptions {
  /** extendedTypesEnabled: an owner with a top byte of 0xff is a time to live. */
  readonly isTTLEnabled?: boolean;
  /** digest.enabled */
  readonly isDigestEnabled?: boolean;
  /** Seeds the hashes of paths: 32 random bits that no client knows. */
  readonly hashSeed?: number;
}

/** The bytes of a znode of a snapshot (files/node-place.ts). */
export interface LoadedNode {
  readonly bytes: Buffer;
  readonly start: number;
  readonly pathEnd: number;
  readonly end: number;
}

/** Of `count` znodes; a part of SnapshotSums. */
interface Sums {
  readonly count: number;
  readonly words: Uint32Array;
}

/** The digest of the tree right after the txn `zxid`. */
export interface ZxidDigest {
  readonly zxid: bigint;
  readonly digest: bigint;
}

/** For `hash`: one digest per INTERVAL txns (a power of 2), at most LIMIT. */
const DIGEST_INTERVAL = 128;
const DIGEST_LIMIT = 1024;
/** The words of a znode in `takeSums`. */
const SUMS = 3;

/**
 * The znodes. Only `apply` changes them, and it never refuses. Each change is idempotent, since a
 * replay over a fuzzy snapshot finds some made already. docs/protocol.md has the rules for a Stat.
 */
export class DataTree extends TreeReader {
  readonly root: Znode;
  /** The paths of ephemerals by session: those of the znodes in the tree with such an owner. */
  private readonly ephemerals = new Ephemerals();
  /** The paths of the containers and TTL nodes in the tree. */
  readonly containers = new Set<string>();
  readonly ttls = new Set<string>();
  readonly quotas: QuotaPaths;
  private readonly usage: QuotaUsage;
  /** The sum of the digests of all znodes, between two txns. */
  readonly digest = new TreeDigest();
  /** The digests of past txns, by growing zxid. */
  readonly digests: ZxidDigest[] = [];
  readonly options: DataTreeOptions;
  /** Null while nobody serves this tree. */
  listener: TreeListener | null = null;
  /** All txns up to it are applied; it only grows. */
  lastProcessedZxid = 0n;
  /** The snapshot had no end zxid: the tree has parts of later txns until they are replayed. */
  isFuzzy = false;
  readonly isDigestEnabled: boolean;
  /** Whether digests are computed here, as in a replay and on a follower. If not, prep did. */
  private isDigesting: boolean;
  private readonly isTTLEnabled: boolean;
  /**
   * A cache: the parent of the znode that was loaded last, in the tree; NO_SLOT for none. Siblings
   * come in runs. Without it, the load of a snapshot takes 15 % longer; with PathTable's, 12 %.
   */
  private lastLoadedParent = NO_SLOT;

  constructor(options: DataTreeOptions = {}) {
    super(options.hashSeed);
    const { isTTLEnabled = false, isDigestEnabled = true } = options;
    this.options = options;
    const { nodes, children, content, stats } = this;
    this.quotas = new QuotaPaths(options.hashSeed);
    this.usage = new QuotaUsage({ nodes, children, content, stats, quotas: this.quotas });
    this.isTTLEnabled = isTTLEnabled;
    this.isDigestEnabled = isDigestEnabled;
    this.isDigesting = isDigestEnabled;
    const root = this.insert('/', OPEN_ACL_KEY, NO_STAT);
    this.root = znodeAt(root);
    // Requests for "" reach the root, so Apache's node count includes it twice.
    nodes.setNameless(root);
  }

  /** Adds /zookeeper and its standard znodes if the snapshot lacked them. */
  addReserved(): this {
    for (const path of ['/zookeeper', '/zookeeper/quota', '/zookeeper/config']) {
      if (this.nodes.get(path) !== NO_SLOT) continue;
      const isConfig = path === '/zookeeper/config';
      const aclKey = isConfig ? this.acls.acquire(READ_ACL_UNSAFE) : OPEN_ACL_KEY;
      const stat = isConfig ? { ...NO_STAT, aversion: -1 } : NO_STAT;
      const slot = this.insert(path, aclKey, stat);
      const parent = this.nodes.get(parentPath(path));
      assert(parent !== NO_SLOT, 'tree: a reserved znode without a parent', path);
      this.children.add(parent, slot);
      this.rehash(path, slot);
    }
    return this;
  }

  /** Computes the data that a snapshot does not contain. */
  finishLoading(zxid: bigint): void {
    this.lastProcessedZxid = zxid;
    this.addReserved();
    this.rehash('/', slotOf(this.root));
    const quotaRoot = this.get(QUOTA_ROOT);
    if (quotaRoot === undefined) return;
    for (const path of this.paths(quotaRoot)) this.usage.follow(path, true);
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
  nodeOf(prepared: PreparedNode): Znode | undefined {
    const slot = this.slotFor(prepared);
    return slot === NO_SLOT ? undefined : znodeAt(slot);
  }

  /** NO_SLOT without a znode. */
  private slotFor({ znode, generation, path }: PreparedNode): number {
    if (znode !== null && this.generationOf(znode) === generation) return slotOf(znode);
    return this.nodes.get(path);
  }

  /** Checks this tree while it serves. */
  audit(intervalMs: number): TreeAudit {
    const { stats, table, content } = this;
    return new TreeAudit(this, { stats, table, content }, intervalMs);
  }

  /** Called when the content changed. */
  private rehash(path: string, slot: number): void {
    if (!this.isDigesting) return;
    this.stats.setContentCrc(slot, this.contentCrc(path, slot));
    this.rehashStat(path, slot);
  }

  /** The CRC-32 of path and data; 0 if the znode does not count. */
  private contentCrc(path: string, slot: number): number {
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

  get ephemeralsCount(): number {
    return this.ephemerals.count;
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
    if (!this.isDigestEnabled || (lowOf(zxid) & (DIGEST_INTERVAL - 1)) !== 0) return;
    this.digests.push({ zxid, digest: this.digest.value });
    if (this.digests.length > DIGEST_LIMIT) this.digests.shift();
  }

  /** Prep computed the digest of a znode, and its CRC-32 of path and data. */
  takeDigest(node: Znode, digest: number, contentCrc: number): void {
    this.stats.setDigest(slotOf(node), digest);
    this.stats.setContentCrc(slotOf(node), contentCrc);
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
        assert(false, 'multi: a nested one', head.zxid);
    }
  }

  private applyCreate(head: TxnHead, txn: CreateNodeTxn, [above, made]: Prepared): void {
    const { path } = txn;
    const parent = above === undefined ? this.nodes.get(parentPath(path)) : this.slotFor(above);
    if (parent === NO_SLOT) return;
    const hash = made?.hash ?? this.nodes.hashOf(path);
    const existing = this.nodes.get(path, hash);
    this.raiseParent(parent, txn.parentCVersion, head.zxid);
    if (existing !== NO_SLOT) {
      this.changeAcl(existing, txn.acl);
      this.rehashParent(path, parent);
      return;
    }
    const owner = createdOwner(head, txn);
    const slot = this.stats.allocateNew(head.zxid, head.time, owner);
    this.content.add(slot, path, txn.data);
    this.table.setAclKey(slot, this.acls.acquire(txn.acl));
    this.stats.setPathCrc(slot, made?.pathSum ?? this.pathSum(path));
    this.nodes.insert(hash, slot);
    this.nodes.remember(path, slot, hash);
    if (owner !== 0n) this.own(path, slot, owner);
    const node = znodeAt(slot);
    if (made !== undefined) {
      made.znode = node;
      made.generation = this.table.generation(slot);
    }
    this.children.add(parent, slot);
    this.rehashParent(path, parent);
    this.rehash(path, slot);
    this.usage.follow(path);
    this.usage.count(path, dataLength(txn.data), 1);
    this.listener?.created(path, node, znodeAt(parent), head.zxid);
  }

  /** In a replay over a fuzzy snapshot, a parent may be ahead; then it does not change. */
  private raiseParent(parent: number, parentCVersion: number, zxid: bigint): void {
    const current = this.stats.cversion(parent);
    const cversion = parentCVersion === -1 ? (current + 1) | 0 : parentCVersion;
    if (cversion <= current) return;
    this.stats.setCversion(parent, cversion);
    this.stats.setPzxid(parent, zxid);
  }

  /** Called when only the Stat of the parent of `path` changed. */
  private rehashParent(path: string, parent: number): void {
    if (this.isDigesting) this.rehashStat(parentPath(path), parent);
  }

  private applyDelete(path: string, zxid: bigint): void {
    const slot = this.nodes.get(path);
    const root = slotOf(this.root);
    if (slot === root) return;
    const parent = slot === NO_SLOT ? this.nodes.get(parentPath(path)) : this.table.parent(slot);
    if (parent === NO_SLOT) return;
    if (zxid > this.stats.pzxid(parent)) {
      this.stats.setPzxid(parent, zxid);
      this.rehashParent(path, parent);
    }
    if (slot === NO_SLOT) return;
    // Only a replay over a fuzzy snapshot finds children, which the log creates again.
    if (this.stats.numChildren(slot) > 0) {
      for (const child of [...this.children.of(slot)]) {
        this.applyDelete(this.content.pathOf(child), zxid);
      }
    }
    this.remove(path, slot, parent);
    if (this.isDigesting) this.digest.remove(this.stats.digest(slot));
    this.usage.forget(path);
    this.usage.count(path, -this.stats.dataLength(slot), -1);
    this.listener?.deleted(path, znodeAt(slot), znodeAt(parent), zxid);
    this.acls.release(this.table.aclKey(slot));
    this.children.release(slot);
    this.content.remove(slot);
    this.table.release(slot);
    this.stats.release(slot);
  }

  private applyClose({ sessionId, zxid }: TxnHead, paths: readonly string[]): void {
    // Taken at once: a large set is slow to empty one by one.
    const owned = this.ephemerals.take(sessionId);
    for (const path of paths) this.applyDelete(path, zxid);
    for (const path of owned) if (this.nodes.get(path) !== NO_SLOT) this.applyDelete(path, zxid);
  }

  private applySetData(head: TxnHead, txn: SetDataTxn, [prepared]: Prepared): void {
    const { path, data } = txn;
    const slot = prepared === undefined ? this.nodes.get(path) : this.slotFor(prepared);
    if (slot === NO_SLOT) return;
    const length = dataLength(data);
    const grownBy = length - this.stats.dataLength(slot);
    this.content.setData(slot, data);
    this.stats.setData(slot, head.zxid, head.time, txn.version, length);
    this.rehash(path, slot);
    this.usage.count(path, grownBy, 0);
    this.listener?.dataChanged(path, znodeAt(slot), head.zxid);
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
   */
  load(place: LoadedNode, acl: readonly ACL[], isAscii: boolean): Znode {
    const { bytes, start, pathEnd, end } = place;
    const statAt = end - STAT_PERSISTED_SIZE;
    const at = start + 4;
    const length = pathEnd - at;
    const aclKey = this.acls.acquire(acl);
    if (length === 0 || (length === 1 && bytes[at] === SLASH)) {
      const root = slotOf(this.root);
      this.content.loadData(root, bytes, pathEnd);
      this.table.setAclKey(root, aclKey);
      this.stats.setPersisted(root, bytes, statAt);
      return this.root;
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
    if (!this.isDigesting) return znodeAt(slot);
    const path = this.content.pathOf(slot);
    this.stats.setContentCrc(slot, this.contentCrc(path, slot));
    this.rehashStat(path, slot);
    return znodeAt(slot);
  }

  private parentOfBytes(bytes: Buffer, at: number, length: number): number {
    let end = at + length - 1;
    while (end > at && bytes[end] !== SLASH) end--;
    if (end === at) return slotOf(this.root);
    const { lastLoadedParent: last } = this;
    if (last !== NO_SLOT && this.content.isAtBytes(last, bytes, at, end - at)) return last;
    const parent = this.nodes.find(bytes, at, end - at);
    assert(parent !== NO_SLOT, `${bytes.toString('utf8', at, at + length)} has no parent`);
    this.lastLoadedParent = parent;
    return parent;
  }

  /**
   * Gives the znodes of a snapshot their sums: three words each, the CRC-32 of the path, of path
   * and data, and the digest. The root keeps its own.
   * @param nodes in the order of the file; a later one may be that of an earlier one
   */
  takeSums(nodes: readonly Znode[], { count, words }: Sums): void {
    const { stats, table, root } = this;
    assert(count === nodes.length, 'snapshot sums: znodes summed and loaded', count, nodes.length);
    const size = words.length;
    assert(SUMS * count <= size, 'snapshot sums: words for the znodes', size, count);
    for (let i = 0; i < count; i++) {
      const node = nodes[i] as Znode;
      if (node === root) continue;
      const slot = slotOf(node);
      assert(slot >= 0 && slot < stats.slots, 'snapshot sums: of no znode', slot, stats.slots);
      stats.setPathCrc(slot, words[SUMS * i] as number);
      stats.setContentCrc(slot, words[SUMS * i + 1] as number);
      stats.setDigest(slot, words[SUMS * i + 2] as number);
    }
    for (let slot = 0; slot < stats.slots; slot++) {
      if (table.isUsed(slot) && slot !== slotOf(root)) this.digest.add(stats.digest(slot));
    }
  }

  /** With "" as data. */
  private insert(path: string, aclKey: number, stat: StatPersisted): number {
    const slot = this.stats.allocate(stat, 0n);
    this.content.add(slot, path, '');
    this.table.setAclKey(slot, aclKey);
    this.stats.setPathCrc(slot, this.pathSum(path));
    this.nodes.insert(this.nodes.hashOf(path), slot);
    return slot;
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

  private remove(path: string, slot: number, parent: number): void {
    this.nodes.delete(path, slot);
    if (slot === this.lastLoadedParent) this.lastLoadedParent = NO_SLOT;
    this.children.delete(parent, slot);
    if (!this.stats.hasOwner(slot)) return;
    const owner = this.stats.ephemeralOwner(slot);
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.delete(path);
    else if (kind === 'ttl') this.ttls.delete(path);
    else if (kind === 'session') this.ephemerals.remove(owner, path);
  }
}

const SLASH = 0x2f;

type Prepared = readonly PreparedNode[];
const NOT_PREPARED: Prepared = [];
