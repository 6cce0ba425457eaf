/**
 * The naive way to decide a request: against a tree with every proposed txn applied. The order of
 * the checks follows PrepRequestProcessor (docs/protocol.md).
 */

import type { Txn, TxnHead } from '../../src/files/txn.js';
import type { ACL } from '../../src/protocol/data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { asPart, failed, isUnreadable, isValid, suffixOf, versionAfter } from './naive-rules.js';
import {
  figureOf,
  kindOf,
  lengthOf,
  type NaiveNode,
  type NaiveTree,
  parentOf,
  ttlOf,
} from './naive-tree.js';
import type {
  CheckStatOp,
  CreateIfNotExistsOp,
  CreateOp,
  Op,
  PartOp,
  SetACLOp,
  SetDataOp,
} from './operations.js';

const READ = 1;
const WRITE = 2;
const CREATE = 4;
const DELETE = 8;
const ADMIN = 16;

const RESERVED = ['/', '/zookeeper', '/zookeeper/quota', '/zookeeper/config'];
const MAX_TTL = 2n ** 40n - 1n;
export const NEVER_USED_MS = 10_000;

export type Outcome = Txn | ErrorCode;

/** Who asks: what an ACL grants it, and the ACL that a request of it sets. */
export interface NaiveAuthor {
  may(acl: readonly ACL[], perm: number): boolean;
  fixUp(acl: readonly ACL[]): readonly ACL[] | undefined;
  /** A session that no txn opened cannot have ephemerals. */
  readonly isLocal: boolean;
}

/** The model of one server knows world:anyone and no other id. */
const ANYONE: NaiveAuthor = {
  may: (acl, perm) => acl.some(({ perms }) => (perms & perm) !== 0),
  fixUp: (acl) => {
    const isValid = acl.every(({ id }) => id.scheme === 'world' && id.id === 'anyone');
    return acl.length > 0 && isValid ? acl : undefined;
  },
  isLocal: false,
};

export class NaivePrep {
  /** The tree with all proposed txns. */
  readonly proposed: NaiveTree;
  /** The tree with all committed txns. It has the quotas, and their usage without pending txns. */
  private readonly committed: NaiveTree;

  constructor(proposed: NaiveTree, committed: NaiveTree) {
    this.proposed = proposed;
    this.committed = committed;
  }

  /** The last zxid of the committed tree. */
  committedZxid = 0n;
  author: NaiveAuthor = ANYONE;
  /** For paths with pending changes: the last one, and the number if it differs from the tree. */
  private pending = new Map<string, { readonly zxid: bigint; readonly number: number | null }>();

  /** Decides the request and applies its txn to the proposed tree. */
  prepare(op: Op, head: TxnHead): Txn {
    if (op.type === OpCode.multi) {
      if (op.ops.some(isUnreadable)) return { type: OpCode.error, err: ErrorCode.MARSHALLINGERROR };
      return this.multi(op.ops, head);
    }
    const txn = this.one(op);
    for (const part of partsOf(txn)) this.apply(head, part);
    return txn;
  }

  /** Decides the request and changes nothing. */
  foresee(op: Op, head: TxnHead): Txn {
    if (op.type !== OpCode.multi) return this.one(op);
    if (op.ops.some(isUnreadable)) return { type: OpCode.error, err: ErrorCode.MARSHALLINGERROR };
    const undo = this.remember();
    const txn = this.multi(op.ops, head);
    undo();
    return txn;
  }

  close(head: TxnHead): Txn {
    const paths = this.proposed.ephemeralsOf(head.sessionId);
    const txn: Txn = { type: OpCode.closeSession, paths };
    this.apply(head, txn);
    return txn;
  }

  /** Deletes a due znode only if it is still due. */
  isStillDue(path: string, now: bigint): boolean {
    const node = this.proposed.nodes.get(path);
    return node !== undefined && isDue(this.proposed, path, node, now);
  }

  reap(path: string, head: TxnHead): Txn {
    const txn: Txn = { type: OpCode.deleteContainer, path };
    this.apply(head, txn);
    return txn;
  }

