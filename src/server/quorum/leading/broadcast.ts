/**
 * An established leader sends PROPOSAL to followers, COMMIT when a quorum has the txn on disk, and
 * INFORM to observers, all in zxid order. It never commits without a quorum, and its own ack counts
 * only when its own disk has the txn.
 */
import { assert } from '../../../base/assert.js';
import { Fifo } from '../../../base/fifo.js';
import type { Txn } from '../../../files/txn.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import { lowOf } from '../../../jute/long.js';
import type { ErrorCode } from '../../../protocol/error-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { ContainerManager } from '../../pipeline/container-manager.js';
import { Primary } from '../../pipeline/primary.js';
import type { ProposalListener } from '../../pipeline/proposal-listener.js';
import type { Server } from '../../server.js';
import type { Request } from '../../state/request.js';
import type { ServerState } from '../../state/server-state.js';
import {
  configData,
  containsExcusedQuorum,
  type IsExcused,
  NOBODY,
  type QuorumConfig,
} from '../membership/quorum-config.js';
import type { Peer } from '../peer/peer.js';
import { handoverData } from '../wire/handover-packets.js';
import {
  type Packet,
  PacketType,
  packetName,
  readRequest,
  readRevalidation,
  touchSessions,
} from '../wire/quorum-packet.js';
import { type LearnerHandler, type Learners, trustedIds } from './learners.js';
import { configOf, designatedLeader, planReconfig } from './reconfig.js';

export interface Proposed {
  readonly zxid: bigint;
  readonly entry: ByteRange;
  /** Set if the txn is a reconfig: it and all later txns need a quorum of both configurations. */
  readonly config: QuorumConfig | null;
}

export interface Acked {
  readonly sid: number;
  readonly zxid: bigint;
}

/** The uncommitted proposals of a leader. A server's last ack covers all earlier zxids. */
export class OutstandingProposals {
  /** In zxid order, without gaps: those after `lastCommitted` up to `lastProposed`. */
  private readonly proposals = new Fifo<Proposed>();
  /** Number of reconfigs in `proposals`; almost always 0. */
  private reconfigs = 0;
  /** At first the zxid of NEWLEADER; `push` raises it by 1. */
  lastProposed = 0n;
  /** At first the zxid of NEWLEADER; at most `lastProposed`; `shift` raises it. */
  lastCommitted = 0n;

  get length(): number {
    return this.proposals.length;
  }

  values(): Iterable<Proposed> {
    return this.proposals.values();
  }

  push(proposed: Proposed): void {
    const { lastProposed } = this;
    const isNext = ((lowOf(lastProposed) + 1) | 0) === lowOf(proposed.zxid);
    const isLater = proposed.zxid > lastProposed && isNext;
    assert(isLater, 'zxid order: proposed out of order', proposed.zxid, lastProposed);
    this.lastProposed = proposed.zxid;
    if (proposed.config !== null) this.reconfigs++;
    this.proposals.push(proposed);
  }

  /** Removes the proposal `zxid`, which must be the next one. */
  shift(zxid: bigint): Proposed {
    const next = this.proposals.shift();
    assert(next?.zxid === zxid, 'zxid order: committed out of order', zxid, next?.zxid);
    assert(zxid > this.lastCommitted, 'zxid order: committed twice', zxid, this.lastCommitted);
    this.lastCommitted = zxid;
    if (next.config !== null) this.reconfigs--;
    assert(this.reconfigs >= 0, 'config: more committed than proposed', this.reconfigs);
    return next;
  }

  /**
   * The last zxid that may be committed: a quorum of `config` has it, and of each reconfig up to
   * it. It never passes a reconfig, because the next txn needs another quorum.
   * @param isExcused the voters of a pair that the oracle excuses now
   */
  committable(config: QuorumConfig, acked: readonly Acked[], isExcused = NOBODY): bigint {
    let best = this.quorumZxid(config, acked, isExcused);
    if (this.reconfigs === 0) return best < this.lastProposed ? best : this.lastProposed;
    for (const { zxid, config: next } of this.proposals.values()) {
      if (next === null) continue;
      if (best < zxid) break;
      const isAgreed = this.quorumZxid(next, acked, isExcused) >= zxid;
      best = isAgreed ? zxid : zxid - 1n;
      break;
    }
    return best < this.lastProposed ? best : this.lastProposed;
  }

