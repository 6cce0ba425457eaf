import { assert } from '../../base/assert.js';
import { OPEN_ACL_KEY, type SnapshotAcl, type SnapshotNode } from '../../files/snapshot.js';
import {
  type CreateNodeTxn,
  createdOwner,
  partsOf,
  type Txn,
  type TxnHead,
} from '../../files/txn.js';
import { textOf, type ZnodeData } from '../../files/txn-data.js';
import { aclText } from '../../protocol/acl-codec.js';
import { type ACL, STAT_PERSISTED_SIZE } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { parentPath } from '../../protocol/path.js';
import { OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import { type NodeStat, PendingStats } from '../tree/node-stat.js';

/**
 * The effect of logged txns on the znodes of a snapshot, without the tree, so that memory grows
 * only with the changes. The result must equal DataTree.apply.
 */

/** Offsets in a StatPersisted. */
const MZXID = 8;
const MTIME = 24;
const VERSION = 32;
const CVERSION = 36;
const AVERSION = 40;
const OWNER = 44;
const PZXID = 52;

/** `stat` has the 60 bytes of a StatPersisted. */
export type MergedNode = SnapshotNode & { readonly stat: Buffer };

/** The effect on one znode; undefined fields are unchanged. */
interface Change {
  /** The Stat of a znode that was created since; null if it was not. */
  readonly created: NodeStat | null;
  /** True if the last txn of the znode deleted it; then no other field counts. */
  isDeleted: boolean;
  /** The data of the last create, setData, or reconfig. */
  data?: ZnodeData;
  /** The ACL of the last create or setACL. */
  acl?: readonly ACL[];
  /** The last setData or reconfig. */
  written?: { readonly zxid: bigint; readonly time: bigint; readonly version: number };
  /** The version of the last setACL. */
  aversion?: number;
  /** The last create below it, if the snapshot has a lower cversion. */
  raised?: { readonly cversion: number; readonly zxid: bigint };
  /** The zxid of the last delete below it; it only grows. */
  lowered?: bigint;
}

/** Keys of the snapshot to write; NO_KEY if no znode has the ACL anymore. */
export type KeyOf = (acl: readonly ACL[]) => bigint;

export const NO_KEY = 0n;

export class SnapshotChanges {
  /** By path, "/" for the root; parents come before their children. */
  private readonly changes = new Map<string, Change>();
  /** The Stats of created znodes, also of those that were deleted since. */
  private readonly stats = new PendingStats();
  /** By session: the last txn that closed it without listing all its ephemerals. */
  private readonly closed = new Map<bigint, bigint>();
  /** The zxid of the last txn; it only grows. */
  private lastZxid = -1n;

  /** @throws Error for a txn that needs the tree */
  apply(head: TxnHead, txn: Txn): void {
    assert(head.zxid > this.lastZxid, 'zxid order: merged', head.zxid, this.lastZxid);
    this.lastZxid = head.zxid;
    this.applyPart(head, txn);
  }

  private applyPart(head: TxnHead, txn: Txn): void {
    switch (txn.type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        this.create(head, txn);
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.delete(txn.path, head.zxid);
        break;
      case OpCode.setData:
      case OpCode.reconfig: {
        const change = this.changeOf(txn.path);
        change.data = textOf(txn.data);
        change.written = { zxid: head.zxid, time: head.time, version: txn.version };
        break;
      }
      case OpCode.setACL: {
        const change = this.changeOf(txn.path);
        change.acl = txn.acl;
        change.aversion = txn.version;
        break;
      }
      case OpCode.closeSession:
        for (const path of txn.paths ?? []) this.delete(path, head.zxid);
        if ((txn.paths ?? []).length === 0) this.closed.set(head.sessionId, head.zxid);
        break;
      case OpCode.multi:
        for (const part of partsOf(txn.txns)) this.applyPart(head, part);
        break;
      case OpCode.createSession:
      case OpCode.check:
      case OpCode.error:
        break;
    }
  }

  private create(head: TxnHead, txn: CreateNodeTxn): void {
    const { path, data, acl, parentCVersion } = txn;
    const parent = this.changeOf(parentPath(path));
    if (parent.raised === undefined || parentCVersion > parent.raised.cversion) {
      parent.raised = { cversion: parentCVersion, zxid: head.zxid };
    }
    // A name that is used again moves to the end, after its parent.
    this.changes.delete(path);
    const created = this.stats.make(head, createdOwner(head, txn));
    this.changes.set(path, { created, isDeleted: false, data: textOf(data), acl });
  }

  private delete(path: string, zxid: bigint): void {
    const parent = this.changeOf(parentPath(path));
    const isLater = parent.lowered === undefined || parent.lowered <= zxid;
    assert(isLater, 'zxid order: merged deletes', parent.lowered, zxid);
    parent.lowered = zxid;
    this.changes.delete(path);
    this.changes.set(path, { created: null, isDeleted: true });
  }

  private changeOf(path: string): Change {
    let change = this.changes.get(path);
    if (change === undefined) {
      change = { created: null, isDeleted: false };
      this.changes.set(path, change);
    }
    return change;
  }

  /** The paths that may have changed; "" is the root. */
  filter(): PathFilter {
    const filter = new PathFilter(this.changes.size);
    for (const path of this.changes.keys()) filter.add(path === '/' ? '' : path);
    return filter;
  }

  /** Whether its closing txn does not list its ephemerals. */
  isClosed(owner: bigint): boolean {
    return this.closed.has(owner);
  }

  /** The present state of a znode ("" is the root); null if it was deleted or created again. */
  merge(node: MergedNode, keyOf: KeyOf): MergedNode | null {
    const change = this.changes.get(node.path === '' ? '/' : node.path);
    const { length } = node.stat;
    assert(length === STAT_PERSISTED_SIZE, 'snapshot merge: the size of a Stat', length);
    if (change !== undefined && (change.isDeleted || change.created !== null)) return null;
    this.checkOwner(node.stat);
    // The reader still needs the original bytes for its checksum.
    return change === undefined ? node : changed(node, change, Buffer.from(node.stat), keyOf);
  }

  /** The znodes that the snapshot lacks, parents before children. */
  *created(keyOf: KeyOf): Generator<MergedNode> {
    for (const [path, change] of this.changes) {
      if (change.created === null) continue;
      assert(!change.isDeleted, 'snapshot merge: a deleted znode is created', path);
      const stat = change.created.persisted();
      this.checkOwner(stat);
      yield changed({ path, data: null, aclKey: NO_KEY }, change, stat, keyOf);
    }
  }

  /** If the closing txn does not list its ephemerals, only the tree has their places. */
  private checkOwner(stat: Buffer): void {
    if (this.closed.size === 0) return;
    const closedAt = this.closed.get(stat.readBigInt64BE(OWNER));
    if (closedAt !== undefined && stat.readBigInt64BE(0) < closedAt) {
      throw new Error('a session was closed without a list of its ephemerals');
    }
  }
}

export function keysOf(acls: Iterable<SnapshotAcl>): KeyOf {
  const keys = new Map([[aclText(OPEN_ACL_UNSAFE), OPEN_ACL_KEY]]);
  for (const { key, acl } of acls) keys.set(aclText(acl), key);
  return (acl) => keys.get(aclText(acl)) ?? NO_KEY;
}

function changed(
  { path, data, aclKey }: Omit<SnapshotNode, 'stat'>,
  change: Change,
  stat: Buffer,
  keyOf: KeyOf,
): MergedNode {
  const { written, aversion, raised, lowered } = change;
  if (written !== undefined) {
    stat.writeBigInt64BE(written.zxid, MZXID);
    stat.writeBigInt64BE(written.time, MTIME);
    stat.writeInt32BE(written.version, VERSION);
  }
  if (aversion !== undefined) stat.writeInt32BE(aversion, AVERSION);
  if (raised !== undefined && raised.cversion > stat.readInt32BE(CVERSION)) {
    stat.writeInt32BE(raised.cversion, CVERSION);
    raisePzxid(stat, raised.zxid);
  }
  if (lowered !== undefined) raisePzxid(stat, lowered);
  return {
    path,
    data: change.data === undefined ? data : change.data,
    aclKey: change.acl === undefined ? aclKey : keyOf(change.acl),
    stat,
  };
}

function raisePzxid(stat: Buffer, zxid: bigint): void {
  if (zxid > stat.readBigInt64BE(PZXID)) stat.writeBigInt64BE(zxid, PZXID);
}

/**
 * A set of paths that may report a path it lacks, but never misses one: one bit for each hash. It
 * reads paths as bytes, so that most znodes of a snapshot need no string.
 */
const BITS_PER_PATH = 16;
const MIN_BITS = 1024;

class PathFilter {
  private readonly bits: Int32Array;
  private readonly mask: number;

  constructor(count: number) {
    let size = MIN_BITS;
    while (size < count * BITS_PER_PATH) size *= 2;
    this.bits = new Int32Array(size / 32);
    this.mask = size - 1;
    assert((size & this.mask) === 0, 'snapshot merge: a filter without a mask', size);
  }

  add(path: string): void {
    const bytes = Buffer.from(path);
    const bit = hashOf(bytes, 0, bytes.length) & this.mask;
    this.bits[bit >>> 5] = (this.bits[bit >>> 5] as number) | (1 << (bit & 31));
  }

  /** @param bytes the path in UTF-8, from `start` to `end` */
  mayHave(bytes: Uint8Array, start: number, end: number): boolean {
    const bit = hashOf(bytes, start, end) & this.mask;
    return ((this.bits[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] as number), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
