import type { Txn, TxnHead } from '../../src/files/txn.js';
import { textOf } from '../../src/files/txn-data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { NaivePrep, type Outcome } from '../model/naive-prep.js';
import { siblingsInOrder } from '../model/naive-rules.js';
import { figureOf, kindOf, lengthOf, parentOf, ttlOf } from '../model/naive-tree.js';
import type { Op, PartOp, SetACLOp } from '../model/operations.js';
import type { NaiveState } from './naive-state.js';
import { readOp } from './read-op.js';
import type { RequestsSent, SentWrite } from './requests-sent.js';
import { hex, Violation } from './violation.js';

const NO_ZXIDS_PENDING = 0x7fff_ffff_ffff_ffffn;
/** Above, the number in a name also counts creates that were in progress. */
const MAX_NUMBER = 2 ** 31 - 64;
const SEQUENTIAL: ReadonlySet<number> = new Set([2, 3, 6]);
const QUOTA = '/zookeeper/quota';

type Version = ReturnType<NaiveState['versionsBetween']>[number];

/** Quotas are those of the committed tree, which may be any since the client sent the request. */
class SimPrep extends NaivePrep {
  private readonly state: NaiveState;
  private sent: bigint = 0n;
  /** The part that the server refused for its quota; -1 without one. */
  private refusedPart = -1;
  /** The part that is decided. */
  private part = -1;

  constructor(state: NaiveState) {
    super(state.tree, state.tree);
    this.state = state;
    this.committedZxid = NO_ZXIDS_PENDING;
  }

  /** @param decided by the server: it is right about a quota where both are */
  begin(write: SentWrite, decided: Txn): void {
    this.author = write.author;
    this.sent = write.after;
    const parts = decided.type === OpCode.multi ? decided.txns : [decided];
    this.refusedPart = parts.findIndex((part) => isOfQuota(describe(part)));
    this.part = -1;
  }

  protected override decide(op: PartOp | SetACLOp): Outcome {
    this.part++;
    return super.decide(op);
  }

  protected override isOverQuota(path: string, bytes: number, count: number): boolean {
    const answers = new Set<boolean>();
    for (let at = parentOf(`${path}/x`); at !== '/'; at = parentOf(at)) {
      const limits = this.state.versionsBetween(
        `${QUOTA}${at}/zookeeper_limits`,
        this.sent,
        NO_ZXIDS_PENDING,
      );
      if (limits.every(({ node }) => node === null)) continue;
      const used = this.state.versionsBetween(
        `${QUOTA}${at}/zookeeper_stats`,
        this.sent,
        NO_ZXIDS_PENDING,
      );
      for (const answer of this.answersOf(at, limits, used, bytes, count)) answers.add(answer);
      // A limit that came or went meanwhile may not count, and then one above may.
      if (!limits.some(({ node }) => node === null) && used.length > 0) break;
      answers.add(false);
    }
    if (answers.size === 0) return false;
    return answers.size > 1 ? this.part === this.refusedPart : answers.has(true);
  }

  /** Without a change of the quota, all txns before this one count, also the parts of a multi. */
  private *answersOf(
    owner: string,
    limits: readonly Version[],
    used: readonly Version[],
    bytes: number,
    count: number,
  ): Generator<boolean> {
    const now = this.proposed.nodes.get(`${QUOTA}${owner}/zookeeper_stats`);
    const isSteady = limits.length === 1 && used.every(({ node }) => node !== null);
    for (const limit of limits) {
      if (limit.node === null) continue;
      if (now !== undefined) yield isOver(limit.node.data, now.data, bytes, count);
      if (now !== undefined && isSteady) continue;
      for (const { node } of used) {
        yield node !== null && isOver(limit.node.data, node.data, bytes, count);
      }
    }
  }
}

function isOver(limits: string | null, usage: string | null, bytes: number, count: number) {
  const breaks = (what: string, hard: string, more: number): boolean => {
    const limit = figureOf(limits, hard);
    return more !== 0 && limit > -1 && figureOf(usage, what) + more > limit;
  };
  return breaks('count', 'countHardLimit', count) || breaks('bytes', 'byteHardLimit', bytes);
}

export interface JudgeTraits {
  /** Whether there are sessions that no txn opened. */
  readonly hasLocalSessions: boolean;
  readonly hasObserverMasters: boolean;
}

/** Judges each committed txn by the request that it answers, and not by what the server says. */
export class RequestJudge {
  private readonly state: NaiveState;
  private readonly sent: RequestsSent;
  private readonly prep: SimPrep;
  private readonly traits: JudgeTraits;
  judged = 0;

  constructor(state: NaiveState, sent: RequestsSent, traits: JudgeTraits) {
    this.state = state;
    this.sent = sent;
    this.prep = new SimPrep(state);
    this.traits = traits;
  }

  /** Call it before the naive tree follows the txn. */
  judge(head: TxnHead, txn: Txn): void {
    const { cxid, zxid } = head;
    if (txn.type === OpCode.deleteContainer) {
      this.judgeReap(head, txn.path);
      return;
    }
    if (cxid === 0 || txn.type === OpCode.createSession) return;
    const writes = this.sent.find(head.sessionId, cxid);
    if (writes.length === 0) {
      throw new Violation(`${hex(zxid)} is request ${cxid} of a session, which nobody sent`);
    }
    const found = describe(txn);
    const expected = writes.flatMap((write) => this.expected(head, txn, write));
    this.judged++;
    if (expected.includes(found)) return;
    // If clients share a session, nobody knows which sent it, and so not since when it waits.
    if (writes.length > 1 && [found, ...expected].some(isOfQuota)) return;
    throw new Violation(
      `${hex(zxid)} decides ${found} (expected by its request: ${expected.join(' or ')})`,
    );
  }