  /** The last zxid that a quorum of `config` has, or the last committed one. */
  private quorumZxid(config: QuorumConfig, acked: readonly Acked[], isExcused: IsExcused): bigint {
    let best = this.lastCommitted;
    for (const { zxid } of acked) {
      if (zxid <= best) continue;
      const having = new Set<number>();
      for (const other of acked) if (other.zxid >= zxid) having.add(other.sid);
      if (containsExcusedQuorum(config, having, isExcused)) best = zxid;
    }
    return best;
  }
}

/** Leaves zxids for txns in progress when a new epoch begins (ZOOKEEPER-1277). */
const LAST_COUNTER = 0xfff0_0000;

export interface BroadcastOptions {
  makeContainers(state: ServerState): ContainerManager;
}

export class Broadcast implements ProposalListener {
  readonly server: Server;
  readonly outstanding = new OutstandingProposals();
  private readonly syncs: SyncRounds;
  readonly proposalSizes = new ProposalSizes();
  private readonly peer: Peer;
  private readonly learners: Learners;
  private readonly epochZxid: bigint;
  private readonly primary: Primary;
  private readonly startedMs: number;
  private readonly times: ProposalTimes;
  /** The own log has all up to here on disk; at most `lastProposed`; never falls. */
  private durableZxid: bigint;
  /** A quorum has all up to here by the last count: nothing later is committed before the next. */
  private agreedZxid: bigint;
  /** Set when the leader gave up or handed over: it commits nothing more. */
  isOver = false;

  /** @param epochZxid the zxid of NEWLEADER, before the first txn of the epoch */
  constructor(peer: Peer, learners: Learners, epochZxid: bigint, options: BroadcastOptions) {
    this.peer = peer;
    this.learners = learners;
    this.syncs = new SyncRounds(peer, learners, this.onConfirmed);
    this.epochZxid = epochZxid;
    this.startedMs = peer.nowMs;
    this.times = new ProposalTimes(peer.metrics);
    const { tree } = peer.data;
    const { lastProcessedZxid } = tree;
    const isLater = epochZxid > lastProcessedZxid && lowOf(epochZxid) === 0;
    assert(isLater, 'zxid order: an epoch before a txn', epochZxid, lastProcessedZxid);
    this.durableZxid = epochZxid;
    this.agreedZxid = epochZxid;
    tree.lastProcessedZxid = epochZxid;
    this.outstanding.lastProposed = epochZxid;
    this.outstanding.lastCommitted = epochZxid;
    const { server, pipeline } = peer.serve(
      (state, host) =>
        new Primary(state, host, {
          snapshots: peer.snapshots,
          containers: options.makeContainers(state),
          listener: this,
        }),
    );
    this.server = server;
    this.primary = pipeline;
  }

  get uptimeMs(): number {
    return this.peer.nowMs - this.startedMs;
  }

  get pendingSyncs(): number {
    return this.primary.inProcess - this.outstanding.length;
  }

  /** Activates the configuration that NEWLEADER carried. */
  begin(): void {
    const { membership } = this.peer;
    if (membership.next !== null) this.activate(membership.next, this.epochZxid);
    assert(
      membership.next === null,
      'config: one is proposed at the start',
      membership.next?.version,
    );
  }

  /** Accepts clients. */
  open(): void {
    const { server } = this.peer;
    assert(server === this.server, 'role: opens the server of another role');
    this.server.open(this.peer.limits.leaderServes);
  }

  receive(handler: LearnerHandler, packet: Packet): string {
    switch (packet.type) {
      case PacketType.PING:
        if (!handler.isSynced) return '';
        touchSessions(this.server.state, packet.data);
        this.syncs.heard(handler, packet.zxid);
        return '';
      case PacketType.REQUEST:
        return this.forwarded(handler, packet);
      case PacketType.REVALIDATE:
        return this.revalidate(handler, packet);
      default:
        return `${packetName(packet.type)}: not a packet that a learner sends`;
    }
  }

