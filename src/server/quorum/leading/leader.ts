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
import { zxidEpoch } from '../../../protocol/zxid.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import type { Server } from '../../server.js';
import { Establishment } from '../membership/establishment.js';
import type { PeerHost, Role } from '../peer/role.js';
import { type Packet, PacketType } from '../wire/quorum-packet.js';
import { Broadcast, type BroadcastOptions } from './broadcast.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import { Learners } from './learners.js';
import { LoneLeader } from './lone-leader.js';
import type { Proposed } from './outstanding-proposals.js';
import { QuorumDeadline } from './quorum-deadline.js';
import { endSync } from './sync-learner.js';
import { Synchronizer } from './synchronizer.js';

export class Leader implements Role, LearnerMaster {
  readonly kind = 'leading';
  readonly learners: Learners;
  private readonly peer: PeerHost;
  private readonly options: BroadcastOptions;
  private readonly establishment: Establishment;
  private readonly synchronizer: Synchronizer;
  /** First to establish the epoch, then to keep enough followers. */
  private readonly deadline: QuorumDeadline;
  private nextPingMs = Number.POSITIVE_INFINITY;
  private readonly ownEpoch: number;
  private readonly ownZxid: bigint;
  private readonly beganMs: number;
  readonly lone: LoneLeader | null;
  broadcast: Broadcast | null = null;

  constructor(peer: PeerHost, options: BroadcastOptions) {
    this.peer = peer;
    this.options = options;
    this.learners = new Learners(peer);
    this.establishment = new Establishment(peer.membership, peer.sid);
    this.lone = peer.oracle === null ? null : new LoneLeader(peer, peer.oracle, this.learners);
    this.synchronizer = new Synchronizer(peer, this.learners, this);
    this.ownEpoch = peer.currentEpoch;
    this.ownZxid = peer.data.tree.lastProcessedZxid;
    this.beganMs = peer.nowMs;
    this.deadline = new QuorumDeadline(peer, this.learners);
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

  step(event: QuorumEvent): void {
    this.synchronizer.step(event, this.receive);
    if (event.kind === 'link-received') this.broadcast?.tryCommit();
    if (event.kind === 'link-closed') this.informReleased();
    const isOwnEpoch = event.kind === 'epoch-written' && event.epoch === this.establishment.epoch;
    if (isOwnEpoch) this.epochWritten(event.name);
    if (event.kind === 'oracle-said') this.heardOracle(event.isGranted);
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
      default:
        this.serve(handler, packet);
    }
  };

  private serve(handler: LearnerHandler, packet: Packet): void {
    // A learner that is in sync before the quorum already sends pings.
    const problem = this.broadcast?.receive(handler, packet) ?? '';
    if (problem !== '') this.learners.refuse(handler, problem);
  }

  private register(handler: LearnerHandler, packet: Packet): void {
    if (!this.learners.register(handler, packet)) return;
    if (!handler.isObserver) this.lone?.joined(this.peer.membership.isVoter(handler.sid));
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
      establishment.stage = 'election';
      this.deadline.restart();
      if (peer.isReconfigEnabled) peer.membership.raise(this.newLeaderZxid);
      for (const handler of this.learners.all()) this.inform(handler);
      this.promise(peer.sid);
    } else if (name === 'currentEpoch' && establishment.stage === 'taking') {
      establishment.stage = 'synchronization';
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
    if (!this.learners.prove(handler)) return;
    handler.stage = 'synced';
    endSync(handler, this.peer, this.learners);
    // NEWLEADER came after all txns that were committed when it was sent.
    if (handler.ackedZxid < this.newLeaderZxid) handler.ackedZxid = this.newLeaderZxid;
    // An observer may be a voter of the configuration that NEWLEADER carries.
    if (this.establishment.stage === 'broadcast') handler.activate();
    else this.ackNewLeader(handler.sid);
  }

  private ackNewLeader(sid: number): void {
    if (this.establishment.sync(sid)) this.takeStage();
  }

  private begin(): void {
    this.broadcast = new Broadcast(this.peer, this.learners, this.newLeaderZxid, this.options);
    this.peer.established(this.establishment.epoch);
    this.broadcast.begin();
    // An observer that became a voter by NEWLEADER must connect again.
    const isEnough = this.deadline.hasQuorum || this.lone?.isUpToOracle === true;
    this.deadline.restart(isEnough);
    this.learners.activate();
    // Last, because clients that wait already send requests at once.
    this.broadcast.open();
  }

  get nextWakeMs(): number {
    const { stage } = this.establishment;
    const isServing = stage === 'broadcast';
    return isServing ? this.nextPingMs : Math.min(this.deadline.nextWakeMs, this.nextPingMs);
  }

  durable(zxid: bigint): void {
    this.broadcast?.durable(zxid);
  }

  tick(): void {
    const { nowMs, limits } = this.peer;
    const { deadline } = this;
    const isServing = this.establishment.stage === 'broadcast';
    if (!isServing && deadline.isOver && !deadline.isQuorumComing) {
      this.peer.giveUp(`no quorum within initLimit (${deadline.initMs} ms)`);
      return;
    }
    this.learners.checkSilence();
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
    this.learners.drain();
  }

  end(): void {
    this.learners.closeAll();
    this.broadcast?.end();
  }
}
