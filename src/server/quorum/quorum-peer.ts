/**
 * A member of an ensemble as a value: `step` an event, `drain` the effects (QuorumPeer). It looks
 * for a leader, leads or follows until that role ends, and looks again.
 *
 * Between two roles the tree matches the log, and the log is durable: an election never offers txns
 * that a crash could lose.
 */
import { assert } from '../../base/assert.js';
import { RESET_ADVICE } from '../../files/epochs.js';
import { MAX_EPOCH, zxidEpoch } from '../../protocol/zxid.js';
import type { Effect } from '../effects.js';
import type { Event } from '../events.js';
import { NO_HISTORY } from './election/fast-leader-election.js';
import { EnsembleRestore } from './ensemble-restore.js';
import { Leader } from './leading/leader.js';
import { Learner } from './learning/learner.js';
import { isParticipant } from './membership/quorum-config.js';
import { dataOf } from './peer/member-server.js';
import { ParkedLinks } from './peer/parked-links.js';
import { Peer, type PeerParts } from './peer/peer.js';

export class QuorumPeer extends Peer {
  readonly restoration = new EnsembleRestore(this);
  private readonly parts: PeerParts;
  private readonly parked = new ParkedLinks(this);
  /** An election of this server is under way; never with a role. */
  private isLooking = false;
  /** The first clock event has come; nothing begins before. */
  private isStarted = false;

  constructor(parts: PeerParts) {
    super(parts);
    this.parts = parts;
  }

  get nextWakeMs(): number {
    if (this.restoration.isHolding) return Number.POSITIVE_INFINITY;
    if (this.role !== null) return this.role.nextWakeMs;
    const pausedMs = this.masters.backoff.nextWakeMs(this.nowMs);
    return Math.min(this.election.nextWakeMs, this.readOnlyAtMs, pausedMs);
  }

  step(event: Event): void {
    if (this.restoration.holds(event)) return;
    switch (event.kind) {
      case 'clock':
        assert(event.monotonicMs >= this.nowMs, 'role: the clock went back', event.monotonicMs);
        this.beforeMs = this.nowMs;
        this.nowMs = event.monotonicMs;
        this.wallMs = event.wallMs;
        this.clients.clock(event.wallMs, event.monotonicMs);
        this.tick();
        break;
      case 'ack':
        this.diskDone();
        this.role?.durable(event.zxid);
        break;
      case 'notified':
        this.election.receive(event.sid, event.frame, this.nowMs);
        this.noteLostSupporters();
        break;
      case 'epoch-written':
        this.diskDone();
        assert(event.epoch >= this[event.name], 'epoch: fell', event.epoch, this[event.name]);
        this[event.name] = event.epoch;
        this.role?.step(event);
        break;
      case 'truncated': {
        this.diskDone();
        const { tree, sessions } = event.database;
        this.membership.forgetAfter(tree.lastProcessedZxid);
        this.replaceData({ tree, sessions: [...sessions.values()] });
        this.role?.step(event);
        break;
      }
      case 'not-truncated':
        this.diskDone();
        this.repair.cannotTruncate(event.zxid);
        break;
      case 'installed':
        this.diskDone();
        this.membership.forgetAfter(-1n); // The history of the proposed one is gone.
        this.role?.step(event);
        break;
      case 'log-searched':
      case 'snapshot-sent':
      case 'log-sent':
      case 'link-output':
        this.role?.step(event);
        break;
      case 'move-leader':
        event.answer(this.moveLeader(event.sid));
        break;
      case 'oracle-said':
        if (this.oracle?.isAnswer(event.question)) (this.role ?? this.election).step(event);
        break;
      case 'link-opened':
      case 'link-received':
      case 'link-closed':
        if (event.link < 0 || this.role?.owns(event)) this.role?.step(event);
        else this.parked.step(event, this.role);
        break;
      default:
        this.server.step(event);
    }
    this.settle();
  }

  private moveLeader(sid: number): string {
    return this.role instanceof Leader ? this.role.moveTo(sid) : 'this server does not lead';
  }

  private diskDone(): void {
    assert(this.diskWork > 0, 'disk: an answer without a request', this.diskWork);
    this.diskWork--;
  }

  private tick(): void {
    if (!this.isStarted) this.isStarted = true;
    else if (this.role !== null) this.role.tick();
    else if (this.isLooking) {
      this.election.tick(this.nowMs);
      if (this.nowMs < this.readOnlyAtMs) return;
      this.note('no quorum: serving clients that accept a read-only server');
      this.clients.serveReads(this.data.tree, this.limits.localSessions != null);
    }
  }

  /** Infinity if read-only mode is disabled. */
  private get readOnlyAtMs(): number {
    const isDue = this.isLooking && this.limits.isReadOnlyAllowed && this.server.pipeline === null;
    return isDue ? this.times.readOnlyAtMs(this.limits.tickTimeMs) : Number.POSITIVE_INFINITY;
  }