  private forwarded(handler: LearnerHandler, packet: Packet): string {
    const request = readRequest(packet.data);
    if (request === undefined) return 'REQUEST: damaged';
    const { sessionId, cxid, type, input } = request;
    const ids = trustedIds(packet.authinfo, handler, this.peer.membership);
    const { isOfKeeper } = handler;
    this.primary.forwarded({ origin: handler, sessionId, cxid, type, input, ids, isOfKeeper });
    return '';
  }

  private revalidate(handler: LearnerHandler, { data: asked, zxid }: Packet): string {
    const session = readRevalidation(asked);
    this.peer.metrics.count('revalidate_count');
    if (session === undefined) return 'REVALIDATE: damaged';
    const isValid = this.server.moveSession(session.sessionId, session.timeoutMs, handler);
    const owner = this.server.state.sessions.find(session.sessionId)?.owner;
    const isMoved = !isValid || owner === handler;
    assert(isMoved, 'request: a session that did not move', session.sessionId);
    const data = Buffer.alloc(9);
    data.writeBigInt64BE(session.sessionId);
    data[8] = isValid ? 1 : 0;
    handler.send(PacketType.REVALIDATE, zxid, data);
    return '';
  }

  /**
   * The learner has all up to `zxid` on disk. `Leader.step` counts the acks that came together, and
   * commits. Returns what is wrong with the ack, if anything.
   */
  ack(handler: LearnerHandler, zxid: bigint): string | undefined {
    if (zxid > this.outstanding.lastProposed) return 'it acked a txn that was never proposed';
    // The ack of UPTODATE carries no information.
    if (lowOf(zxid) !== 0) {
      handler.acked(zxid, this.outstanding.lastProposed, this.peer.nowMs);
      this.times.acked(handler.sid, zxid, this.peer.wallMs);
    }
    return undefined;
  }

  proposed(zxid: bigint, entry: ByteRange, txn: Txn): void {
    const config = configOf(txn);
    assert(
      config === null || config.version === zxid,
      'config: of another version than its txn',
      config?.version,
      zxid,
    );
    if (config !== null) this.peer.membership.propose(config);
    this.outstanding.push({ zxid, entry, config });
    this.proposalSizes.note(entry.length);
    this.peer.metrics.count('proposal_count');
    this.times.proposed(zxid, this.peer.wallMs);
    const bytes = entry.view();
    for (const handler of this.learners.all()) {
      if (handler.isForwardedTo && !handler.isObserver) handler.propose(zxid, bytes);
    }
    if (lowOf(zxid) >>> 0 >= (this.peer.limits.lastCounter ?? LAST_COUNTER)) {
      this.peer.giveUp('all zxids of this epoch are used: starting a new epoch');
    }
  }

  /** Returns the new configuration as data, with version `zxid`, or the error of the request. */
  reconfigure(request: ReconfigRequest, zxid: bigint): string | ErrorCode {
    const { membership, limits } = this.peer;
    const rules = {
      membership,
      isStandaloneEnabled: limits.standaloneEnabled,
      isMultiAddress: limits.isMultiAddress ?? false,
      followers: this.learners.followers(),
    };
    const config = planReconfig(rules, request, zxid);
    return typeof config === 'number' ? config : configData(config);
  }

  durable(zxid: bigint): void {
    const { lastProposed } = this.outstanding;
    assert(zxid <= lastProposed, 'disk: stored a txn that it never proposed', zxid, lastProposed);
    this.primary.durable(zxid);
    if (zxid > this.durableZxid) {
      // The zxids of an epoch have no gaps.
      this.times.durable(Number(zxid - this.durableZxid), this.peer.wallMs);
      this.durableZxid = zxid;
    }
    this.tryCommit();
  }

  private acked(): Acked[] {
    const acked = [{ sid: this.peer.sid, zxid: this.durableZxid }];
    for (const { sid, isSynced, ackedZxid, isObserver } of this.learners.all()) {
      if (isSynced && !isObserver) acked.push({ sid, zxid: ackedZxid });
    }
    return acked;
  }

  /** Commits a reconfig alone, because a later txn may need another quorum. */
  tryCommit(isExcused?: IsExcused): void {
    const { outstanding } = this;
    while (outstanding.length > 0 && !this.isOver) {
      const { config } = this.peer.membership;
      const zxid = outstanding.committable(config, this.acked(), isExcused);
      const before = outstanding.lastCommitted;
      const { lastProposed } = outstanding;
      assert(zxid >= before, 'quorum: takes back a commit', zxid, before);
      assert(zxid <= lastProposed, 'quorum: has a txn that was never proposed', zxid, lastProposed);
      if (zxid <= before) return;
      this.checkQuorum(zxid, isExcused);
      this.primary.commit(zxid);
      // A pending sync before this txn waits for a quorum.
      if (outstanding.lastCommitted === before) return;
    }
  }

