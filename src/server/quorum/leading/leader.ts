/**
 * The leader of an epoch (Leader, LearnerHandler; docs/protocol.md, Learners):
 *
 *   discovery        epochs of a quorum -> a newer one, durable here -> LEADERINFO -> ACKEPOCHs
 *   synchronization  each learner gets its missing txns, then NEWLEADER; a quorum must ack it
 *   broadcast        PROPOSAL -> acks of a quorum -> COMMIT, strictly in zxid order
 *
 * Never: a commit without a quorum that has the txn on disk, an epoch that is used twice, an
 * active learner that lacks a committed txn, a sync that misses a commit.
 */
import { assert } from '../../../base/assert.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import type { Server } from '../../server.js';
import type { Oracle } from '../peer/oracle.js';
import type { Peer } from '../peer/peer.js';
import type { Role } from '../peer/role.js';
import { readClaims } from '../wire/handover-packets.js';
import { type Packet, PacketType } from '../wire/quorum-packet.js';
import { Broadcast, type BroadcastOptions, type Proposed } from './broadcast.js';
import { Establishment } from './establishment.js';
import { KeeperMembers } from './keeper-members.js';
import { type LearnerHandler, Learners } from './learners.js';
import { endSync, type LearnerMaster, Synchronizer } from './synchronizer.js';

/** A handover while requests are in progress. */
interface Move {
  readonly sid: number;
  /** On the monotonic clock. */
  readonly untilMs: number;
  /** The learners that may still forward requests; those whose link has closed count no more. */
  readonly told: Set<LearnerHandler>;
  /** The sessions that those who answered have clients of; see `readClaims`. */
  readonly claims: Map<LearnerHandler, readonly bigint[] | null>;
}

export class Leader implements Role, LearnerMaster {
  readonly kind = 'leading';
  readonly learners: Learners;
  private readonly peer: Peer;
  private readonly options: BroadcastOptions;
  private readonly establishment: Establishment;
  private readonly synchronizer: Synchronizer;
  /** First to establish the epoch, then to keep enough followers. */
  private readonly deadline: QuorumDeadline;
  /** When all learners get the next ping, in monotonic ms; Infinity before `synchronization`. */
  private nextPingMs = Number.POSITIVE_INFINITY;
  /** A handover that was asked for; null for none. */
  private move: Move | null = null;
  private readonly ownEpoch: number;
  private readonly ownZxid: bigint;
  private readonly beganMs: number;
  readonly lone: LoneLeader | null;
  private readonly keeper: KeeperMembers;
  /** Null until a quorum has acked NEWLEADER. */
  broadcast: Broadcast | null = null;

  constructor(peer: Peer, options: BroadcastOptions) {
    this.peer = peer;
    this.options = options;
    this.learners = new Learners(peer);
    this.establishment = new Establishment(peer.membership, peer.sid);
    this.lone = peer.oracle === null ? null : new LoneLeader(peer, peer.oracle, this.learners);
    this.synchronizer = new Synchronizer(peer, this.learners, this);
    this.keeper = new KeeperMembers(peer, this.learners);
    this.ownEpoch = peer.currentEpoch;
    this.ownZxid = peer.data.tree.lastProcessedZxid;
    this.beganMs = peer.nowMs;
    this.deadline = new QuorumDeadline(peer, this.learners);
    assert(peer.role === null, 'role: leads during another one', peer.role?.kind);
    peer.repair.lead();
    this.connect(peer.sid, peer.acceptedEpoch);
  }

  get phase(): string {
    const { stage } = this.establishment;
    if (stage === 'broadcast') return stage;
    return this.establishment.isTaken || stage === 'taking' ? 'synchronization' : 'discovery';
  }

  /** How long it has waited for the epochs of a quorum, or -1. */
  get waitedForEpochMs(): number {
    return this.establishment.stage === 'discovery' ? this.deadline.waitedMs : -1;
  }

  get newLeaderZxid(): bigint {
    return BigInt(this.establishment.epoch) << 32n;
  }

  get server(): Server | null {
    return this.broadcast?.server ?? null;
  }

  get storedZxid(): bigint {
    return this.broadcast?.storedZxid ?? this.ownZxid;
  }

  get neededZxid(): bigint | null {
    return this.learners.neededZxid;
  }

  outstanding(): Iterable<Proposed> {
    return this.broadcast?.outstanding.values() ?? [];
  }

