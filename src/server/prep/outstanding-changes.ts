/**
 * The tree after all proposed writes. Prep decides against it, because two writes in flight would
 * otherwise both see the version before them. A record stays until its txn is applied
 * (PrepRequestProcessor's outstandingChanges).
 *
 * Only `put`, `close`, `rollBack`, `undo`, `settle`, and `closed` change this state.
 */

import { assert, halfDone } from '../../base/assert.js';
import { LongMap } from '../../base/long-map.js';
import { TreeDigest } from '../../files/digest.js';
import type { ACL, StatRecord } from '../../protocol/data.js';
import type { DataTree } from '../tree/data-tree.js';
import { type NodeStat, PendingStats } from '../tree/node-stat.js';
import { ChangeRecord } from './change-record.js';
import { PendingRecords } from './pending-records.js';
import { PendingUsage, type UsageChange } from './pending-usage.js';

/** The path of a new znode, with its sums and those of its data. */
export interface NewNode {
  readonly path: string;
  /** As in the path table. */
  readonly hash: number;
  readonly dataLength: number;
  /** The CRC-32 of the path, and of path and data; 0 without digests. */
  readonly pathSum: number;
  readonly crc: number;
}

/** A pending close of a session. A session may have many ephemerals, and few have a record. */
interface PendingClose {
  readonly zxid: bigint;
  /** The ephemerals without a record, and the sum of their digests. */
  readonly unrecorded: readonly string[];
  readonly digest: TreeDigest;
  /** What the ephemerals without a record free; counted again when the quotas change. */
  usage: readonly UsageChange[];
}

/** What a close deletes. */
export interface Ephemerals {
  readonly paths: readonly string[];
  /** The newest records of those that have one. */
  readonly pending: readonly ChangeRecord[];
  /** The others, and the sum of their digests. */
  readonly unrecorded: readonly string[];
  readonly digest: TreeDigest;
}

export class OutstandingChanges {
  /** The digest of the tree after all pending changes; that of the tree without any. */
  readonly digest = new TreeDigest();
  /** The sum of `usage` over all pending records and closes. */
  readonly usage = new PendingUsage();
  private readonly tree: DataTree;
  private readonly isDigestEnabled: boolean;
  /** One Stat for each pending record, and no other. */
  private readonly stats = new PendingStats();
  /** The newest record of each path with a pending change; each links to older ones. */
  private readonly newest = new PendingRecords();
  /** Pending creates of ephemerals by owner. Records, because a name may be used again. */
  private readonly creating = new LongMap<Set<ChangeRecord>>();
  /**
   * Pending closes by session, until they are applied. An ephemeral of such a session in the tree
   * exists only if it has a record that says so.
   */
  private readonly closing = new Map<bigint, PendingClose>();
  /** The version of the tree's quotas that `usage` counts for. */
  private quotaChanges: number;
  /** Puts, complete or not, that were neither taken back nor settled; at least the paths. */
  puts = 0;

  constructor(tree: DataTree, isDigestEnabled: boolean) {
    this.tree = tree;
    this.isDigestEnabled = isDigestEnabled;
    this.digest.copy(tree.digest);
    this.quotaChanges = tree.quotas.changes;
  }

  get size(): number {
    return this.newest.size;
  }

  /** Undefined if the znode will not exist. `hash`: of the path, if the caller has it. */
  get(path: string, hash = this.tree.hashOf(path)): ChangeRecord | undefined {
    const record = this.newest.get(path, hash);
    if (record !== undefined) return record.exists ? record : undefined;
    return this.inTree(path, hash);
  }

  private inTree(path: string, hash: number): ChangeRecord | undefined {
    const { tree } = this;
    const znode = tree.get(path, hash);
    if (znode === undefined) return undefined;
    const stat = tree.statOf(znode);
    if (this.isClosing(stat)) return undefined;
    const [acl, generation] = [tree.aclOf(znode), tree.generationOf(znode)];
    const { numChildren, digest } = stat;
    return new ChangeRecord(path, hash, stat, acl, numChildren, digest, znode, generation);
  }

  copy(record: ChangeRecord): ChangeRecord {
    const { path, hash, acl, childCount, digest, znode, generation } = record;
    if (!record.exists) assert(false, 'pending changes: a deleted znode changes', path);
    const stat = this.stats.copy(record.stat);
    const copy = new ChangeRecord(path, hash, stat, acl, childCount, digest, znode, generation);
    copy.pendingCversion = record.pendingCversion;
    return copy;
  }