  /**
   * Counts again, apart from `committable`, who has a txn on disk before it is committed: a quorum
   * of the membership in force, and of the proposed one if the txn is that reconfig or a later one.
   */
  private checkQuorum(zxid: bigint, isExcused: IsExcused = NOBODY): void {
    const { membership, sid } = this.peer;
    const holders = new Set<number>();
    if (this.durableZxid >= zxid) holders.add(sid);
    for (const { sid, isSynced, ackedZxid, isObserver } of this.learners.all()) {
      if (isSynced && !isObserver && ackedZxid >= zxid) holders.add(sid);
    }
    const { config, next } = membership;
    const isAgreed = containsExcusedQuorum(config, holders, isExcused);
    assert(isAgreed, 'quorum: a commit without one', zxid, holders.size);
    const isOld = next === null || zxid < next.version;
    const isAgreedNext = isOld || containsExcusedQuorum(next, holders, isExcused);
    assert(isAgreedNext, 'quorum: a commit without the proposed one', zxid, holders.size);
    this.agreedZxid = zxid;
  }

  /** The oracle lets this leader decide without some voters. */
  excuse(isExcused: IsExcused): void {
    this.tryCommit(isExcused);
    this.syncs.excuse(isExcused);
  }

  /** The last txn that is committed, and on the disk. */
  get storedZxid(): bigint {
    const { lastCommitted, lastProposed } = this.outstanding;
    assert(
      lastCommitted <= lastProposed,
      'zxid order: committed before it is proposed',
      lastCommitted,
    );
    return lastCommitted < this.durableZxid ? lastCommitted : this.durableZxid;
  }

  /** Whether a txn on this disk, or a sync, waits for others. */
  get isWaiting(): boolean {
    const { length, lastCommitted } = this.outstanding;
    return this.syncs.isWaiting || (length > 0 && this.durableZxid > lastCommitted);
  }

  committed(zxid: bigint): void {
    const isAgreed = this.isOver || zxid <= this.agreedZxid;
    assert(isAgreed, 'quorum: a commit before it', zxid, this.agreedZxid);
    const { entry, config } = this.outstanding.shift(zxid);
    this.peer.committedLog.add(zxid, entry);
    if (this.isOver) return;
    this.times.committed(this.peer.wallMs);
    if (config !== null) {
      this.activate(config, zxid, entry);
      return;
    }
    this.peer.metrics.count('commit_count');
    let bytes: Buffer | null = null;
    for (const handler of this.learners.all()) {
      if (!handler.isForwardedTo) continue;
      if (handler.isObserver) {
        bytes ??= entry.view();
        handler.inform(PacketType.INFORM, zxid, bytes);
      } else handler.commit(zxid);
    }
  }

  syncAsked(): void {
    this.syncs.ask();
  }

  takeSync(): boolean {
    return this.isOver || this.syncs.take();
  }

  synced(request: Request): void {
    request.origin?.synced();
  }

  private readonly onConfirmed = (): void => {
    this.primary.commit(this.outstanding.lastCommitted);
    this.tryCommit();
  };

  drain(): void {
    this.syncs.drain();
  }

  /**
   * If this server does not vote in the committed configuration, the voter with the latest ack
   * leads, so that the handover loses the fewest txns.
   */
  private activate(config: QuorumConfig, zxid: bigint, entry?: ByteRange): void {
    const { peer } = this;
    const designated = designatedLeader(peer.membership.config, config, peer.sid, this.acked());
    peer.activate(config);
    if (entry !== undefined) this.announce(zxid, entry, designated);
    if (designated === peer.sid) return;
    assert(!this.isOver, 'role: hands over twice', designated);
    this.isOver = true;
    peer.handOver(designated, `server ${designated} leads in the new configuration`);
  }