  /** A leader does not listen on the port of observer masters. */
  owns(event: LinkEvent): boolean {
    return event.kind !== 'link-opened' || event.isObserverPort !== true;
  }

  reconfigure(request: ReconfigRequest, zxid: bigint): string | ErrorCode {
    return this.broadcast?.reconfigure(request, zxid) ?? ErrorCode.UNIMPLEMENTED;
  }

  /** Hands over to another voter after the requests in progress. Returns why it cannot, or "". */
  moveTo(sid: number): string {
    const { broadcast, peer } = this;
    if (broadcast === null || broadcast.isOver) return 'this server does not serve';
    if (sid === peer.sid) return `server ${sid} leads already`;
    const obstacle = this.whyNotNext(sid);
    if (obstacle !== '') return obstacle;
    if (this.move !== null) return `server ${this.move.sid} is about to lead`;
    const untilMs = peer.nowMs + peer.limits.tickTimeMs / 4;
    this.move = { sid, untilMs, told: broadcast.prepareHandOver(), claims: new Map() };
    return '';
  }

  private whyNotNext(sid: number): string {
    const { membership } = this.peer;
    if (!membership.isVoter(sid)) return `server ${sid} does not vote`;
    if (membership.next !== null) return 'a reconfig is not committed yet';
    const all = [...this.learners.all()];
    const isInSync = all.some(
      (one) => one.sid === sid && one.stage === 'active' && one.isForwardedTo,
    );
    return isInSync ? '' : `server ${sid} is not in sync`;
  }

  /** Hands over when nothing is in progress, or when that takes too long. */
  private finishMove(): void {
    const { broadcast, move, peer } = this;
    if (move === null || broadcast === null) return;
    if (broadcast.isOver) {
      // A reconfig that was on its way names another leader.
      this.move = null;
      return;
    }
    const areForwarding = [...move.told].some(({ link }) => this.learners.get(link) !== undefined);
    const isDone = !areForwarding && broadcast.isQuiet;
    if (!isDone && peer.nowMs < move.untilMs) return;
    this.move = null;
    const obstacle = this.whyNotNext(move.sid);
    if (obstacle === '') {
      broadcast.handOver(move.sid, move.claims);
      return;
    }
    peer.note(`server ${move.sid} does not lead next: ${obstacle}`);
    broadcast.server.unpark();
  }

  step(event: QuorumEvent): void {
    this.synchronizer.step(event, this.receive);
    if (event.kind === 'link-received') this.broadcast?.tryCommit();
    if (event.kind === 'link-closed') this.informReleased();
    const isOwnEpoch = event.kind === 'epoch-written' && event.epoch === this.establishment.epoch;
    if (isOwnEpoch) this.epochWritten(event.name);
    if (event.kind === 'oracle-said') this.heardOracle(event.isGranted);
    this.finishMove();
  }

  private readonly receive = (handler: LearnerHandler, packet: Packet): void => {
    switch (packet.type) {
      case PacketType.FOLLOWERINFO:
      case PacketType.OBSERVERINFO:
        this.register(handler, packet);
        break;
      case PacketType.ACKEPOCH:
        this.ackEpoch(handler, packet);
        break;
      case PacketType.ACK:
        this.ack(handler, packet.zxid);
        break;
      case PacketType.PREPARE_HANDOVER:
        if (this.move?.told.delete(handler) === true) {
          this.move.claims.set(handler, readClaims(packet.data));
        }
        break;
      case PacketType.KEEPER_DIALECT:
        this.refuseFor(handler, this.keeper.heard(handler, packet));
        break;
      case PacketType.LEADERSHIP_REQUEST:
        this.asked(handler);
        break;
      default:
        // A learner that is in sync before the quorum already sends pings.
        this.refuseFor(handler, this.broadcast?.receive(handler, packet) ?? '');
    }
  };

  /** The word `rqld` of a member. */
  private asked({ sid }: LearnerHandler): void {
    const obstacle = this.moveTo(sid);
    if (obstacle !== '') this.peer.note(`server ${sid} asked to lead: ${obstacle}`);
  }

  private refuseFor(handler: LearnerHandler, problem: string): void {
    if (problem !== '') this.learners.refuse(handler, problem);
  }

