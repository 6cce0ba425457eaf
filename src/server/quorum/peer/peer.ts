/**
 * What a role works with: the identity, epochs, data, and membership of this member, and the
 * effects of the step under way. A role reads it, and changes it only by the methods below, which
 * emit what the driver must do. `QuorumPeer` decides which role it has.
 */
import { assert } from '../../../base/assert.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import { hex64 } from '../../../protocol/zxid.js';
import { AWAITED_EFFECTS, type Effect, type QuorumEffect } from '../../effects.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { Metrics } from '../../metrics/metrics.js';
import type { ContainerManager } from '../../pipeline/container-manager.js';
import type { SnapshotTrigger } from '../../pipeline/snapshot-trigger.js';
import type { EnsemblePipeline, PipelineHost } from '../../pipeline/write-pipeline.js';
import type { Server } from '../../server.js';
import type { ServerState } from '../../state/server-state.js';
import { type ElectionOptions, FastLeaderElection } from '../election/fast-leader-election.js';
import { Membership } from '../membership/membership.js';
import {
  configData,
  formatQuorumConfig,
  isParticipant,
  type QuorumConfig,
} from '../membership/quorum-config.js';
import type { CommittedLog } from './committed-log.js';
import { withLocalSessions } from './local-session-pipeline.js';
import { type MakePipeline, MemberServer } from './member-server.js';
import { ObserverMasters } from './observer-masters.js';
import { Oracle } from './oracle.js';
import { PeerTimes } from './peer-times.js';
import type { Data, QuorumLimits, Role } from './role.js';
import { TreeRepair } from './tree-repair.js';

export interface PeerParts {
  readonly sid: number;
  readonly config: QuorumConfig;
  /** A proposed configuration on the disk (zoo.cfg.dynamic.next). */
  readonly nextConfig?: QuorumConfig | null;
  readonly limits: QuorumLimits;
  /** reconfigEnabled: the membership may change while serving. */
  readonly isReconfigEnabled: boolean;
  readonly election: Omit<ElectionOptions, 'sid'>;
  /** oraclePath is set: one of two voters may go on alone. Default: false. */
  readonly hasOracle?: boolean;
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
  readonly data: Data;
  readonly committedLog: CommittedLog;
  readonly snapshots: SnapshotTrigger;
  readonly seed: number;
  /** Without a pipeline, the server serves nobody. */
  makeServer(peer: Peer, data: Data, makePipeline: MakePipeline | null): Server;
  makeContainers(state: ServerState): ContainerManager;
}

export class Peer {
  readonly sid: number;
  readonly limits: QuorumLimits;
  readonly committedLog: CommittedLog;
  readonly snapshots: SnapshotTrigger;
  readonly membership: Membership;
  readonly isReconfigEnabled: boolean;
  readonly metrics = new Metrics();
  readonly times = new PeerTimes(this.metrics);
  readonly repair = new TreeRepair(this);
  /** Null without oraclePath. */
  readonly oracle: Oracle | null;
  /** Null while it looks for a leader, or waits to; `endRole` ends one before the next begins. */
  role: Role | null = null;
  /** As in its file, so at least `currentEpoch`; never falls. No older leader is followed. */
  acceptedEpoch: number;
  /** As in its file; never falls. This member joined the epoch with the history of its leader. */
  currentEpoch: number;
  /** The log, fully applied: between two roles exactly; during one, its server has the newest. */
  data: Data;
  /** The time of this turn, monotonic; never falls. */
  nowMs = 0;
  /**
   * The time of the turn before this one, at most `nowMs`. All packets that came until then were
   * read. So silence counts up to here: after a pause of this server, packets wait in its sockets.
   */
  beforeMs = 0;
  /** The time of this turn since 1970; may jump. */
  wallMs = 0;
  protected readonly election: FastLeaderElection;
  protected readonly masters: ObserverMasters;
  protected readonly clients: MemberServer;
  /** Those of the steps since the last drain, in order. */
  protected effects: Effect[] = [];
  /** AWAITED_EFFECTS without an answer; never negative. While it is not 0, no role begins. */
  protected diskWork = 0;
  /** Why the role ends after this step; null between steps. */
  protected endReason: string | null = null;
  /** Who leads next without an election; null but between a hand-over and the role after it. */
  protected successor: number | null = null;
  /** The role that ends leaves nothing uncommitted, so its clients may stay for the next one. */
  protected keepsClients = false;
  /** The last word on ClickHouse Keeper's dialect, of this server as leader or of its leader. */
  isKeeperAnnounced = false;
  /** Links dialed so far, whose numbers are -1 to -`links`. */
  private links = 0;

