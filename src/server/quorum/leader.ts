/**
 * The leader of an epoch (Leader, LearnerHandler; server.md 4.4):
 *
 *   discovery        epochs of a quorum -> a newer one, durable here -> LEADERINFO -> their ACKEPOCHs
 *   synchronization  each learner gets what it lacks, then NEWLEADER; acks of a quorum, its own counts
 *   broadcast        PROPOSAL -> acks of a quorum -> COMMIT, strictly in zxid order
 *
 * What must never happen: a commit without a quorum that has the txn on its disks, an epoch that is
 * used twice, a learner let in that lacks a committed txn. Its own ack counts only when its own
 * disk has the txn. Without a quorum of learners that speak, it stops leading.
 */
import { zxidEpoch } from '../../protocol/zxid.js';
import type { QuorumEvent } from '../events.js';
import { Fifo } from '../fifo.js';
import type { ContainerManager } from '../pipeline/container-manager.js';
import { Primary, type ProposalListener } from '../pipeline/primary.js';
import type { Request } from '../pipeline/request.js';
import type { Server } from '../server.js';
import type { ServerState } from '../server-state.js';
import type { CommittedTxn } from './committed-log.js';
import { readLearnerInfo, readRequest, readRevalidation, touchSessions } from './learner-data.js';
import { LearnerHandler } from './learner-handler.js';
import { containsQuorum, formatQuorumConfig, isVoter } from './quorum-config.js';
import { LEARNER_PROTOCOL_VERSION, type Packet, PacketType, packetName } from './quorum-packet.js';
import type { PeerHost, Role } from './role.js';
import { planSync } from './sync-plan.js';

type Stage =
  | 'discovery'
  | 'proposing-epoch'
  | 'election'
  | 'taking-epoch'
  | 'synchronization'
  | 'broadcast';

const PHASES: Readonly<Record<Stage, string>> = {
  discovery: 'discovery',
  'proposing-epoch': 'discovery',
  election: 'discovery',
  'taking-epoch': 'synchronization',
  synchronization: 'synchronization',
  broadcast: 'broadcast',
};

/** When so few zxids of an epoch are left, a new epoch is begun (ZOOKEEPER-1277). */
const LAST_COUNTER = 0xfff0_0000n;
const COUNTER = 0xffff_ffffn;

export interface LeaderOptions {
  /** Seeds the random trigger of snapshots. */
  readonly seed: number;
  readonly replayed: number;
  makeContainers(state: ServerState): ContainerManager;
}

export class Leader implements Role, ProposalListener {
  readonly kind = 'leading';
  private readonly peer: PeerHost;
  private readonly options: LeaderOptions;
  private readonly handlers = new Map<number, LearnerHandler>();
  private stage: Stage = 'discovery';
  private deadlineMs: number;
  private nextPingMs = Number.POSITIVE_INFINITY;
  private epoch = 0;
  private readonly ownEpoch: number;
  private readonly ownZxid: bigint;
  /** Who has told its epoch, acked the new one, and acked NEWLEADER. */
  private readonly connected = new Set<number>();
  private readonly electing = new Set<number>();
  private readonly inSync = new Set<number>();
  private server: Server | null = null;
  private primary: Primary | null = null;
  /** Proposed and not committed, in zxid order. */
  private readonly outstanding = new Fifo<CommittedTxn>();
  private lastProposed = 0n;
  private lastCommitted = 0n;
  private durableZxid: bigint;
  private startedMs = 0;
  readonly proposalSizes = { last: -1, min: -1, max: -1 };
  private isOver = false;

  constructor(peer: PeerHost, options: LeaderOptions) {
    this.peer = peer;
    this.options = options;
    this.ownEpoch = peer.currentEpoch;
    this.ownZxid = peer.data.tree.lastProcessedZxid;
    this.durableZxid = this.ownZxid;
    this.deadlineMs = peer.nowMs + this.initMs;
    this.propose(peer.sid, peer.acceptedEpoch);
  }

  get phase(): string {
    return PHASES[this.stage];
  }

  /** Milliseconds since it serves; 0 before. */
  get uptimeMs(): number {
    return this.startedMs === 0 ? 0 : this.peer.nowMs - this.startedMs;
  }