  private register(handler: LearnerHandler, packet: Packet): void {
    if (!this.learners.register(handler, packet)) return;
    if (!handler.isObserver) this.lone?.joined(this.peer.membership.isVoter(handler.sid));
    assert(handler.sid !== this.peer.sid, 'learner: it is this server', handler.sid);
    const acceptedEpoch = zxidEpoch(packet.zxid);
    this.connect(handler.sid, acceptedEpoch);
    this.inform(handler);
    if (!this.learners.isPlausible(handler)) return;
    const ticks = (this.peer.nowMs - this.beganMs) / this.peer.limits.tickTimeMs;
    const end = this.establishment.overtakenBy(handler.sid, acceptedEpoch, ticks);
    if (end !== null) this.peer.giveUp(end);
  }

  private connect(sid: number, acceptedEpoch: number): void {
    if (this.establishment.connect(sid, acceptedEpoch)) this.takeStage();
  }

  /** A quorum, or the oracle, has ended the stage before. */
  private takeStage(): void {
    const { establishment, peer } = this;
    if (establishment.stage === 'proposing') peer.writeEpoch('acceptedEpoch', establishment.epoch);
    else if (establishment.stage === 'taking') peer.writeEpoch('currentEpoch', establishment.epoch);
    else this.begin();
  }

  private heardOracle(isGranted: boolean): void {
    const { establishment, lone } = this;
    if (lone?.said(isGranted)) {
      if (establishment.excuse(lone.isAbsent)) this.takeStage();
      this.broadcast?.excuse(lone.isAbsent);
    } else if (!isGranted && establishment.stage === 'broadcast' && lone?.isUpToOracle) {
      this.lostQuorum('the oracle does not let it lead alone');
    }
  }

  private epochWritten(name: string): void {
    const { establishment, peer } = this;
    if (name === 'acceptedEpoch' && establishment.stage === 'proposing') {
      establishment.written(name);
      const { acceptedEpoch } = peer;
      assert(acceptedEpoch === establishment.epoch, 'epoch: another one on disk', acceptedEpoch);
      const isLater = this.newLeaderZxid > this.ownZxid;
      assert(isLater, 'epoch: not after the history', establishment.epoch, this.ownZxid);
      this.deadline.restart();
      if (peer.isReconfigEnabled) peer.membership.raise(this.newLeaderZxid);
      for (const handler of this.learners.all()) this.inform(handler);
      this.promise(peer.sid);
    } else if (name === 'currentEpoch' && establishment.stage === 'taking') {
      establishment.written(name);
      const { currentEpoch } = peer;
      assert(currentEpoch === establishment.epoch, 'epoch: another one on disk', currentEpoch);
      this.deadline.restart();
      this.nextPingMs = peer.nowMs;
      for (const handler of this.learners.all()) this.sync(handler);
      this.ackNewLeader(peer.sid);
    }
  }

  private inform(handler: LearnerHandler): void {
    const { stage } = this.establishment;
    const isDecided = stage !== 'discovery' && stage !== 'proposing';
    if (isDecided && handler.stage === 'registered' && !handler.isHeld)
      handler.announceEpoch(this.newLeaderZxid);
  }

  private informReleased(): void {
    for (const handler of this.learners.takeReleased()) this.inform(handler);
  }

  private ackEpoch(handler: LearnerHandler, packet: Packet): void {
    const { zxid } = packet;
    const currentEpoch = handler.ackedEpoch(packet);
    if (currentEpoch === undefined) {
      this.learners.refuse(handler, 'ACKEPOCH: damaged');
      return;
    }
    // -1: it has promised this epoch before. It is synced but not counted.
    const isJoined = this.establishment.epoch === this.peer.acceptedEpoch;
    assert(isJoined, 'epoch: promised to a leader that did not accept it', this.peer.acceptedEpoch);
    if (currentEpoch !== -1 && !this.establishment.isTaken) {
      const isAhead =
        currentEpoch > this.ownEpoch || (currentEpoch === this.ownEpoch && zxid > this.ownZxid);
      if (isAhead) {
        this.learners.refuse(handler, 'its history is newer than the history of this leader');
        return;
      }
      this.promise(handler.sid);
    }
    this.sync(handler);
  }

  private promise(sid: number): void {
    if (this.establishment.promise(sid)) this.takeStage();
  }

  private sync(handler: LearnerHandler): void {
    if (this.establishment.isTaken && handler.stage === 'acked') this.synchronizer.begin(handler);
  }

  /**
   * Apache's learner may ack a txn before NEWLEADER: its log runs in a separate thread. If refused,
   * it would reconnect and log the same txns twice.
   */
  private ack(handler: LearnerHandler, zxid: bigint): void {
    if (handler.stage === 'syncing' && zxid === this.newLeaderZxid) {
      this.synchronizer.acked(handler);
    } else {
      const problem = this.broadcast?.ack(handler, zxid);
      if (problem !== undefined) this.learners.refuse(handler, problem);
    }
  }