  /** The znodes that the server must select for deletion: containers, then TTL znodes. */
  candidates(now: bigint): string[] {
    const due = [...this.committed.nodes].filter(([path, node]) =>
      isDue(this.committed, path, node, now),
    );
    const of = (kind: string) => due.filter(([, { owner }]) => kindOf(owner) === kind);
    return [...of('container'), ...of('ttl')].map(([path]) => path);
  }

  private apply(head: TxnHead, txn: Txn): void {
    const { zxid } = head;
    const number = 'parentCVersion' in txn ? txn.parentCVersion : null;
    const gone = txn.type === OpCode.closeSession ? txn.paths : null;
    const paths = gone ?? ('path' in txn && txn.type !== OpCode.check ? [txn.path] : []);
    for (const path of paths) {
      const isWrite = txn.type === OpCode.setData || txn.type === OpCode.setACL;
      this.pending.set(path, { zxid, number: isWrite ? this.pendingNumber(path) : null });
      if (isWrite) continue;
      const parent = parentOf(path);
      const before = this.proposed.nodes.get(parent)?.cversion ?? 0;
      const isRaised = number !== null && number > before;
      const kept = isRaised ? null : (number ?? this.pendingNumber(parent));
      this.pending.set(parent, { zxid, number: kept });
    }
    this.proposed.applyPart(head, txn);
  }

  private numberOf(path: string, { cversion }: NaiveNode): number {
    return this.pendingNumber(path) ?? cversion;
  }

  /** Past 2^31 creates, the count of pending creates still grows, but the tree's number stays. */
  private pendingNumber(path: string): number | null {
    const pending = this.pending.get(path);
    return pending !== undefined && pending.zxid > this.committedZxid ? pending.number : null;
  }

  private multi(ops: readonly PartOp[], head: TxnHead): Txn {
    const undo = this.remember();
    const txns: Txn[] = [];
    for (const [at, op] of ops.entries()) {
      const outcome = this.decide(asPart(op));
      if (typeof outcome === 'number') {
        undo();
        return { type: OpCode.multi, txns: failed(ops.length, at, outcome) };
      }
      for (const part of partsOf(outcome)) {
        this.apply(head, part);
        txns.push(part);
      }
    }
    return { type: OpCode.multi, txns };
  }

  /** @returns how to undo all changes since */
  private remember(): () => void {
    const before = new Map([...this.proposed.nodes].map(([path, node]) => [path, { ...node }]));
    const pending = new Map(this.pending);
    return () => {
      this.pending = pending;
      this.proposed.nodes.clear();
      for (const [path, node] of before) this.proposed.nodes.set(path, node);
    };
  }

  private one(op: PartOp | SetACLOp): Txn {
    const outcome = this.decide(op);
    return typeof outcome === 'number' ? { type: OpCode.error, err: outcome } : outcome;
  }

  /** Called once for each part of a request, in order. */
  protected decide(op: PartOp | SetACLOp): Outcome {
    switch (op.type) {
      case OpCode.delete:
        return this.delete(op.path, op.version);
      case OpCode.check:
        return this.check(op.path, op.version);
      case OpCode.setData:
        return this.setData(op);
      case OpCode.setACL:
        return this.setACL(op);
      case KeeperOpCode.checkNotExists:
        return this.checkNotExists(op.path, op.version);
      case KeeperOpCode.checkStat:
        return this.checkStat(op);
      case KeeperOpCode.createIfNotExists:
        return this.createIfNotExists(op);
      case KeeperOpCode.tryRemove:
        return this.tryRemove(op.path, op.version);
      case KeeperOpCode.removeRecursive:
        return this.removeRecursive(op.path, op.version);
      default:
        return this.create(op);
    }
  }

