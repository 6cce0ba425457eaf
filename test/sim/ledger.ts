import { readTxn, type TxnHead } from '../../src/files/txn.js';
import { textOf } from '../../src/files/txn-data.js';
import { FIRST_KEEPER_OP } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { zxidCounter, zxidEpoch } from '../../src/protocol/zxid.js';
import {
  formatQuorumConfig,
  type QuorumConfig,
} from '../../src/server/quorum/membership/quorum-config.js';
import type { Data } from '../../src/server/quorum/peer/role.js';
import type { Op } from '../model/operations.js';
import type { Reply } from '../model/replies.js';
import type { Delivered } from './clients/watched-peer.js';
import { ExpiryJudge } from './expiry-judge.js';
import { NaiveState } from './naive-state.js';
import { readOp } from './read-op.js';
import { type JudgeTraits, RequestJudge } from './request-judge.js';
import { RequestsSent } from './requests-sent.js';
import { parse } from './shape.js';
import { hex, Violation } from './violation.js';
import { CONFIG, isRefusal, ZnodeHistory } from './znode-history.js';

/**
 * The committed txns. The first server that commits a txn records it here, and all others must
 * commit the same one in the same place. The ledger also tracks the values of znodes.
 */
export class Ledger {
  private readonly entries = new Map<bigint, Buffer>();
  /** Their place in the order of commits. */
  private readonly places = new Map<bigint, number>();
  private readonly digests = new Map<bigint, { readonly digest: bigint; readonly sid: number }>();
  private readonly leaders = new Map<bigint, number>();
  readonly znodes = new ZnodeHistory();
  /** All znodes and sessions at every zxid, and the judge of each txn by its request. */
  readonly state = new NaiveState();
  private readonly judge: RequestJudge;
  readonly expiry: ExpiryJudge;
  /** The last committed request of each session. */
  private readonly cxids = new Map<bigint, number>();
  /** Sessions that more than one client has used. */
  readonly shared = new Set<bigint>();
  readonly sent = new RequestsSent(this.shared);
  /** The last committed txn. */
  last = 0n;
  /** The memberships that came into force, by the zxids of their txns. */
  private readonly configs: QuorumConfig[];
  /** Memberships that a leader proposed in its epoch, by their versions. */
  private readonly proposed = new Map<bigint, QuorumConfig>();
  /** Configurations that were already checked. */
  private readonly known = new WeakSet<QuorumConfig>();
  private readonly sessions = new Set<bigint>();
  private readonly strangers = new Set<bigint>();

  private readonly first: bigint;

  /** @param first the last txn of the data that all servers start with */
  constructor(
    config: QuorumConfig,
    first: bigint,
    { now, ...traits }: JudgeTraits & { now: () => number },
  ) {
    this.expiry = new ExpiryJudge(now);
    this.configs = [config];
    this.first = first;
    this.judge = new RequestJudge(this.state, this.sent, traits);
  }

  get judged(): number {
    return this.judge.judged;
  }

  get reconfigs(): number {
    return this.configs.length - 1;
  }

  get localSessions(): number {
    return this.strangers.size;
  }

  /**
   * The configurations that each need a quorum with the txn on disk. A reconfig needs the old and
   * the new one.
   */
  configsFor(zxid: bigint): QuorumConfig[] {
    const before = this.configs.findLast(({ version }) => version < zxid);
    const now = this.configs.findLast(({ version }) => version <= zxid);
    return [...new Set([before, now])].filter((config) => config !== undefined);
  }

  describeConfigs(zxid: bigint): string {
    const texts = this.configsFor(zxid).map(({ version, members }) => {
      return `${rolesIn(members)} since ${hex(version)}`;
    });
    return texts.join(' and of ');
  }

  /** The leader of an epoch proposed a membership, which may never commit. */
  propose(config: QuorumConfig): void {
    if (zxidCounter(config.version) !== 0) this.proposed.set(config.version, config);
  }