  synchronized(handler: LearnerHandler): void {
    assert(handler.stage === 'syncing', 'learner: in sync without NEWLEADER', handler.stage);
    assert(!handler.isBehind, 'learner: in sync and behind', handler.sid);
    if (!this.learners.prove(handler)) return;
    handler.stage = 'synced';
    endSync(handler, this.peer, this.learners);
    // NEWLEADER came after all txns that were committed when it was sent.
    if (handler.ackedZxid < this.newLeaderZxid) handler.ackedZxid = this.newLeaderZxid;
    // An observer may be a voter of the configuration that NEWLEADER carries.
    this.keeper.add(handler);
    if (this.establishment.stage === 'broadcast') handler.activate(this.learners.dialect);
    else this.ackNewLeader(handler.sid);
  }

  private ackNewLeader(sid: number): void {
    if (this.establishment.sync(sid)) this.takeStage();
  }

  private begin(): void {
    const { lastProcessedZxid } = this.peer.data.tree;
    assert(this.broadcast === null, 'role: begins to serve twice', this.newLeaderZxid);
    assert(
      lastProcessedZxid === this.ownZxid,
      'zxid order: a txn before the epoch',
      lastProcessedZxid,
    );
    this.broadcast = new Broadcast(this.peer, this.learners, this.newLeaderZxid, this.options);
    this.peer.established(this.establishment.epoch);
    this.broadcast.begin();
    // An observer that became a voter by NEWLEADER must connect again.
    const isEnough = this.deadline.hasQuorum || this.lone?.isUpToOracle === true;
    this.deadline.restart(isEnough);
    this.keeper.tell();
    this.learners.activate();
    // Last, because clients that wait already send requests at once.
    this.broadcast.open();
  }

  get nextWakeMs(): number {
    const { stage } = this.establishment;
    const isServing = stage === 'broadcast';
    if (this.move !== null) return Math.min(this.nextPingMs, this.move.untilMs);
    return isServing ? this.nextPingMs : Math.min(this.deadline.nextWakeMs, this.nextPingMs);
  }

  durable(zxid: bigint): void {
    this.broadcast?.durable(zxid);
    this.finishMove();
  }

  tick(): void {
    const { nowMs, limits } = this.peer;
    const { deadline } = this;
    const isServing = this.establishment.stage === 'broadcast';
    assert(isServing === (this.broadcast !== null), 'role: established, but it does not serve');
    if (!isServing && deadline.isOver && !deadline.isQuorumComing) {
      this.peer.giveUp(`no quorum within initLimit (${deadline.initMs} ms)`);
      return;
    }
    this.learners.checkSilence();
    this.finishMove();
    this.synchronizer.tick();
    this.informReleased();
    if (nowMs < this.nextPingMs) return;
    this.nextPingMs = nowMs + limits.tickTimeMs / 2;
    this.learners.ping(this.broadcast?.outstanding.lastProposed ?? this.newLeaderZxid);
    // A leader without followers must stop answering.
    if (!isServing || !deadline.isOver || deadline.hasQuorum) return;
    const reason = this.lone?.whyStepDown();
    if (reason !== '') this.lostQuorum(reason);
  }

  private lostQuorum(reason?: string): void {
    const why = reason === undefined ? '' : `, and ${reason}`;
    this.peer.giveUp(`lost the quorum: only ${this.learners.inSync} in sync${why}`);
  }

  drain(): void {
    this.broadcast?.drain();
    this.lone?.ask(this.broadcast?.isWaiting ?? this.establishment.isCounting);
    this.keeper.tell();
    this.learners.drain();
  }

  end(): void {
    this.learners.closeAll();
    this.broadcast?.end();
    assert(this.learners.count === 0, 'link: a learner outlives its leader', this.learners.count);
  }
}

/**
 * How long a leader waits for a quorum: initLimit, and as long as the missing voters get in sync. A
 * large tree takes longer, and `Learners.checkSilence` ends the link of one that makes no progress.
 */
export class QuorumDeadline {
  private readonly peer: Peer;
  private readonly learners: Learners;
  /** In monotonic ms; at most initLimit from now, and in the past once it is over. */
  private endMs: number;

  constructor(peer: Peer, learners: Learners) {
    this.peer = peer;
    this.learners = learners;
    this.endMs = peer.nowMs + this.initMs;
  }