  private create({ type, path, data, acl, flags, ttl }: CreateOp): Outcome {
    const { nodes } = this.proposed;
    const hasTTL = flags >= 5;
    if (!isPossible(type, flags, ttl)) return ErrorCode.BADARGUMENTS;
    const isPlain = type === OpCode.create || type === OpCode.create2;
    const isEphemeral = isPlain && (flags === 1 || flags === 3);
    if (isEphemeral && this.author.isLocal) return ErrorCode.SESSIONEXPIRED;
    if (!path.includes('/')) return ErrorCode.BADARGUMENTS;
    const stored = this.author.fixUp(acl);
    if (stored === undefined) return ErrorCode.INVALIDACL;
    const parent = nodes.get(parentOf(path));
    if (parent === undefined) return ErrorCode.NONODE;
    if (!this.may(parent, CREATE)) return ErrorCode.NOAUTH;
    const isSequential = flags === 2 || flags === 3 || flags === 6;
    const cversion = this.numberOf(parentOf(path), parent);
    const name = isSequential ? path + suffixOf(cversion) : path;
    if (!isValid(name)) return ErrorCode.BADARGUMENTS;
    if (nodes.has(name)) return ErrorCode.NODEEXISTS;
    if (kindOf(parent.owner) === 'session') return ErrorCode.NOCHILDRENFOREPHEMERALS;
    if (this.isOverQuota(name, lengthOf(data), 1)) return ErrorCode.QUOTAEXCEEDED;
    const parentCVersion = (cversion + 1) | 0;
    const made = { type, path: name, data, acl: stored, isEphemeral, parentCVersion };
    return { ...made, ttl: hasTTL ? ttl : 0n };
  }

  private delete(path: string, version: number): Outcome {
    const { nodes } = this.proposed;
    if (!path.includes('/') || RESERVED.includes(path)) return ErrorCode.BADARGUMENTS;
    const parent = nodes.get(parentOf(path));
    if (parent === undefined) return ErrorCode.NONODE;
    if (!this.may(parent, DELETE)) return ErrorCode.NOAUTH;
    const node = nodes.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    if (this.proposed.childrenOf(path).length > 0) return ErrorCode.NOTEMPTY;
    return { type: OpCode.delete, path };
  }

