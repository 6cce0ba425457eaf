import type { Txn, TxnHead } from '../../src/files/txn.js';
import { type ACL, StatPersisted } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import type { Znode } from '../../src/server/tree/znode.js';
import { type NaiveNode, NaiveTree, parentOf } from '../model/naive-tree.js';
import type { Op } from '../model/operations.js';
import { type Reply, writeReply } from '../model/replies.js';
import { CONFIG } from './znode-history.js';

/** A znode from one txn to the next. */
export interface Version {
  readonly zxid: bigint;
  /** Null if it does not exist. */
  readonly node: NaiveNode | null;
  readonly numChildren: number;
}

/** A session from the txn that opened it to the one that closed it. */
export interface SessionSpan {
  readonly timeoutMs: number;
  readonly from: bigint;
  to: bigint;
}

export interface Sessions {
  [Symbol.iterator](): Iterator<{ readonly id: bigint; readonly timeoutMs: number }>;
}

/** Later than every zxid. */
export const NEVER = 0x7fff_ffff_ffff_ffffn;
const STATS = '/zookeeper_stats';

const ABSENT: Version = { zxid: 0n, node: null, numChildren: 0 };

/**
 * What each committed txn makes of the naive tree: all znodes with their ACLs and Stats, also those
 * of quotas, and all sessions with their timeouts, at every zxid.
 */
export class NaiveState {
  readonly tree = new NaiveTree();
  readonly sessions = new Map<bigint, SessionSpan>();
  private readonly versions = new Map<string, Version[]>();
  private readonly replies = new Map<bigint, Reply>();
  /** Znodes that count the znodes and bytes below a quota. */
  private readonly counted = new Set<string>();

  /** Begins with a tree, or continues with one whose txns are unknown. */
  adopt(tree: DataTree, sessions: Sessions, zxid: bigint): void {
    const gone = new Set(this.tree.nodes.keys());
    this.tree.clear();
    for (const node of tree.walk()) {
      const { ephemeralOwner: owner, ...stat } = storedStat(tree, node);
      const acl = tree.aclOf(node);
      const path = tree.pathOf(node);
      this.tree.seedCounted(path, { ...stat, owner, acl, data: tree.dataOf(node) });
      gone.delete(path);
    }
    for (const path of [...this.tree.nodes.keys(), ...gone]) this.note(path, zxid);
    const open = new Map([...sessions].map(({ id, timeoutMs }) => [id, timeoutMs]));
    for (const [id, span] of this.sessions) if (!open.has(id) && span.to > zxid) span.to = zxid;
    for (const [id, timeoutMs] of open) {
      if (!this.isOpen(id)) this.sessions.set(id, { timeoutMs, from: zxid, to: NEVER });
    }
  }

  /** @param op the request, if its reply does not follow from the txn; null if nobody knows it */
  follow(head: TxnHead, txn: Txn, op?: Op | null): void {
    const touched = new Set(this.touchedBy(head, txn));
    const reply = writeReply(this.tree, head, txn, op ?? undefined);
    if (op !== null) this.replies.set(head.zxid, reply);
    for (const path of touched) this.note(path, head.zxid);
    if (txn.type === OpCode.createSession) this.open(head, txn.timeoutMs);
    // An expiry may close a session whose own close is not committed yet.
    const span = this.sessions.get(head.sessionId);
    if (txn.type === OpCode.closeSession && span?.to === NEVER) span.to = head.zxid;
  }

  /** A local session that becomes global may be opened again. */
  private open({ sessionId, zxid }: TxnHead, timeoutMs: number): void {
    if (!this.isOpen(sessionId)) this.sessions.set(sessionId, { timeoutMs, from: zxid, to: NEVER });
  }

  isOpen(sessionId: bigint): boolean {
    return this.sessions.get(sessionId)?.to === NEVER;
  }

  sessionAt(id: bigint, zxid: bigint): SessionSpan | undefined {
    const span = this.sessions.get(id);
    return span !== undefined && span.from <= zxid && zxid < span.to ? span : undefined;
  }

  private *touchedBy(head: TxnHead, txn: Txn): Generator<string> {
    yield* this.counted;
    if (txn.type === OpCode.multi) {
      for (const part of txn.txns) yield* this.touchedBy(head, part);
    } else if (txn.type === OpCode.closeSession) {
      const paths = [...(txn.paths ?? []), ...this.tree.ephemeralsOf(head.sessionId)];
      for (const path of paths) yield* [path, parentOf(path)];
    } else if ('path' in txn) {
      yield* [txn.path, parentOf(txn.path)];
      if (txn.path.endsWith(STATS)) this.counted.add(txn.path);
    }
  }

  private note(path: string, zxid: bigint): void {
    const found = this.tree.nodes.get(path);
    const node = found === undefined ? null : { ...found };
    const numChildren = node === null ? 0 : this.tree.childrenOf(path).length;
    const versions = this.versions.get(path) ?? [];
    if (versions.at(-1)?.zxid === zxid) versions.pop();
    versions.push({ zxid, node, numChildren });
    this.versions.set(path, versions);
  }

  get paths(): Iterable<string> {
    return this.versions.keys();
  }

  versionAt(path: string, zxid: bigint): Version | undefined {
    return this.versions.get(path)?.findLast((version) => version.zxid <= zxid);
  }

  /** Those between two zxids, including both, also of a znode that was not there yet. */
  versionsBetween(path: string, from: bigint, to: bigint): Version[] {
    const all = [ABSENT, ...(this.versions.get(path) ?? [])];
    return all.filter(({ zxid }, at) => zxid <= to && (all[at + 1]?.zxid ?? NEVER) > from);
  }

  /** The reply to the write that the txn answers. */
  replyTo(zxid: bigint): Reply | undefined {
    return this.replies.get(zxid);
  }
}

export function storedStat(tree: DataTree, node: Znode): StatPersisted {
  return StatPersisted.decode(tree.statOf(node).persisted());
}

/** Everything of a znode that a server stores. */
export function textOfNode(
  data: string | null,
  acl: readonly ACL[],
  stat: Pick<NaiveNode, Exclude<keyof StatPersisted, 'ephemeralOwner'>>,
  owner: bigint,
): string {
  const { czxid, mzxid, ctime, mtime, version, cversion, aversion, pzxid } = stat;
  const rights = acl.map(({ perms, id }) => `${perms}:${id.scheme}:${id.id}`).join();
  const text = data === null ? 'null' : JSON.stringify(data.length > 60 ? short(data) : data);
  const zxids = [czxid, mzxid, pzxid, owner].map((zxid) => zxid.toString(16)).join(' ');
  return `${text} ${rights} ${zxids} ${ctime} ${mtime} ${version} ${cversion} ${aversion}`;
}

function short(data: string): string {
  let sum = 0;
  for (let at = 0; at < data.length; at++) sum = (Math.imul(sum, 31) + data.charCodeAt(at)) | 0;
  return `${data.slice(0, 20)}… ${data.length} bytes, sum ${sum}`;
}

export function textOfVersion(version: Version | undefined): string {
  const node = version?.node ?? null;
  return node === null ? 'no znode' : textOfNode(node.data, node.acl, node, node.owner);
}

/** No txn made the first configuration, and each server stores it with its own clock. */
export function isJudged(path: string): boolean {
  return path !== CONFIG;
}
