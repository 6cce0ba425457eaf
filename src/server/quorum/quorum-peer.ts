/**
 * A member of an ensemble as a value: `step` an event, `drain` the effects (QuorumPeer). It looks
 * for a leader, leads or follows until that role ends, and looks again.
 *
 * Between two roles the tree matches the log, and the log is durable: an election never offers txns
 * that a crash could lose.
 */

import { assert } from '../../base/assert.js';
import { ErrorCode } from '../../protocol/error-code.js';
import type { ReconfigRequest } from '../../protocol/proto.js';
import { hex64 } from '../../protocol/zxid.js';
import { DISK_EFFECTS, type Effect } from '../effects.js';
import type { Event } from '../events.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import { Metrics } from '../metrics/metrics.js';
import type { EnsemblePipeline, PipelineHost } from '../pipeline/write-pipeline.js';
import type { Server } from '../server.js';
import type { ServerState } from '../state/server-state.js';
import { offeredZxid } from './election/candidate.js';
import { FastLeaderElection } from './election/fast-leader-election.js';
import { EnsembleRestore } from './ensemble-restore.js';
import { Leader } from './leading/leader.js';
import { Learner } from './learning/learner.js';
import { withLocalSessions } from './local-session-pipeline.js';
import { dataOf, MemberServer } from './member-server.js';
import { Membership } from './membership/membership.js';
import { configData, isParticipant, type QuorumConfig } from './membership/quorum-config.js';
import type { CommittedLog } from './peer/committed-log.js';
import { configChanged, membersOf, nextChanged } from './peer/membership-effects.js';
import { ObserverMasters } from './peer/observer-masters.js';
import { Oracle } from './peer/oracle.js';
import { ParkedLinks } from './peer/parked-links.js';
import { PeerTimes } from './peer/peer-times.js';
import type { Data, PeerHost, QuorumLimits, Role } from './peer/role.js';
import { TreeRepair } from './peer/tree-repair.js';
import type { QuorumPeerParts } from './peer-parts.js';

export class QuorumPeer implements PeerHost {
  readonly sid: number;
  readonly limits: QuorumLimits;
  readonly committedLog: CommittedLog;
  private readonly clients: MemberServer;
  role: Role | null = null;
  readonly membership: Membership;
  readonly isReconfigEnabled: boolean;
  acceptedEpoch: number;
  currentEpoch: number;
  data: Data;
  nowMs = 0;
  beforeMs = 0;
  wallMs = 0;
  readonly metrics = new Metrics();
  readonly times = new PeerTimes(this.metrics);
  readonly repair = new TreeRepair(this);
  readonly restoration = new EnsembleRestore(this);
  readonly oracle: Oracle | null;
  private readonly parts: QuorumPeerParts;
  private readonly election: FastLeaderElection;
  private readonly parked = new ParkedLinks(this);
  private readonly masters: ObserverMasters;
  private effects: Effect[] = [];
  /** Disk effects that are not complete. */
  private diskWork = 0;
  private isLooking = false;
  private isStarted = false;
  private endReason: string | null = null;
  private successor: number | null = null;
  private links = 0;

  constructor(parts: QuorumPeerParts) {
    this.parts = parts;
    this.sid = parts.sid;
    this.limits = parts.limits;
    this.masters = new ObserverMasters(parts.limits, parts.seed);
    this.membership = new Membership(parts.config);
    this.isReconfigEnabled = parts.isReconfigEnabled;
    this.acceptedEpoch = parts.acceptedEpoch;
    this.currentEpoch = parts.currentEpoch;
    this.data = parts.data;
    this.committedLog = parts.committedLog;
    if (parts.isReconfigEnabled) this.membership.restoreProposed(parts.data.tree, parts.nextConfig);
    this.membership.onProposed = () => this.effects.push(...nextChanged(this.membership));
    this.oracle = parts.hasOracle === true ? new Oracle((effect) => this.emit(effect)) : null;
    const { sid, exceeded } = this;
    const election = { ...parts.election, sid, exceeded, askOracle: this.oracle?.ask };
    this.election = new FastLeaderElection(election, parts.config);
    this.clients = new MemberServer(this, this.data, parts.makeServer.bind(null, this));
    this.emit(membersOf(this.membership));
  }

  get isObserver(): boolean {
    return this.membership.isObserver(this.sid);
  }

  get server(): Server {
    return this.clients.server;
  }