  private check(path: string, version: number): Outcome {
    if (!isValid(path)) return ErrorCode.BADARGUMENTS;
    const node = this.proposed.nodes.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.may(node, READ)) return ErrorCode.NOAUTH;
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    return { type: OpCode.check, path, version: versionAfter(node.version) };
  }

  private setData({ path, data, version }: SetDataOp): Outcome {
    if (!isValid(path)) return ErrorCode.BADARGUMENTS;
    const node = this.proposed.nodes.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.may(node, WRITE)) return ErrorCode.NOAUTH;
    if (this.isOverQuota(path, lengthOf(data) - lengthOf(node.data), 0)) {
      return ErrorCode.QUOTAEXCEEDED;
    }
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    return { type: OpCode.setData, path, data, version: versionAfter(node.version) };
  }

  private setACL({ path, acl, version }: SetACLOp): Outcome {
    if (!isValid(path)) return ErrorCode.BADARGUMENTS;
    const stored = this.author.fixUp(acl);
    if (stored === undefined) return ErrorCode.INVALIDACL;
    const node = this.proposed.nodes.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.may(node, ADMIN)) return ErrorCode.NOAUTH;
    if (version !== -1 && version !== node.aversion) return ErrorCode.BADVERSION;
    return { type: OpCode.setACL, path, acl: stored, version: versionAfter(node.aversion) };
  }

  private checkNotExists(path: string, version: number): Outcome {
    if (!isValid(path)) return ErrorCode.BADARGUMENTS;
    const node = this.proposed.nodes.get(path);
    if (node === undefined) return unchanged(path);
    if (!this.may(node, READ)) return ErrorCode.NOAUTH;
    const isThis = version === -1 || version === node.version;
    return isThis ? ErrorCode.NODEEXISTS : unchanged(path);
  }

  private checkStat({ path, version, stat }: CheckStatOp): Outcome {
    const outcome = this.check(path, version);
    if (typeof outcome === 'number') return outcome;
    const found = Object.entries(this.proposed.stat(path) ?? {});
    const wanted = new Map<string, unknown>(Object.entries(stat));
    const differs = found.some(([name, value]) => {
      const asked = wanted.get(name);
      return asked !== value && Number(asked) !== -1;
    });
    return differs ? ErrorCode.BADVERSION : unchanged(path);
  }

  private createIfNotExists(op: CreateIfNotExistsOp): Outcome {
    if (op.flags > 1) return ErrorCode.BADARGUMENTS;
    const outcome = this.create({ ...op, type: OpCode.create });
    return outcome === ErrorCode.NODEEXISTS ? unchanged(op.path) : outcome;
  }

  private tryRemove(path: string, version: number): Outcome {
    const outcome = this.delete(path, version);
    const isKept =
      outcome === ErrorCode.NONODE ||
      outcome === ErrorCode.BADVERSION ||
      outcome === ErrorCode.NOTEMPTY;
    return isKept ? unchanged(path) : outcome;
  }

  /** A limit is 0, 1, or more than the znodes: the order of siblings has no effect then. */
  private removeRecursive(path: string, limit: number): Outcome {
    const { nodes } = this.proposed;
    if (!path.includes('/') || RESERVED.includes(path)) return ErrorCode.BADARGUMENTS;
    const parent = nodes.get(parentOf(path));
    if (parent === undefined) return unchanged(path);
    if (!this.may(parent, DELETE)) return ErrorCode.NOAUTH;
    if (!nodes.has(path)) return unchanged(path);
    const all = [...nodes].filter(([each]) => each === path || each.startsWith(`${path}/`));
    const depth = (each: string) => each.split('/').length;
    all.sort(([a], [b]) => depth(a) - depth(b));
    for (const [at, [each, node]] of all.entries()) {
      if (at >= limit) return ErrorCode.NOTEMPTY;
      const isParent = this.proposed.childrenOf(each).length > 0;
      if (isParent && !this.may(node, DELETE)) return ErrorCode.NOAUTH;
    }
    const txns = all.reverse().map(([each]) => ({ type: OpCode.delete, path: each }));
    return { type: OpCode.multi, txns };
  }

  private may({ acl }: NaiveNode, perm: number): boolean {
    return this.author.may(acl, perm);
  }

  protected isOverQuota(path: string, bytes: number, count: number): boolean {
    const { nodes } = this.committed;
    const owner = this.committed.quotaAbove(path);
    if (owner === undefined) return false;
    const limits = nodes.get(`/zookeeper/quota${owner}/zookeeper_limits`)?.data ?? null;
    const usage = nodes.get(`/zookeeper/quota${owner}/zookeeper_stats`);
    if (usage === undefined) return false;
    const breaks = (what: string, hard: string, more: number): boolean => {
      const limit = figureOf(limits, hard);
      return limit > -1 && figureOf(usage.data, what) + more > limit;
    };
    const pending = this.pendingUsage(owner);
    return (
      (count !== 0 && breaks('count', 'countHardLimit', count + pending.count)) ||
      (bytes !== 0 && breaks('bytes', 'byteHardLimit', bytes + pending.bytes))
    );
  }

  private pendingUsage(owner: string): { count: number; bytes: number } {
    const of = ({ nodes }: NaiveTree) => {
      const counted = [...nodes].filter(([path]) => this.committed.quotaAbove(path) === owner);
      const bytes = counted.reduce((sum, [, { data }]) => sum + lengthOf(data), 0);
      return { count: counted.length, bytes };
    };
    const [after, before] = [of(this.proposed), of(this.committed)];
    return { count: after.count - before.count, bytes: after.bytes - before.bytes };
  }
}

/** An operation of the dialect without a change. */
function unchanged(path: string): Txn {
  return { type: OpCode.multi, txns: [{ type: OpCode.check, path, version: -1 }] };
}

function partsOf(txn: Txn): readonly Txn[] {
  return txn.type === OpCode.multi ? txn.txns : [txn];
}

function isPossible(type: number, flags: number, ttl: bigint): boolean {
  if (flags < 0 || flags > 6) return false;
  const hasTTL = flags >= 5;
  return hasTTL === (type === OpCode.createTTL) && (!hasTTL || (ttl > 0n && ttl <= MAX_TTL));
}

function isDue(tree: NaiveTree, path: string, node: NaiveNode, now: bigint): boolean {
  const kind = kindOf(node.owner);
  if (kind !== 'container' && kind !== 'ttl') return false;
  if (tree.childrenOf(path).length > 0) return false;
  const age = now - node.mtime;
  if (kind === 'ttl') return age > ttlOf(node.owner);
  return node.cversion > 0 || age > BigInt(NEVER_USED_MS);
}