  /**
   * Lets no client begin a request. Returns the learners, which do the same. Without a txn of this
   * epoch, the next leader would take the history of this one for a newer one.
   */
  prepareHandOver(): Set<LearnerHandler> {
    this.server.park();
    if (this.outstanding.lastProposed === this.epochZxid) this.primary.proposeNothing();
    const told = this.serving();
    for (const handler of told) handler.send(PacketType.PREPARE_HANDOVER, this.epochZxid);
    return new Set(told);
  }

  private serving(): LearnerHandler[] {
    return [...this.learners.all()].filter((one) => one.stage === 'active' && one.isForwardedTo);
  }

  /** Whether all that was proposed is committed and answered. */
  get isQuiet(): boolean {
    return this.primary.inProcess === 0;
  }

  /**
   * Ends this role in favor of a voter that is in sync, whose link has all that was proposed: it
   * commits the rest first.
   * @param claims the sessions that learners have clients of; who has not answered keeps nobody
   */
  handOver(sid: number, claims: ReadonlyMap<LearnerHandler, readonly bigint[] | null>): void {
    assert(!this.isOver, 'role: hands over twice', sid);
    const { lastProposed } = this.outstanding;
    for (const handler of this.serving()) {
      const claimed = claims.get(handler) ?? null;
      const elsewhere = claimed?.filter((id) => this.isElsewhere(id, handler)) ?? null;
      handler.send(PacketType.HANDOVER, lastProposed, handoverData({ sid, elsewhere }));
    }
    this.isOver = true;
    this.peer.handOver(sid, `server ${sid} leads next, as asked`, this.isQuiet);
  }

  /** The first server that used a session in this epoch, or took it over last, has its client. */
  private isElsewhere(sessionId: bigint, handler: LearnerHandler): boolean {
    const owner = this.server.state.sessions.find(sessionId)?.owner ?? null;
    return owner !== null && owner !== handler;
  }

  private announce(zxid: bigint, entry: ByteRange, designated: number): void {
    const leader = Buffer.alloc(8);
    leader.writeBigInt64BE(BigInt(designated));
    for (const handler of this.learners.all()) {
      if (!this.learners.canActivate(handler)) continue;
      if (handler.isObserver) {
        const data = Buffer.concat([leader, entry.view()]);
        handler.inform(PacketType.INFORMANDACTIVATE, zxid, data);
      } else handler.commit(zxid, PacketType.COMMITANDACTIVATE, leader);
    }
  }

  /** Applies logged txns that are not committed, as recovery would, and sends nothing. */
  end(): void {
    this.isOver = true;
    this.primary.commit(this.outstanding.lastProposed);
    const { length, lastProposed } = this.outstanding;
    assert(length === 0, 'history: a logged txn is not applied', length);
    const { lastProcessedZxid } = this.peer.data.tree;
    assert(
      lastProcessedZxid === lastProposed,
      'history: the tree is not the log',
      lastProcessedZxid,
    );
  }
}

/**
 * Syncs at a leader. A read after a sync must show all writes acknowledged before it. So a sync
 * waits until a quorum answers a later ping: a server that follows this leader has not helped elect
 * a newer one. Apache's leader does not ask, so a deposed one may serve old data
 * (https://aphyr.com/posts/291, ZOOKEEPER-1675).
 *
 * An answer repeats the zxid of its ping. A negative one is the number of a round, since no other
 * ping has one.
 */
class SyncRounds {
  private readonly peer: Peer;
  private readonly learners: Learners;
  private readonly onConfirmed: () => void;
  /** The last round whose pings were sent; never falls. */
  private sent = 0;
  /** The last round that a quorum answered; at most `sent`; never falls. */
  private confirmed = 0;
  /** The round that each pending sync waits for, oldest first; ascending, at most `sent` + 1. */
  private readonly asked = new Fifo<number>();
  /** A sync came in this turn: `drain` begins a round. */
  private isDue = false;
  /** When the round is repeated while a sync waits, in monotonic ms. */
  private retryMs = 0;

  constructor(peer: Peer, learners: Learners, onConfirmed: () => void) {
    this.peer = peer;
    this.learners = learners;
    this.onConfirmed = onConfirmed;
  }

  ask(): void {
    this.asked.push(this.sent + 1);
    this.isDue = true;
  }

  get isWaiting(): boolean {
    return this.asked.length > 0 && this.confirmed < this.sent;
  }