  constructor(parts: PeerParts) {
    this.sid = parts.sid;
    this.limits = parts.limits;
    this.masters = new ObserverMasters(parts.limits, parts.seed);
    this.membership = new Membership(parts.config);
    this.isReconfigEnabled = parts.isReconfigEnabled;
    this.acceptedEpoch = parts.acceptedEpoch;
    this.currentEpoch = parts.currentEpoch;
    this.data = parts.data;
    this.committedLog = parts.committedLog;
    this.snapshots = parts.snapshots;
    assert(
      this.currentEpoch >= 0 && this.acceptedEpoch >= this.currentEpoch,
      'epoch: accepted an older one than joined',
      this.acceptedEpoch,
      this.currentEpoch,
    );
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

  /** keeperDialect */
  get isKeeperDialect(): boolean {
    return this.server.state.settings.isKeeperDialect === true;
  }

  get view(): Server['view'] {
    return this.server.view;
  }

  /** Ends this role after the step; the peer looks for a leader. */
  giveUp(reason: string): void {
    this.endReason ??= reason;
  }

  /**
   * Ends this role after the step; `leader` leads next by agreement.
   * @param keepsClients no txn is on its way, so clients stay connected
   */
  handOver(leader: number, reason: string, keepsClients = false): void {
    this.keepsClients = keepsClients;
    // Do not return to a leader that may no longer lead by the configuration of NEWLEADER.
    if (isParticipant(this.membership.config, leader)) this.successor = leader;
    this.giveUp(reason);
  }

  /** Brings a configuration into force: for the election, the ports, the files, and the tree. */
  activate(config: QuorumConfig): void {
    this.membership.activate(config);
    this.note(`activated configuration version ${hex64(config.version)}`);
    this.election.setConfig(config, this.membership.next ?? undefined);
    this.effects.push(...configChanged(this.membership));
    this.sendConfig();
    assert(this.membership.config === config, 'config: not in force', config.version);
  }

  /** Shows the configuration in force as /zookeeper/config. */
  private sendConfig(): void {
    const { config } = this.membership;
    this.data.tree.setConfig(configData(config), config.version, this.wallMs);
  }

  /** Starts a server, which accepts clients once it is opened. */
  serve<P extends EnsemblePipeline>(
    makePipeline: (state: ServerState, host: PipelineHost) => P,
  ): { readonly server: Server; readonly pipeline: P } {
    assert(this.server.pipeline === null, 'role: two pipelines of writes at once');
    assert(
      this.diskWork === 0,
      'disk: a role serves before the disk has its history',
      this.diskWork,
    );
    // A snapshot must keep a proposed reconfig: wait until its outcome is known.
    if (this.membership.next === null) this.sendConfig();
    const wrap = withLocalSessions(this.limits.localSessions);
    return this.clients.serve(this.data, makePipeline, wrap);
  }

  /** Takes the data that this server has truncated or received. */
  replaceData(data: Data): void {
    const { lastProcessedZxid: zxid } = data.tree;
    assert(this.server.pipeline === null, 'role: replaces a tree that is being written', zxid);
    this.data = data;
    this.committedLog.clear();
    this.clients.close(data);
  }

  /** `Role.step` gets an event when the epoch is durable. */
  writeEpoch(name: 'acceptedEpoch' | 'currentEpoch', epoch: number): void {
    const { acceptedEpoch, currentEpoch } = this;
    if (name === 'acceptedEpoch') {
      assert(epoch > acceptedEpoch, 'epoch: promised again', epoch, acceptedEpoch);
    } else {
      assert(epoch === acceptedEpoch, 'epoch: joins one it did not accept', epoch, acceptedEpoch);
      assert(epoch >= currentEpoch, 'epoch: joins an older one', epoch, currentEpoch);
    }
    const whenDurable = { kind: 'epoch-written', name, epoch } as const;
    this.emit({ kind: 'write-epoch', name, epoch, whenDurable });
  }

  /** The new epoch is established as far as this member knows. */
  established(epoch: number): void {
    assert(this.role !== null, 'role: an epoch is established without one', epoch);
    assert(epoch === this.currentEpoch, 'epoch: serves another one', epoch, this.currentEpoch);
    this.election.setPeerEpoch(epoch);
    this.masters.backoff.served();
    this.times.established(this.nowMs, this.role.kind);
  }

  /** Links that this server dials have negative numbers. */
  nextLink(): number {
    this.links++;
    assert(Number.isSafeInteger(this.links), 'link: no number left', this.links);
    return -this.links;
  }

  /** @param value in force, if it differs from LIMITS */
  readonly exceeded = (limit: LimitName, from: string, value = LIMITS[limit].value): void =>
    this.server.step({ kind: 'limit-exceeded', limit, from, value });

  note(message: string): void {
    this.emit({ kind: 'report', report: { kind: 'quorum', message } });
  }

  emit(effect: Effect): void {
    if (AWAITED_EFFECTS.has(effect.kind)) this.diskWork++;
    this.effects.push(effect);
  }

  /** Only a serving leader knows who can form a quorum of the new configuration. */
  reconfigure(request: ReconfigRequest, zxid: bigint): string | ErrorCode {
    return this.role?.reconfigure(request, zxid) ?? ErrorCode.UNIMPLEMENTED;
  }
}

function membersOf({ config, next }: Membership): QuorumEffect {
  const proposed = [...(next?.members.values() ?? [])];
  return { kind: 'members', members: [...config.members.values()], proposed };
}

function nextChanged(membership: Membership): QuorumEffect[] {
  const { next } = membership;
  const text = next === null ? null : formatQuorumConfig(next);
  return [membersOf(membership), { kind: 'write-next-config', text }];
}

function configChanged(membership: Membership): QuorumEffect[] {
  const text = formatQuorumConfig(membership.config);
  const isSettled = membership.next === null;
  return [membersOf(membership), { kind: 'write-config', text, isSettled }];
}