  /**
   * A new leader activates the newest membership that it knows to be proposed, even if no log has
   * its txn (Apache's Leader.startZkServer).
   */
  activateProposed({ version }: QuorumConfig, epoch: number): void {
    const proposed = this.proposed.get(version);
    const newest = this.configs.at(-1) as QuorumConfig;
    const isNewer = version > newest.version && zxidEpoch(version) < epoch;
    if (proposed === undefined || !isNewer) return;
    this.configs.push(proposed);
    this.znodes.activate(formatQuorumConfig(proposed), version, this.last);
  }

  /** The membership that a server uses must have come into force, or be the first one. */
  checkConfig(sid: number, config: QuorumConfig): void {
    if (this.known.has(config)) return;
    const { version, members } = config;
    const isFirst = zxidCounter(version) === 0;
    const committed = isFirst
      ? this.configs[0]
      : this.configs.find((config) => config.version === version);
    const isUnseen = this.znodes.unseen.some(({ from, to }) => version > from && version <= to);
    if (committed === undefined && isUnseen) return;
    const expected = committed === undefined ? 'none' : rolesIn(committed.members);
    const isJoiner = version === 0n && !committed?.members.has(sid);
    if (isJoiner || expected === rolesIn(members)) {
      this.known.add(config);
      return;
    }
    const found = `${rolesIn(members)} of version ${hex(version)}`;
    throw new Violation(`server ${sid} has the members ${found}, not ${expected}`);
  }

  get size(): number {
    return this.entries.size;
  }

  /** @returns whether this is the first commit of the txn */
  commit(sid: number, { zxid, entry }: Delivered): boolean {
    const known = this.entries.get(zxid);
    if (known !== undefined) {
      if (!known.equals(entry)) {
        throw new Violation(`server ${sid} commits a different txn at ${hex(zxid)} than before`);
      }
      return false;
    }
    if (this.znodes.unseen.some(({ from, to }) => zxid > from && zxid <= to)) return false;
    if (zxid <= this.last) {
      throw new Violation(
        `server ${sid} commits ${hex(zxid)} after ${hex(this.last)} and omits txns`,
      );
    }
    this.places.set(zxid, this.places.size);
    this.entries.set(zxid, entry);
    this.last = zxid;
    const { head, txn } = readTxn(entry);
    if (!isRefusal(txn)) this.checkOrder(head, txn.type);
    if (txn.type === OpCode.createSession) this.sessions.add(head.sessionId);
    if (txn.type === OpCode.reconfig) this.adoptNext(textOf(txn.data) ?? '', zxid);
    this.judge.judge(head, txn);
    this.expiry.judge(head, txn, this.state.sessions.get(head.sessionId)?.timeoutMs);
    this.state.follow(head, txn, this.keeperOpOf(head));
    this.znodes.follow(head, txn);
    return true;
  }

  /** Null if clients share the session: nobody knows whose request it is. */
  private keeperOpOf({ sessionId, cxid }: TxnHead): Op | null | undefined {
    const writes = this.sent.find(sessionId, cxid);
    const op = writes
      .filter(({ type }) => type === OpCode.multi || type >= FIRST_KEEPER_OP)
      .map(({ type, body }) => readOp(type, body))
      .find((one) => one !== undefined && isOfKeeper(one));
    return op !== undefined && writes.length > 1 ? null : op;
  }

  /**
   * The requests of a session take effect in the order sent, unless two clients share it. Only a
   * closeSession that was delayed on an earlier connection still closes the session, as by Apache's
   * PrepRequestProcessor, which does not ask for the session's owner there.
   */
  private checkOrder({ sessionId, cxid, zxid }: TxnHead, type: number): void {
    if (cxid <= 0 || this.shared.has(sessionId)) return;
    const before = this.cxids.get(sessionId) ?? 0;
    if (cxid <= before) {
      if (type === OpCode.closeSession) return;
      throw new Violation(
        `${hex(zxid)} is request ${cxid} of a session, committed after request ${before}`,
      );
    }
    this.cxids.set(sessionId, cxid);
  }

  /** Whether `next` may follow directly after `before`. Unknown txns may. */
  isNext(before: bigint, next: bigint): boolean {
    const place = this.places.get(before);
    const nextPlace = this.places.get(next);
    return place === undefined || nextPlace === undefined || nextPlace === place + 1;
  }