  /** Makes a znode to put. `owner`: as stored, a session or a mark. */
  make(
    made: NewNode,
    acl: readonly ACL[],
    owner: bigint,
    stamp: { zxid: bigint; time: bigint },
  ): ChangeRecord {
    const stat = this.stats.make(stamp, owner, made);
    return new ChangeRecord(made.path, made.hash, stat, acl, 0, 0);
  }

  /** @param before the result of `get` for the path; null without a znode */
  put(before: ChangeRecord | null, after: ChangeRecord): void {
    const { path } = after;
    if (!this.stats.has(after.stat))
      assert(false, 'pending changes: a record without its own Stat', path);
    if (after.newer !== null || after.older !== null)
      assert(false, 'pending changes: put twice', path);
    if (before === null && !after.exists)
      assert(false, 'pending changes: a missing znode is deleted', path);
    this.puts++;
    if (this.isDigestEnabled) {
      after.digest = after.exists ? after.stat.digestOf(path) : 0;
      this.digest.move(before === null ? 0 : before.digest, after.digest);
    }
    const older = this.pendingBefore(before, after);
    if (older !== undefined) {
      if (older.newer !== null) assert(false, 'pending changes: not based on the newest one', path);
      if (older.exists !== (before !== null))
        assert(false, 'pending changes: a znode is created twice', path);
      older.newer = after;
      after.older = older;
    }
    this.newest.set(after, older);
    if (this.newest.size > this.puts)
      assert(false, 'pending changes: more paths than changes', path);
    if (this.tree.quotas.size > 0) this.countUsage(before, after);
    if (!after.isEphemeralCreate) return;
    const owner = after.ephemeralOwner;
    const creates = this.creating.get(owner);
    if (creates === undefined) this.creating.set(owner, new Set([after]));
    else creates.add(after);
  }

  private countUsage(before: ChangeRecord | null, after: ChangeRecord): void {
    const count = Number(after.exists) - Number(before !== null);
    const bytes = (after.exists ? after.dataLength : 0) - (before?.dataLength ?? 0);
    if (count === 0 && bytes === 0) return;
    const owner = this.tree.quotas.above(after.path);
    if (owner === undefined) return;
    after.usage = { owner, count, bytes };
    this.usage.add(after.usage);
  }

  /** Other quotas may count the pending changes now. */
  private recountUsage(): void {
    this.quotaChanges = this.tree.quotas.changes;
    this.usage.clear();
    for (const close of this.closing.values()) {
      close.usage = this.usageOf(close.unrecorded);
      for (const change of close.usage) this.usage.add(change);
    }
    let counted = 0;
    for (const newest of this.newest.values()) {
      let record: ChangeRecord | null = newest;
      while (record.older !== null) record = record.older;
      let before = this.inTree(record.path, record.hash) ?? null;
      for (; record !== null; record = record.newer) {
        record.usage = null;
        this.countUsage(before, record);
        before = record.exists ? record : null;
        counted++;
      }
    }
    if (counted !== this.puts)
      assert(false, 'quota usage: changes counted and pending', counted, this.puts);
  }

  /** The newest pending record; a result of `get` from the tree is not one. */
  private pendingBefore(
    before: ChangeRecord | null,
    { path, hash }: ChangeRecord,
  ): ChangeRecord | undefined {
    if (before === null) return this.newest.get(path, hash);
    return this.stats.has(before.stat) ? before : undefined;
  }

  /** The Stat that clients will see. There must be a znode. */
  statOf(path: string): StatRecord {
    const record = this.get(path);
    if (record === undefined) assert(false, 'pending changes: the Stat of no znode', path);
    const { stat, childCount: numChildren } = record;
    const cversion = (2 * stat.cversion - numChildren) | 0;
    return { ...stat.shown(), numChildren, cversion };
  }