  /** Removes the oldest sync if it can be answered. */
  take(): boolean {
    assert(this.asked.length > 0, 'request: a sync that nobody asked for', this.confirmed);
    if ((this.asked.peek() ?? 0) > this.confirmed) return false;
    this.asked.shift();
    return true;
  }

  /** A learner in sync answered a ping. */
  heard(handler: LearnerHandler, zxid: bigint): void {
    const round = Number(-zxid);
    if (round <= handler.syncRound || round > this.sent) return;
    assert(handler.isSynced, 'quorum: a learner that is not in sync', handler.sid);
    handler.syncRound = round;
    this.confirm(round);
  }

  /**
   * Starts a round if a sync came in this turn. Repeats it while a sync waits, because an answer is
   * lost with its link, and later proposals would wait, too.
   */
  drain(): void {
    const { nowMs, limits } = this.peer;
    const isLate = this.asked.length > 0 && nowMs >= this.retryMs;
    if (!this.isDue && !isLate) return;
    this.isDue = false;
    this.retryMs = nowMs + limits.tickTimeMs / 2;
    this.sent++;
    assert(this.confirmed < this.sent, 'quorum: confirmed before its pings', this.confirmed);
    this.learners.ping(-BigInt(this.sent));
    this.confirm(this.sent);
  }

  /** The oracle lets this leader decide without some voters. */
  excuse(isExcused: IsExcused): void {
    this.confirm(this.sent, isExcused);
  }

  private confirm(round: number, isExcused = NOBODY): void {
    assert(round <= this.sent, 'quorum: confirms a round before its pings', round, this.sent);
    if (round <= this.confirmed) return;
    const sids = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver, syncRound } of this.learners.all()) {
      if (isSynced && !isObserver && syncRound >= round) sids.add(sid);
    }
    if (!this.peer.membership.isQuorum(sids, isExcused)) return;
    assert(sids.has(this.peer.sid), 'quorum: without this leader', round);
    this.confirmed = round;
    this.onConfirmed();
  }
}

/** Measures one learner ack out of this many (leader.ackLoggingFrequency). */
const SAMPLED_EVERY = 1000;

/** Milliseconds from the time in a txn to the acks of this disk, a learner, and a quorum. */
export class ProposalTimes {
  private readonly metrics: Metrics;
  /** When each proposal was made that is not on this disk, in ms since 1970, oldest first. */
  private readonly undurable = new Fifo<number>();
  /** When each proposal was made that is not committed, in ms since 1970, oldest first. */
  private readonly uncommitted = new Fifo<number>();
  /** The proposal whose acks are measured; -1 before the first. */
  private sampledZxid = -1n;
  /** When it was made, in ms since 1970. */
  private sampledMs = 0;

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  proposed(zxid: bigint, wallMs: number): void {
    this.undurable.push(wallMs);
    this.uncommitted.push(wallMs);
    if (lowOf(zxid) % SAMPLED_EVERY !== 0) return;
    this.sampledZxid = zxid;
    this.sampledMs = wallMs;
  }

  durable(count: number, wallMs: number): void {
    assert(count <= this.undurable.length, 'disk: stored more than proposed', count);
    for (let i = 0; i < count; i++) {
      const since = this.undurable.shift();
      if (since !== undefined) this.metrics.ackCreationLatency.record(Math.max(0, wallMs - since));
    }
  }

  acked(sid: number, zxid: bigint, wallMs: number): void {
    if (zxid !== this.sampledZxid) return;
    this.metrics.recordAck(sid, Math.max(0, wallMs - this.sampledMs));
  }

  committed(wallMs: number): void {
    const since = this.uncommitted.shift();
    if (since !== undefined) this.metrics.quorumAckLatency.record(Math.max(0, wallMs - since));
  }
}

/** The sizes of a leader's proposals, in bytes; -1 before the first one. */
export class ProposalSizes {
  /** Set by each proposal, as the next two. */
  last = -1;
  /** At most `max`. */
  min = -1;
  /** At least `last`. */
  max = -1;

  note(size: number): void {
    this.last = size;
    this.max = Math.max(this.max, size);
    this.min = this.min === -1 ? size : Math.min(this.min, size);
    assert(this.min <= size && size <= this.max, 'request: a size out of range', size);
  }
}