  get initMs(): number {
    return this.peer.limits.initLimit * this.peer.limits.tickTimeMs;
  }

  /** Since it was set. */
  get waitedMs(): number {
    return this.peer.nowMs - (this.endMs - this.initMs);
  }

  /** @param isDue whether it ends at once unless a quorum is there */
  restart(isDue = false): void {
    this.endMs = this.peer.nowMs + (isDue ? 0 : this.initMs);
    assert(this.waitedMs <= this.initMs, 'quorum: waited too long for it', this.waitedMs);
  }

  get isOver(): boolean {
    return this.peer.nowMs >= this.endMs;
  }

  get hasQuorum(): boolean {
    return this.peer.membership.isQuorum(this.learners.followers());
  }

  get isQuorumComing(): boolean {
    return this.peer.membership.isQuorum(this.learners.onTheWay());
  }

  /** Infinity when it is over: each tick asks again. */
  get nextWakeMs(): number {
    return this.isOver ? Number.POSITIVE_INFINITY : this.endMs;
  }
}

/**
 * A leader that the only other voter left (QuorumOracleMaj). It continues alone while its oracle
 * says "yes" (oraclePath), and steps down when the oracle says "no" or nothing.
 *
 * Never: a decision alone while the other voter has a link, even if it is not in sync. All that was
 * committed alone precedes the sync of that voter, so its ack of NEWLEADER covers it.
 */
class LoneLeader {
  private readonly peer: Peer;
  private readonly oracle: Oracle;
  private readonly learners: Learners;
  /** No question before this time, after a "no", in monotonic ms; 0 once a follower is here. */
  private pausedUntilMs = 0;
  /** The tick of the last question that keeps the leader in office; Infinity if it was answered. */
  private askedMs = Number.POSITIVE_INFINITY;
  /** The oracle has let it decide since the other voter left; false once it is back. */
  isAlone = false;

  constructor(peer: Peer, oracle: Oracle, learners: Learners) {
    this.peer = peer;
    this.oracle = oracle;
    this.learners = learners;
  }

  readonly isAbsent = (sid: number): boolean => !this.learners.isLinked(sid);

  /** Whether only the oracle's word is missing. */
  get isUpToOracle(): boolean {
    const { membership } = this.peer;
    const followers = this.learners.followers();
    return !membership.isQuorum(followers) && membership.isQuorum(followers, this.isAbsent);
  }

  /** Called in each turn. @param isNeeded whether a decision waits for the oracle */
  ask(isNeeded: boolean): void {
    if (isNeeded && this.peer.nowMs >= this.pausedUntilMs && this.isUpToOracle) this.oracle.ask();
  }

  /**
   * Called twice a tick by a leader without a quorum. Returns why it must step down, or "": the
   * oracle will say, or the other voter is about to be in sync.
   */
  whyStepDown(): string {
    const { nowMs, limits, membership } = this.peer;
    if (!this.isUpToOracle) {
      this.askedMs = Number.POSITIVE_INFINITY;
      const coming = this.learners.registeredSince(nowMs - limits.initLimit * limits.tickTimeMs);
      return membership.isQuorum(coming) ? '' : 'no voter is about to be in sync';
    }
    if (nowMs >= this.askedMs + limits.tickTimeMs) return 'the oracle gave no answer for a tick';
    this.askedMs = Math.min(this.askedMs, nowMs);
    this.ask(true);
    return '';
  }

  /** A follower is here: an answer would be about the time before. */
  joined(isVoter: boolean): void {
    this.oracle.forget();
    this.askedMs = Number.POSITIVE_INFINITY;
    this.pausedUntilMs = 0;
    assert(!isVoter || !this.isUpToOracle, 'quorum: alone while the other voter is here');
    if (!isVoter) return;
    if (this.isAlone) this.peer.note('the other voter is back: its acks count again');
    this.isAlone = false;
  }

  /** Whether the leader may decide without the absent voters now. */
  said(isGranted: boolean): boolean {
    const { limits, nowMs } = this.peer;
    this.askedMs = Number.POSITIVE_INFINITY;
    if (!isGranted) this.pausedUntilMs = nowMs + limits.tickTimeMs / 2;
    const mayDecide = isGranted && this.isUpToOracle;
    if (mayDecide && !this.isAlone) {
      this.isAlone = true;
      this.peer.note('the oracle lets this server lead alone: each txn is on one disk only');
    }
    return mayDecide;
  }
}