  /**
   * A znode and all below it, parents first; undefined for a child that will not exist. Looks at no
   * child before it is asked for, but at all pending changes if the znode has children.
   */
  *below(top: ChangeRecord): Generator<ChangeRecord | undefined, void, undefined> {
    const { tree } = this;
    yield top;
    if (top.childCount === 0) return;
    const created = this.createdBelow(`${top.path}/`);
    const parents = [top];
    for (const { path, hash } of parents) {
      const node = tree.get(path, hash);
      for (const child of node === undefined ? [] : tree.childrenOf(node)) {
        const pending = this.get(tree.pathOf(child));
        yield pending;
        if (pending !== undefined && pending.childCount > 0) parents.push(pending);
      }
      for (const child of created.get(path) ?? []) {
        yield child;
        if (child.childCount > 0) parents.push(child);
      }
    }
  }

  /** The znodes that only pending changes have, by the paths of their parents. */
  private createdBelow(prefix: string): ReadonlyMap<string, readonly ChangeRecord[]> {
    const created = new Map<string, ChangeRecord[]>();
    for (const record of this.newest.values()) {
      const { path, hash, exists } = record;
      if (!exists || !path.startsWith(prefix) || this.tree.get(path, hash) !== undefined) continue;
      const parent = path.slice(0, path.lastIndexOf('/'));
      const siblings = created.get(parent);
      if (siblings === undefined) created.set(parent, [record]);
      else siblings.push(record);
    }
    return created;
  }

  private isClosing(stat: NodeStat): boolean {
    if (this.closing.size === 0) return false;
    return stat.hasOwner && this.closing.has(stat.ephemeralOwner);
  }

  /** The ephemerals of `owner` after all pending changes. */
  ephemeralsOf(owner: bigint): Ephemerals {
    const { tree } = this;
    const digest = new TreeDigest();
    const paths: string[] = [];
    const pending: ChangeRecord[] = [];
    const unrecorded: string[] = [];
    const inTree = tree.ephemeralsOf(owner);
    const isClosing = this.closing.has(owner);
    const add = (path: string): void => {
      const hash = tree.hashOf(path);
      const record = this.newest.get(path, hash);
      if (record === undefined) {
        if (isClosing || !inTree.has(path)) return;
        digest.add(this.statAt(path, hash).digest);
        unrecorded.push(path);
      } else {
        if (!record.exists || record.ephemeralOwner !== owner) return;
        pending.push(record);
      }
      paths.push(path);
    };
    for (const path of inTree) add(path);
    const created = new Set<string>();
    for (const { path } of this.creating.get(owner) ?? []) {
      if (!inTree.has(path)) created.add(path);
    }
    for (const path of created) add(path);
    return { paths, pending, unrecorded, digest };
  }

  /** Of an ephemeral in the tree. */
  private statAt(path: string, hash?: number): NodeStat {
    const znode = this.tree.get(path, hash);
    assert(znode !== undefined, 'ephemerals: one without a znode', path);
    return this.tree.statOf(znode);
  }

  /** Deletes the ephemerals of a session that have no record. Their parents need one. */
  close(owner: bigint, zxid: bigint, { unrecorded, digest }: Ephemerals): void {
    if (unrecorded.length === 0) return;
    if (this.closing.has(owner))
      assert(false, 'pending changes: a closing session closes again', owner);
    const close: PendingClose = { zxid, unrecorded, digest, usage: this.usageOf(unrecorded) };
    this.closing.set(owner, close);
    for (const change of close.usage) this.usage.add(change);
    if (this.isDigestEnabled) this.digest.removeSum(digest);
  }

  private usageOf(deleted: readonly string[]): readonly UsageChange[] {
    const { quotas } = this.tree;
    if (quotas.size === 0) return [];
    return deleted.flatMap((path) => {
      const owner = quotas.above(path);
      if (owner === undefined) return [];
      return [{ owner, count: -1, bytes: -this.statAt(path).dataLength }];
    });
  }

  /** The close was applied, or taken back. */
  closed(owner: bigint, zxid: bigint): void {
    const close = this.closing.get(owner);
    if (close === undefined) return;
    if (close.zxid !== zxid)
      assert(false, 'zxid order: another close of the session', close.zxid, zxid);
    for (const change of close.usage) this.usage.remove(change);
    this.closing.delete(owner);
  }