  /** Adopts the effects of txns that a leader received only in a snapshot. */
  adopt({ tree, sessions }: Data, zxid: bigint): void {
    if (zxid <= this.last || zxidCounter(zxid) === 0) return;
    this.state.adopt(tree, sessions, zxid);
    this.znodes.unseen.push({ from: this.last, to: zxid });
    this.last = zxid;
    const text = tree.dataAt(CONFIG);
    if (typeof text === 'string' && text !== '') this.adoptConfig(parse(text));
    this.znodes.adopt(tree, zxid);
  }

  private adoptNext(text: string, zxid: bigint): void {
    const config = parse(text);
    if (config.version !== zxid) throw new Violation(`${hex(zxid)} makes a different version`);
    this.configs.push(config);
  }

  private adoptConfig(config: QuorumConfig): void {
    const { version } = this.configs.at(-1) as QuorumConfig;
    if (zxidCounter(config.version) !== 0 && config.version > version) this.configs.push(config);
  }

  /** Whether it knows the tree after this txn. */
  knows(zxid: bigint): boolean {
    if (this.znodes.isUnseenBetween(zxid, zxid)) return false;
    return zxid === this.first || this.entries.has(zxid);
  }

  /** Trees at the same zxid must be equal. */
  compareDigest(sid: number, zxid: bigint, digest: bigint): void {
    const known = this.digests.get(zxid);
    if (known === undefined) {
      this.digests.set(zxid, { digest, sid });
    } else if (known.digest !== digest) {
      throw new Violation(`servers ${known.sid} and ${sid} have different trees at ${hex(zxid)}`);
    }
  }

  /** The last txn that was committed in an epoch before this one. */
  lastBefore(epoch: number): bigint {
    if (zxidEpoch(this.last) < epoch) return this.last;
    let last = 0n;
    for (const zxid of this.entries.keys()) {
      if (zxidEpoch(zxid) < epoch && zxid > last) last = zxid;
    }
    return last;
  }

  /** An epoch never has two leaders. */
  own(sid: number, epoch: bigint): void {
    const owner = this.leaders.get(epoch) ?? sid;
    if (owner !== sid) {
      throw new Violation(`server ${sid} leads epoch ${epoch}, which server ${owner} led before`);
    }
    this.leaders.set(epoch, sid);
  }

  /** Whether a txn opened the session. Unknown if a leader received txns only in a snapshot. */
  isGlobal(sessionId: bigint): boolean {
    return this.sessions.has(sessionId);
  }

  private isLocal(sessionId: bigint): boolean {
    return !this.sessions.has(sessionId) && this.znodes.unseen.every(({ to }) => to <= this.first);
  }

  /** The reply to a write; undefined if no txn of that session and request is there. */
  replyTo(sessionId: bigint, cxid: number, zxid: bigint): Reply | undefined {
    const entry = this.entries.get(zxid);
    if (entry === undefined) return undefined;
    const { head, txn } = readTxn(entry);
    const isOther = head.sessionId !== sessionId || head.cxid !== cxid;
    return isOther || txn.type === OpCode.reconfig ? undefined : this.state.replyTo(zxid);
  }

  /** A client received the response to its write. */
  acknowledged(sessionId: bigint, cxid: number, zxid: bigint): void {
    const entry = this.entries.get(zxid);
    if (entry === undefined) {
      throw new Violation(
        `a write was acknowledged at ${hex(zxid)}, but no txn is committed there`,
      );
    }
    const { head } = readTxn(entry);
    if (this.isLocal(sessionId)) this.strangers.add(sessionId);
    if (head.sessionId !== sessionId || head.cxid !== cxid) {
      throw new Violation(`a write was acknowledged with the txn ${hex(zxid)} of another session`);
    }
  }
}

/** "1 2 (3)": two voters, one observer. */
function rolesIn(members: QuorumConfig['members']): string {
  const names = [...members].map(([sid, { role }]) =>
    role === 'observer' ? `(${sid})` : `${sid}`,
  );
  return names.sort().join(' ');
}

function isOfKeeper(op: Op): boolean {
  return op.type === OpCode.multi ? op.ops.some(isOfKeeper) : op.type >= FIRST_KEEPER_OP;
}