  get view(): Server['view'] {
    return this.server.view;
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
        this.beforeMs = this.nowMs;
        this.nowMs = event.monotonicMs;
        this.wallMs = event.wallMs;
        this.clients.clock(event.wallMs, event.monotonicMs);
        this.tick();
        break;
      case 'ack':
        this.diskWork--;
        this.role?.durable(event.zxid);
        break;
      case 'notified':
        this.election.receive(event.sid, event.frame, this.nowMs);
        this.noteLostSupporters();
        break;
      case 'epoch-written':
        this.diskWork--;
        this[event.name] = event.epoch;
        this.role?.step(event);
        break;
      case 'truncated': {
        this.diskWork--;
        const { tree, sessions } = event.database;
        this.membership.forgetAfter(tree.lastProcessedZxid);
        this.replaceData({ tree, sessions: [...sessions.values()] });
        this.role?.step(event);
        break;
      }
      case 'not-truncated':
        this.diskWork--;
        this.repair.cannotTruncate(event.zxid);
        break;
      case 'installed':
        this.diskWork--;
        this.membership.forgetAfter(-1n); // The history of the proposed one is gone.
        this.role?.step(event);
        break;
      case 'log-searched':
      case 'snapshot-sent':
      case 'log-sent':
      case 'link-output':
        this.role?.step(event);
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

  private startElection(): void {
    this.isLooking = true;
    this.times.looking(this.nowMs);
    const zxid = offeredZxid(this);
    const { currentEpoch: epoch, isObserver, membership } = this;
    const { config, next: nextConfig } = membership;
    const pending = nextConfig === null ? {} : { nextConfig };
    this.election.lookForLeader({ zxid, epoch, isObserver, config, ...pending }, this.nowMs);
  }

  /** The reconfig that ended the last role named the leader. */
  private followSuccessor(leader: number): void {
    this.successor = null;
    this.election.settleOn(leader, this.currentEpoch, this.isObserver);
    this.begin(leader);
  }

  private begin(leader: number): void {
    this.isLooking = false;
    this.oracle?.forget();
    if (this.server.pipeline !== null) this.clients.close(this.data);
    if (leader === this.sid) {
      this.note('this server leads');
      this.role = new Leader(this, this.parts);
      this.parked.handTo(this.role);
      return;
    }
    this.parked.closeAll();
    assert(this.membership.config.members.has(leader), `${leader} was elected but is not a member`);
    this.note(`server ${leader} leads`);
    this.election.becomeLearner(this.isObserver);
    const master = this.masters.pick(this.membership.config, leader, this.isObserver);
    this.role = new Learner(this, master, this.parts.seed);
  }

  giveUp(reason: string): void {
    this.endReason ??= reason;
  }

  handOver(leader: number, reason: string): void {
    // Do not return to a leader that may no longer lead by the configuration of NEWLEADER.
    if (isParticipant(this.membership.config, leader)) this.successor = leader;
    this.giveUp(reason);
  }

  activate(config: QuorumConfig): void {
    this.membership.activate(config);
    this.note(`activated configuration version ${hex64(config.version)}`);
    this.election.setConfig(config, this.membership.next ?? undefined);
    this.effects.push(...configChanged(this.membership));
    this.sendConfig();
  }

  /** Only a serving leader knows who can form a quorum of the new configuration. */
  reconfigure(request: ReconfigRequest, zxid: bigint): string | ErrorCode {
    const broadcast = this.role instanceof Leader ? this.role.broadcast : null;
    return broadcast?.reconfigure(request, zxid) ?? ErrorCode.UNIMPLEMENTED;
  }

  private sendConfig(): void {
    const { config } = this.membership;
    this.data.tree.setConfig(configData(config), config.version, this.wallMs);
  }

  endRole(reason: string): void {
    const { role, server } = this;
    this.endReason = null;
    if (role === null) return;
    this.note(`stopped ${role.kind}: ${reason}`);
    this.masters.backoff.begin(role.kind, this.nowMs);
    this.clients.shutDown();
    role.end();
    this.role = null;
    this.oracle?.forget();
    if (server.pipeline !== null) this.data = dataOf(server.state);
    this.clients.close(this.data);
    this.endReason = null;
  }

  serve<P extends EnsemblePipeline>(
    makePipeline: (state: ServerState, host: PipelineHost) => P,
  ): { readonly server: Server; readonly pipeline: P } {
    // A snapshot must keep a proposed reconfig: wait until its outcome is known.
    if (this.membership.next === null) this.sendConfig();
    const wrap = withLocalSessions(this.limits.localSessions);
    return this.clients.serve(this.data, makePipeline, wrap);
  }

  replaceData(data: Data): void {
    this.data = data;
    this.committedLog.clear();
    if (this.server.pipeline === null) this.clients.close(data);
  }

  writeEpoch(name: 'acceptedEpoch' | 'currentEpoch', epoch: number): void {
    const whenDurable = { kind: 'epoch-written', name, epoch } as const;
    this.emit({ kind: 'write-epoch', name, epoch, whenDurable });
  }

  established(epoch: number): void {
    this.election.setPeerEpoch(epoch);
    this.masters.backoff.served();
    if (this.role !== null) this.times.established(this.nowMs, this.role.kind);
  }

  nextLink(): number {
    return -++this.links;
  }

  readonly exceeded = (limit: LimitName, from: string, value = LIMITS[limit].value): void =>
    this.server.step({ kind: 'limit-exceeded', limit, from, value });

  note(message: string): void {
    this.emit({ kind: 'report', report: { kind: 'quorum', message } });
  }

  emit(effect: Effect): void {
    if (DISK_EFFECTS.has(effect.kind)) this.diskWork++;
    this.effects.push(effect);
  }

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