  /** Syncs that wait for the proposals before them. */
  get pendingSyncs(): number {
    return this.primary === null ? 0 : this.primary.inProcess - this.outstanding.length;
  }

  learners(): Iterable<LearnerHandler> {
    return this.handlers.values();
  }

  private get initMs(): number {
    return this.peer.limits.initLimit * this.peer.limits.tickTimeMs;
  }

  private get syncMs(): number {
    return this.peer.limits.syncLimit * this.peer.limits.tickTimeMs;
  }

  private get newLeaderZxid(): bigint {
    return BigInt(this.epoch) << 32n;
  }

  // ── links ────────────────────────────────────────────────────────────────────────────────────

  step(event: QuorumEvent): void {
    switch (event.kind) {
      case 'link-opened': {
        const { maxTxnLength } = this.peer.limits;
        const handler = new LearnerHandler(event.link, event.remote, maxTxnLength, this.peer.nowMs);
        this.handlers.set(event.link, handler);
        break;
      }
      case 'link-received':
        this.received(event.link, event.bytes);
        break;
      case 'link-closed':
        this.gone(event.link);
        break;
      case 'epoch-written':
        this.epochWritten(event.name, event.epoch);
        break;
      default:
        break;
    }
  }

  private received(link: number, bytes: Buffer): void {
    const handler = this.handlers.get(link);
    if (handler === undefined) return;
    handler.heardMs = this.peer.nowMs;
    handler.push(bytes);
    while (this.handlers.has(link)) {
      const packet = handler.next();
      if (packet === null) break;
      if (typeof packet === 'string') this.refuse(handler, packet);
      else this.receive(handler, packet);
    }
    this.tryCommit();
  }

  private refuse(handler: LearnerHandler, reason: string): void {
    this.peer.note(`${handler.name} is no longer listened to: ${reason}`);
    this.peer.emit({ kind: 'link-close', link: handler.link });
    this.gone(handler.link);
  }

  private gone(link: number): void {
    this.handlers.delete(link);
  }