  /** All that the server may have decided. */
  private expected(head: TxnHead, txn: Txn, write: SentWrite): string[] {
    const { sessionId, zxid } = head;
    const all: string[] = [];
    const isOpen = this.state.isOpen(sessionId);
    if (!isOpen) all.push(errorOf(ErrorCode.SESSIONEXPIRED));
    if (!isOpen && !this.traits.hasLocalSessions) return all;
    if (write.type !== OpCode.closeSession && this.sent.mayHaveMoved(sessionId)) {
      all.push(errorOf(ErrorCode.SESSIONMOVED));
      // An observer master lets the leader refuse a request that deletes "/".
      if (this.traits.hasObserverMasters) all.push(errorOf(ErrorCode.BADARGUMENTS));
      if (this.sent.hadMoved(sessionId, write, zxid)) return all;
    }
    if (write.type === OpCode.closeSession) {
      const paths = this.state.tree.ephemeralsOf(sessionId);
      all.push(describe({ type: OpCode.closeSession, paths }));
    } else if (write.type === OpCode.reconfig) {
      // The check of memberships judges it.
      all.push(describe(txn));
    } else all.push(this.byPrep(head, txn, write));
    return all;
  }

  private byPrep(head: TxnHead, txn: Txn, write: SentWrite): string {
    const op = readOp(write.type, write.body);
    if (op === undefined) return errorOf(ErrorCode.MARSHALLINGERROR);
    if (this.hasUnknownNumber(op)) return describe(txn);
    write.author.isLocal = !this.state.isOpen(head.sessionId);
    this.prep.begin(write, txn);
    const foreseen = describe(siblingsInOrder(this.prep.foresee(op, head), op));
    return foreseen === describe(siblingsInOrder(txn, op)) ? describe(txn) : foreseen;
  }

  /** Past the highest number, a name also counts the creates in progress. */
  private hasUnknownNumber(op: Op): boolean {
    if (!('flags' in op)) return false;
    const cversion = this.state.tree.nodes.get(parentOf(op.path))?.cversion ?? 0;
    return SEQUENTIAL.has(op.flags) && (cversion > MAX_NUMBER || cversion < 0);
  }

  /** Only an empty container that was used, and an empty TTL znode that is too old. */
  private judgeReap({ zxid, time }: TxnHead, path: string): void {
    const node = this.state.tree.nodes.get(path);
    const kind = node === undefined ? 'none' : kindOf(node.owner);
    const isEmpty = this.state.tree.childrenOf(path).length === 0;
    const isUsed = kind === 'container' && node !== undefined && node.cversion > 0;
    const isOld = kind === 'ttl' && node !== undefined && time - node.mtime > ttlOf(node.owner);
    if (isEmpty && (isUsed || isOld)) return;
    throw new Violation(`${hex(zxid)} deletes ${path}, which is not due (${kind})`);
  }
}

function isOfQuota(text: string): boolean {
  return text.includes(`error ${ErrorCode.QUOTAEXCEEDED}`);
}

function errorOf(err: number): string {
  return describe({ type: OpCode.error, err });
}

/** The same text for txns that mean the same. */
function describe(txn: Txn): string {
  switch (txn.type) {
    case OpCode.error:
      return `error ${txn.err}`;
    case OpCode.multi:
      return `multi(${txn.txns.map(describe).join('; ')})`;
    case OpCode.closeSession:
      return `close ${[...(txn.paths ?? [])].sort().join(' ')}`;
    case OpCode.createSession:
      return `session ${txn.timeoutMs}`;
    case OpCode.setData:
    case OpCode.reconfig:
      return `set ${txn.path} ${shown(textOf(txn.data))} ${txn.version}`;
    case OpCode.setACL:
      return `acl ${txn.path} ${rightsOf(txn.acl)} ${txn.version}`;
    case OpCode.check:
      return `check ${txn.path} ${txn.version}`;
    case OpCode.delete:
    case OpCode.deleteContainer:
      return `delete ${txn.path}`;
    default: {
      const isNear = txn.parentCVersion > MAX_NUMBER || txn.parentCVersion < 0;
      const path = isNear ? txn.path.replace(/-?\d{9,10}$/, '#') : txn.path;
      const number = isNear ? '#' : txn.parentCVersion;
      const kind = `${txn.type} ${txn.isEphemeral} ${txn.ttl}`;
      return `create ${path} ${shown(textOf(txn.data))} ${rightsOf(txn.acl)} ${kind} ${number}`;
    }
  }
}

function shown(data: string | null): string {
  if (data === null) return 'null';
  return data.length > 60 ? `${data.slice(0, 40)}… ${lengthOf(data)}` : `"${data}"`;
}

function rightsOf(acl: readonly { perms: number; id: { scheme: string; id: string } }[]): string {
  return acl.map(({ perms, id }) => `${perms}:${id.scheme}:${id.id}`).join();
}