  /** Acts on the result of a step: a role that ended, a new role, an election. */
  settle(): void {
    if (this.endReason !== null) this.endRole(this.endReason);
    if (this.role !== null || !this.isStarted) return;
    if (!this.isLooking) {
      if (this.diskWork > 0) return;
      if (this.successor !== null) this.followSuccessor(this.successor);
      else if (this.masters.backoff.isOver(this.nowMs)) this.startElection();
    }
    this.followElection();
    if (this.endReason !== null) this.endRole(this.endReason);
    assert(this.role === null || !this.isLooking, 'role: looks for a leader during one');
  }

  private followElection(): void {
    const newer = this.election.newerConfigs.take();
    if (newer !== undefined && this.isReconfigEnabled) this.activate(newer);
    const problem = this.election.takeProblem();
    if (problem !== undefined) this.note(problem);
    const vote = this.election.takeElected();
    if (vote === undefined || this.role !== null) return;
    // The notification may also have brought a configuration without that leader.
    if (this.membership.config.members.has(vote.leader)) {
      this.times.elected(this.nowMs, this.isObserver);
      this.begin(vote.leader);
    } else this.startElection();
  }

  /** If its supporters look for a leader again, they will not send their epochs. */
  private noteLostSupporters(): void {
    if (!(this.role instanceof Leader) || this.role.phase !== 'discovery') return;
    const { waitedForEpochMs: waitedMs } = this.role;
    const { maxTimeToWaitForEpochMs: maxMs } = this.limits;
    const reason = this.election.supporters.whyLeave(this.membership, waitedMs, maxMs);
    if (reason === '') return;
    this.metrics.count('quit_leading_due_to_disloyal_voter');
    this.giveUp(reason);
  }

  /** After the last possible epoch, a server can promise no other, so it must not stand. */
  private offeredZxid(): bigint {
    if (this.acceptedEpoch < MAX_EPOCH) return this.data.tree.lastProcessedZxid;
    this.note(`acceptedEpoch is ${this.acceptedEpoch}, the last possible epoch. ${RESET_ADVICE}`);
    return NO_HISTORY;
  }

  /** Between two roles: the votes must offer what no crash can take away. */
  private checkNoRole(): void {
    assert(this.role === null, 'role: two at once', this.role?.kind);
    assert(this.diskWork === 0, 'disk: a vote offers what the disk may lack', this.diskWork);
    assert(this.acceptedEpoch >= this.currentEpoch, 'epoch: joined one it did not accept');
  }

  private startElection(): void {
    this.checkNoRole();
    this.isLooking = true;
    this.times.looking(this.nowMs);
    const zxid = this.offeredZxid();
    const { currentEpoch: epoch, isObserver, membership } = this;
    const { config, next: nextConfig } = membership;
    const pending = nextConfig === null ? {} : { nextConfig };
    this.election.lookForLeader({ zxid, epoch, isObserver, config, ...pending }, this.nowMs);
  }

  /** The reconfig that ended the last role named the leader. */
  private followSuccessor(leader: number): void {
    this.successor = null;
    const isVoter = isParticipant(this.membership.config, leader);
    assert(isVoter, 'config: the next leader takes no part', leader);
    this.election.settleOn(leader, this.currentEpoch, this.isObserver);
    this.begin(leader);
  }

  private begin(leader: number): void {
    this.checkNoRole();
    this.isLooking = false;
    this.oracle?.forget();
    if (this.server.pipeline !== null) this.clients.close(this.data);
    const { state } = this.election;
    assert((leader === this.sid) === (state === 'leading'), 'vote: for another leader', leader);
    if (leader === this.sid) {
      this.note('this server leads');
      this.role = new Leader(this, this.parts);
      this.parked.handTo(this.role);
      return;
    }
    this.parked.closeAll();
    const isMember = this.membership.config.members.has(leader);
    assert(isMember, 'config: elected a stranger', leader);
    this.note(`server ${leader} leads`);
    this.election.becomeLearner(this.isObserver);
    const master = this.masters.pick(this.membership.config, leader, this.isObserver);
    assert(master.sid !== this.sid, 'role: follows itself', master.sid);
    this.role = new Learner(this, master);
  }

  endRole(reason: string): void {
    const { role, server } = this;
    this.endReason = null;
    if (role === null) return;
    this.note(`stopped ${role.kind}: ${reason}`);
    this.masters.backoff.begin(role.kind, this.nowMs);
    this.clients.shutDown(this.keepsClients);
    this.keepsClients = false;
    role.end();
    this.role = null;
    this.oracle?.forget();
    if (server.pipeline !== null) this.data = dataOf(server.state);
    this.clients.close(this.data);
    this.endReason = null;
    assert(this.server.pipeline === null, 'role: its pipeline outlives it', role.kind);
    const { lastProcessedZxid } = this.data.tree;
    const isAccepted = zxidEpoch(lastProcessedZxid) <= this.acceptedEpoch;
    assert(isAccepted, 'epoch: a txn of one it did not accept', lastProcessedZxid);
  }

  /** Packets to other members leave before the append: their disks write while this one does. */
  drain(): readonly Effect[] {
    this.role?.drain();
    this.clients.drain();
    this.restoration.drain(this.diskWork === 0);
    for (const { to, frame } of this.election.takeOutgoing()) {
      this.emit({ kind: 'notify', sid: to, frame });
    }
    const { effects } = this;
    if (effects.length > 0) this.effects = [];
    return effects;
  }
}