  /** Undoes the records of a failed multi, which must be the newest. */
  rollBack(records: readonly ChangeRecord[]): void {
    for (let i = records.length - 1; i >= 0; i--) {
      const record = records[i] as ChangeRecord;
      const { path, hash, older } = record;
      if (record.newer !== null) {
        assert(false, 'pending changes: a later one exists after the one to take back', path);
      }
      if (older === null) {
        this.newest.delete(record);
      } else {
        if (older.newer !== record)
          assert(false, 'pending changes: the links of a path are broken', path);
        older.newer = null;
        this.newest.set(older, record);
      }
      if (this.isDigestEnabled) this.digest.move(record.digest, this.get(path, hash)?.digest ?? 0);
      this.release(record);
    }
  }

  /**
   * Undoes a request that failed with an exception. `puts`, `zxid`: before it, and of it.
   * @throws InvariantError if a put of it was begun and is not in `records`
   */
  undo(records: readonly ChangeRecord[], puts: number, zxid: bigint): void {
    try {
      this.reopen(zxid);
      this.rollBack(records);
      this.stats.releaseOthers(this.usedStats());
    } catch (error) {
      throw halfDone(error);
    }
    if (this.puts !== puts) assert(false, `pending changes: found ${this.puts} (expected ${puts})`);
    this.checkPrepared(puts);
  }

  private reopen(zxid: bigint): void {
    for (const [owner, close] of this.closing) {
      if (close.zxid !== zxid) continue;
      this.closed(owner, zxid);
      if (this.isDigestEnabled) this.digest.addSum(close.digest);
    }
  }

  private *usedStats(): Generator<NodeStat> {
    for (const newest of this.newest.values()) {
      for (let record: ChangeRecord | null = newest; record !== null; record = record.older) {
        yield record.stat;
      }
    }
  }

  /** The changes of a txn have been decided: each is in its records, and has a Stat of its own. */
  checkPrepared(puts: number): void {
    if (this.puts !== puts)
      assert(false, 'pending changes: outside the records of a txn', this.puts, puts);
    if (this.stats.count !== puts)
      assert(false, 'pending changes: Stats of no change', this.stats.count, puts);
  }

  /** The txn of these records, which are the oldest of their paths, was applied. */
  settle(records: readonly ChangeRecord[]): void {
    if (records.length === 0) return;
    for (const record of records) {
      const { path, older, newer } = record;
      if (older !== null) assert(false, 'pending changes: settled before an older one', path);
      if (newer === null) {
        this.newest.delete(record);
      } else {
        if (newer.older !== record)
          assert(false, 'pending changes: the links of a path are broken', path);
        newer.older = null;
        record.newer = null;
      }
      if (this.isDigestEnabled) this.giveDigest(record);
      this.release(record);
    }
    if (this.quotaChanges !== this.tree.quotas.changes) this.recountUsage();
    if (this.newest.size === 0) this.checkNothingPending();
  }

  /** Hands the digest of a znode to the tree; that of the whole tree comes with the txn. */
  private giveDigest(record: ChangeRecord): void {
    if (!record.exists) return;
    const node = this.tree.nodeOf(record);
    if (node === undefined) return;
    this.tree.takeDigest(node, record.digest, record.stat.contentCrc);
  }

  private release(record: ChangeRecord): void {
    this.puts--;
    if (this.puts < 0) assert(false, 'pending changes: more were settled than put');
    if (record.usage !== null) this.usage.remove(record.usage);
    if (record.isEphemeralCreate) {
      const owner = record.ephemeralOwner;
      const creates = this.creating.get(owner);
      const isKnown = creates?.delete(record) === true;
      if (!isKnown)
        assert(false, 'pending changes: the create of an ephemeral is unknown', record.path);
      if (creates?.size === 0) this.creating.delete(owner);
    }
    this.stats.release(record.stat);
  }

  /** Without pending paths, no other pending state may remain. */
  private checkNothingPending(): void {
    const { digest, stats, creating, closing, tree, puts, usage } = this;
    const others = creating.size + closing.size + usage.size;
    if (stats.count !== 0 || others !== 0 || puts !== 0) {
      const closes = `${closing.size} closes, usage of ${usage.size} quotas`;
      const of = `ephemerals of ${creating.size} sessions, ${closes}, and ${puts} changes`;
      const found = `${stats.count} Stats, ${of}`;
      assert(false, `pending changes: found ${found} (expected none)`);
    }
    if (this.isDigestEnabled && !digest.equals(tree.digest)) {
      const problem = `without pending changes it is ${digest} (expected ${tree.digest})`;
      assert(false, `digest of the next txn: ${problem}`);
    }
  }
}
