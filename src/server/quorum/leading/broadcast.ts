/**
 * An established leader sends PROPOSAL to followers, COMMIT when a quorum has the txn on disk, and
 * INFORM to observers, all in zxid order. It never commits without a quorum, and its own ack counts
 * only when its own disk has the txn.
 */

import type { Txn } from '../../../files/txn.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import { lowOf } from '../../../jute/long.js';
import type { ErrorCode } from '../../../protocol/error-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import type { ContainerManager } from '../../pipeline/container-manager.js';
import { Primary } from '../../pipeline/primary.js';
import type { ProposalListener } from '../../pipeline/proposal-listener.js';
import type { Server } from '../../server.js';
import type { Request } from '../../state/request.js';
import type { ServerState } from '../../state/server-state.js';
import type { IsExcused } from '../membership/excused-quorum.js';
import { configData, type QuorumConfig } from '../membership/quorum-config.js';
import { ProposalSizes } from '../peer/proposal-sizes.js';
import { ProposalTimes } from '../peer/proposal-times.js';
import type { PeerHost } from '../peer/role.js';
import { readRequest, readRevalidation, touchSessions } from '../wire/learner-data.js';
import { type Packet, PacketType, packetName } from '../wire/quorum-packet.js';
import { trustedIds } from './accepted-packets.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Learners } from './learners.js';
import { type Acked, OutstandingProposals } from './outstanding-proposals.js';
import { configOf, designatedLeader, planReconfig } from './reconfig.js';
import { SyncRounds } from './sync-rounds.js';

/** Leaves zxids for txns in progress when a new epoch begins (ZOOKEEPER-1277). */
const LAST_COUNTER = 0xfff0_0000;

export interface BroadcastOptions {
  readonly seed: number;
  readonly replayed: number;
  makeContainers(state: ServerState): ContainerManager;
}

export class Broadcast implements ProposalListener {
  readonly server: Server;
  readonly outstanding = new OutstandingProposals();
  private readonly syncs: SyncRounds;
  readonly proposalSizes = new ProposalSizes();
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private readonly epochZxid: bigint;
  private readonly primary: Primary;
  private readonly startedMs: number;
  private readonly times: ProposalTimes;
  private durableZxid: bigint;
  /** Set when the leader gave up or handed over: it commits nothing more. */
  private isOver = false;

  /** @param epochZxid the zxid of NEWLEADER, before the first txn of the epoch */
  constructor(peer: PeerHost, learners: Learners, epochZxid: bigint, options: BroadcastOptions) {
    this.peer = peer;
    this.learners = learners;
    this.syncs = new SyncRounds(peer, learners, this.onConfirmed);
    this.epochZxid = epochZxid;
    this.startedMs = peer.nowMs;
    this.times = new ProposalTimes(peer.metrics);
    const { tree } = peer.data;
    this.durableZxid = epochZxid;
    tree.lastProcessedZxid = epochZxid;
    this.outstanding.lastProposed = epochZxid;
    this.outstanding.lastCommitted = epochZxid;
    const { server, pipeline } = peer.serve(
      (state, host) =>
        new Primary(state, host, {
          seed: options.seed,
          replayed: options.replayed,
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
  }

  /** Accepts clients. */
  open(): void {
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
    this.primary.forwarded({ origin: handler, sessionId, cxid, type, input, ids });
    return '';
  }

  private revalidate(handler: LearnerHandler, { data: asked, zxid }: Packet): string {
    const session = readRevalidation(asked);
    this.peer.metrics.count('revalidate_count');
    if (session === undefined) return 'REVALIDATE: damaged';
    const isValid = this.server.moveSession(session.sessionId, session.timeoutMs, handler);
    const data = Buffer.alloc(9);
    data.writeBigInt64BE(session.sessionId);
    data[8] = isValid ? 1 : 0;
    handler.send(PacketType.REVALIDATE, zxid, data);
    return '';
  }

  /** The learner has all up to `zxid` on disk. Returns what is wrong with the ack, if anything. */
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
      if (zxid <= before) return;
      this.primary.commit(zxid);
      // A pending sync before this txn waits for a quorum.
      if (outstanding.lastCommitted === before) return;
    }
  }

  /** The oracle lets this leader decide without some voters. */
  excuse(isExcused: IsExcused): void {
    this.tryCommit(isExcused);
    this.syncs.excuse(isExcused);
  }

  get storedZxid(): bigint {
    const { lastCommitted } = this.outstanding;
    return lastCommitted < this.durableZxid ? lastCommitted : this.durableZxid;
  }

  /** Whether a txn on this disk, or a sync, waits for others. */
  get isWaiting(): boolean {
    const { length, lastCommitted } = this.outstanding;
    return this.syncs.isWaiting || (length > 0 && this.durableZxid > lastCommitted);
  }

  committed(zxid: bigint): void {
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
    this.isOver = true;
    peer.handOver(designated, `server ${designated} leads in the new configuration`);
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
  }
}