  private receive(handler: LearnerHandler, packet: Packet): void {
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
      case PacketType.PING:
        if (this.server !== null) touchSessions(this.server.state, packet.data);
        break;
      case PacketType.REQUEST:
        this.forwarded(handler, packet);
        break;
      case PacketType.REVALIDATE:
        this.revalidate(handler, packet);
        break;
      default:
        this.refuse(handler, `${packetName(packet.type)} is nothing that a learner sends`);
    }
  }

  // ── discovery ────────────────────────────────────────────────────────────────────────────────

  private register(handler: LearnerHandler, { type, zxid, data }: Packet): void {
    const info = readLearnerInfo(data);
    if (handler.stage !== 'new' || info === undefined) {
      this.refuse(handler, `${packetName(type)} came twice, or is damaged`);
      return;
    }
    if (info.configVersion > this.peer.config.version) {
      this.refuse(handler, 'its configuration is newer than the one here');
      return;
    }
    for (const other of this.handlers.values()) {
      if (other.sid === info.sid) this.refuse(other, 'it has connected anew');
    }
    handler.sid = info.sid;
    handler.isObserver = type === PacketType.OBSERVERINFO;
    handler.stage = 'registered';
    if (this.stage === 'discovery') this.propose(handler.sid, zxidEpoch(zxid));
    this.inform(handler);
  }

  /** Until a quorum has told its epochs the new one is newer than each of them (getEpochToPropose). */
  private propose(sid: number, acceptedEpoch: number): void {
    if (acceptedEpoch >= this.epoch) this.epoch = acceptedEpoch + 1;
    if (isVoter(this.peer.config, sid)) this.connected.add(sid);
    if (!containsQuorum(this.peer.config, this.connected)) return;
    this.stage = 'proposing-epoch';
    this.peer.writeEpoch('acceptedEpoch', this.epoch);
  }

  private epochWritten(name: string, epoch: number): void {
    if (epoch !== this.epoch) return;
    if (name === 'acceptedEpoch' && this.stage === 'proposing-epoch') {
      this.stage = 'election';
      this.deadlineMs = this.peer.nowMs + this.initMs;
      for (const handler of this.handlers.values()) this.inform(handler);
      this.elect(this.peer.sid);
    } else if (name === 'currentEpoch' && this.stage === 'taking-epoch') {
      this.stage = 'synchronization';
      this.deadlineMs = this.peer.nowMs + this.initMs;
      this.nextPingMs = this.peer.nowMs;
      this.lastProposed = this.newLeaderZxid;
      for (const handler of this.handlers.values()) this.sync(handler);
      this.ackNewLeader(this.peer.sid);
    }
  }

  private inform(handler: LearnerHandler): void {
    const isDecided = this.stage !== 'discovery' && this.stage !== 'proposing-epoch';
    if (!isDecided || handler.stage !== 'registered') return;
    const data = Buffer.alloc(4);
    data.writeInt32BE(LEARNER_PROTOCOL_VERSION);
    handler.stage = 'informed';
    handler.send(PacketType.LEADERINFO, this.newLeaderZxid, data);
  }

  private ackEpoch(handler: LearnerHandler, { zxid, data }: Packet): void {
    if (handler.stage !== 'informed' || data === null || data.length < 4) {
      this.refuse(handler, 'ACKEPOCH came out of turn, or is damaged');
      return;
    }
    handler.currentEpoch = data.readInt32BE(0);
    handler.lastZxid = zxid;
    handler.stage = 'acked';
    // -1: it had promised this epoch before, to somebody; it is synced, but its promise counts no more.
    if (handler.currentEpoch !== -1) {
      const isAhead =
        handler.currentEpoch > this.ownEpoch ||
        (handler.currentEpoch === this.ownEpoch && zxid > this.ownZxid);
      if (isAhead && !this.isEstablished) {
        this.refuse(handler, 'it knows more than this server, which was to lead');
        return;
      }
      if (this.stage === 'election') this.elect(handler.sid);
    }
    this.sync(handler);
  }

  private get isEstablished(): boolean {
    return this.stage === 'synchronization' || this.stage === 'broadcast';
  }

  private elect(sid: number): void {
    if (isVoter(this.peer.config, sid)) this.electing.add(sid);
    const isElected =
      this.electing.has(this.peer.sid) && containsQuorum(this.peer.config, this.electing);
    if (!isElected) return;
    this.stage = 'taking-epoch';
    this.peer.writeEpoch('currentEpoch', this.epoch);
  }

  // ── synchronization ──────────────────────────────────────────────────────────────────────────

  /** Sends what the learner lacks, what is under way, then NEWLEADER; in this order and in one step. */
  private sync(handler: LearnerHandler): void {
    if (!this.isEstablished || handler.stage !== 'acked') return;
    const { committedLog, data, config } = this.peer;
    const { lastProcessedZxid } = data.tree;
    const txns = committedLog.entries();
    const zxids = txns.map(({ zxid }) => zxid);
    const plan = planSync(handler.lastZxid, { zxids, lastProcessedZxid });
    handler.stage = 'syncing';
    if (plan.kind === 'snap') {
      if (!this.sendSnapshot(handler)) return;
    } else {
      if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
      else handler.send(PacketType.TRUNC, plan.to);
      for (const { zxid, entry } of txns.slice(plan.from)) {
        handler.send(PacketType.PROPOSAL, zxid, entry);
        handler.send(PacketType.COMMIT, zxid);
      }
    }
    this.peer.note(`${handler.name} is brought in sync by ${plan.kind.toUpperCase()}`);
    if (!handler.isObserver) {
      for (const { zxid, entry } of this.outstanding.values()) {
        handler.send(PacketType.PROPOSAL, zxid, entry);
      }
    }
    handler.send(PacketType.NEWLEADER, this.newLeaderZxid, Buffer.from(formatQuorumConfig(config)));
  }

  private sendSnapshot(handler: LearnerHandler): boolean {
    const { limits, data } = this.peer;
    const underWay = [...this.handlers.values()].filter(({ isSentSnapshot }) => isSentSnapshot);
    if (handler.isObserver && underWay.length >= limits.maxConcurrentSnapSyncs) {
      this.refuse(handler, 'enough snapshots are being sent (leader.maxConcurrentSnapSyncs)');
      return false;
    }
    const zxid = data.tree.lastProcessedZxid;
    const sessions = this.server === null ? data.sessions : this.server.snapshotContent().sessions;
    handler.isSentSnapshot = true;
    handler.send(PacketType.SNAP, zxid);
    this.flush(handler);
    this.peer.emit({
      kind: 'link-snapshot',
      link: handler.link,
      content: { tree: data.tree, sessions, zxid },
    });
    return true;
  }

  private ack(handler: LearnerHandler, zxid: bigint): void {
    if (handler.stage === 'syncing') {
      if (zxid !== this.newLeaderZxid) {
        this.refuse(handler, 'its first ACK is not that of NEWLEADER');
        return;
      }
      handler.stage = 'synced';
      handler.isSentSnapshot = false;
      // NEWLEADER came behind all that was committed when it was sent.
      handler.ackedZxid = zxid;
      if (this.stage === 'broadcast') this.activate(handler);
      else if (!handler.isObserver) this.ackNewLeader(handler.sid);
      return;
    }
    if (!handler.isSynced) {
      this.refuse(handler, 'an ACK came before NEWLEADER');
      return;
    }
    if ((zxid & COUNTER) === 0n) return;
    if (zxid > this.lastProposed) {
      this.refuse(handler, 'it acked what was never proposed');
      return;
    }
    handler.acked(zxid, this.lastProposed, this.peer.nowMs);
  }

  private ackNewLeader(sid: number): void {
    if (this.stage !== 'synchronization') return;
    if (isVoter(this.peer.config, sid)) this.inSync.add(sid);
    const isAgreed =
      this.inSync.has(this.peer.sid) && containsQuorum(this.peer.config, this.inSync);
    if (isAgreed) this.begin();
  }

  /** A quorum has this leader's history, and its epoch: it serves. */
  private begin(): void {
    const { peer } = this;
    const { tree } = peer.data;
    this.stage = 'broadcast';
    this.startedMs = peer.nowMs;
    tree.lastProcessedZxid = this.newLeaderZxid;
    this.lastCommitted = this.newLeaderZxid;
    tree.setConfig(formatQuorumConfig(peer.config), peer.config.version, peer.wallMs);
    this.server = peer.serve((state, host) => {
      this.primary = new Primary(state, host, {
        seed: this.options.seed,
        replayed: this.options.replayed,
        containers: this.options.makeContainers(state),
        listener: this,
      });
      return this.primary;
    });
    this.server.isOpen = peer.limits.leaderServes;
    peer.established(this.epoch);
    for (const handler of this.handlers.values()) {
      if (handler.stage === 'synced') this.activate(handler);
    }
  }

  private activate(handler: LearnerHandler): void {
    handler.stage = 'active';
    handler.send(PacketType.UPTODATE, -1n);
  }

  // ── broadcast ────────────────────────────────────────────────────────────────────────────────

  proposed(zxid: bigint, entry: Buffer): void {
    this.lastProposed = zxid;
    this.outstanding.push({ zxid, entry });
    const { proposalSizes: sizes } = this;
    sizes.last = entry.length;
    sizes.max = Math.max(sizes.max, entry.length);
    sizes.min = sizes.min === -1 ? entry.length : Math.min(sizes.min, entry.length);
    for (const handler of this.handlers.values()) {
      if (!handler.isForwardedTo || handler.isObserver) continue;
      handler.send(PacketType.PROPOSAL, zxid, entry);
      handler.watch(zxid, this.peer.nowMs);
    }
    if ((zxid & COUNTER) >= LAST_COUNTER && !this.isOver) {
      this.isOver = true;
      this.peer.giveUp('the zxids of this epoch are used up; a new epoch is begun');
    }
  }

  durable(zxid: bigint): void {
    if (zxid > this.durableZxid) this.durableZxid = zxid;
    this.tryCommit();
  }

  /** Commits up to the last txn that a quorum has on its disks. */
  private tryCommit(): void {
    const { primary, peer } = this;
    if (primary === null || this.outstanding.length === 0) return;
    const acked: { sid: number; zxid: bigint }[] = [{ sid: peer.sid, zxid: this.durableZxid }];
    for (const { sid, isSynced, ackedZxid } of this.handlers.values()) {
      if (isSynced) acked.push({ sid, zxid: ackedZxid });
    }
    let committable = this.lastCommitted;
    for (const { zxid } of acked) {
      if (zxid <= committable) continue;
      const having = new Set(acked.filter((other) => other.zxid >= zxid).map(({ sid }) => sid));
      if (containsQuorum(peer.config, having)) committable = zxid;
    }
    if (committable > this.lastCommitted) primary.commit(committable);
  }

  committed(zxid: bigint): void {
    const txn = this.outstanding.shift();
    if (txn === undefined || txn.zxid !== zxid) throw new Error('commits out of order');
    this.lastCommitted = zxid;
    this.peer.committedLog.add(zxid, txn.entry);
    for (const handler of this.handlers.values()) {
      if (!handler.isForwardedTo) continue;
      if (handler.isObserver) handler.send(PacketType.INFORM, zxid, txn.entry);
      else handler.send(PacketType.COMMIT, zxid);
    }
  }

  synced(request: Request): void {
    if (request.origin instanceof LearnerHandler) request.origin.send(PacketType.SYNC, 0n);
  }

  private forwarded(handler: LearnerHandler, packet: Packet): void {
    const request = readRequest(packet.data);
    if (request === undefined || this.primary === null) {
      this.refuse(handler, 'a REQUEST came out of turn, or is damaged');
      return;
    }
    this.primary.forwarded({ ...request, origin: handler, ids: [...(packet.authinfo ?? [])] });
  }

  private revalidate(handler: LearnerHandler, packet: Packet): void {
    const asked = readRevalidation(packet.data);
    if (asked === undefined) {
      this.refuse(handler, 'a damaged REVALIDATE');
      return;
    }
    const isValid = this.server?.moveSession(asked.sessionId, asked.timeoutMs, handler) ?? false;
    const data = Buffer.alloc(9);
    data.writeBigInt64BE(asked.sessionId);
    data[8] = isValid ? 1 : 0;
    handler.send(PacketType.REVALIDATE, packet.zxid, data);
  }

  // ── time ─────────────────────────────────────────────────────────────────────────────────────

  get nextWakeMs(): number {
    return this.stage === 'broadcast'
      ? this.nextPingMs
      : Math.min(this.deadlineMs, this.nextPingMs);
  }

  tick(): void {
    const { nowMs, limits } = this.peer;
    if (this.stage !== 'broadcast' && nowMs >= this.deadlineMs) {
      this.peer.giveUp(`no quorum came together within initLimit (${this.initMs} ms)`);
      return;
    }
    for (const handler of this.handlers.values()) this.checkLearner(handler);
    if (nowMs < this.nextPingMs) return;
    this.nextPingMs = nowMs + limits.tickTimeMs / 2;
    for (const handler of this.handlers.values()) {
      if (handler.isForwardedTo) handler.send(PacketType.PING, this.lastProposed);
    }
    if (this.stage === 'broadcast') this.checkQuorum();
  }

  private checkLearner(handler: LearnerHandler): void {
    const { nowMs } = this.peer;
    const isSynced = handler.isSynced;
    const silentMs = nowMs - handler.heardMs;
    if (silentMs > (isSynced ? this.syncMs : this.initMs)) {
      this.refuse(handler, `nothing came from it for ${silentMs} ms`);
    } else if (isSynced && handler.lagMs(nowMs) > this.syncMs) {
      this.refuse(handler, `it has not acked a proposal for ${handler.lagMs(nowMs)} ms`);
    }
  }

  /** A leader that nobody follows must not go on answering. */
  private checkQuorum(): void {
    const speaking = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver } of this.handlers.values()) {
      if (isSynced && !isObserver) speaking.add(sid);
    }
    if (!containsQuorum(this.peer.config, speaking)) {
      this.peer.giveUp(`it has no quorum any more: only ${[...speaking].join(', ')} are in sync`);
    }
  }

  drain(): void {
    for (const handler of this.handlers.values()) this.flush(handler);
  }

  private flush({ link, out }: LearnerHandler): void {
    if (out.length > 0) this.peer.emit({ kind: 'link-send', link, bytes: out.take() });
  }

  end(): void {
    for (const { link } of this.handlers.values()) this.peer.emit({ kind: 'link-close', link });
    this.handlers.clear();
    this.primary?.commit(this.lastProposed);
  }
}
