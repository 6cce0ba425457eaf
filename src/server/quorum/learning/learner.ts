/**
 * A follower or an observer: connects to its leader, gets in sync, takes part (Learner, Follower,
 * Observer; docs/protocol.md). An observer may connect to an observer master, which is a follower.
 *
 *   dial -> FOLLOWERINFO -> LEADERINFO -> (acceptedEpoch durable) -> ACKEPOCH
 *        -> DIFF | TRUNC | SNAP -> PROPOSAL, COMMIT … -> NEWLEADER
 *        -> (all of it durable, then currentEpoch durable) -> ACK -> UPTODATE -> ACK, open
 *
 * It acks an epoch once its file is durable. Before NEWLEADER it stores the leader's history, then
 * the epoch (ZOOKEEPER-3911, 4643, 4646, 4785). A gap in zxids or a COMMIT out of order ends it.
 */
import { assert } from '../../../base/assert.js';
import { RESET_ADVICE } from '../../../files/epochs.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { InputArchive } from '../../../jute/input-archive.js';
import { JuteError } from '../../../jute/jute-error.js';
import type { OutputArchive } from '../../../jute/output-archive.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { formatZxid, zxidEpoch } from '../../../protocol/zxid.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import { LIMITS } from '../../limits/limits.js';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import { Database } from '../../persistence/replay.js';
import type { Server } from '../../server.js';
import type { DataTree } from '../../tree/data-tree.js';
import { leaveTree } from '../../tree/tree-memory.js';
import { MAX_EPOCHS_AHEAD } from '../leading/establishment.js';
import { SNAP_STREAM_SIGNATURE } from '../leading/synchronizer.js';
import { parseQuorumConfig, type QuorumConfig } from '../membership/quorum-config.js';
import type { MasterAddress } from '../peer/observer-masters.js';
import type { Peer } from '../peer/peer.js';
import type { Data, QuorumLimits, Role } from '../peer/role.js';
import { claimsData, readHandover } from '../wire/handover-packets.js';
import {
  learnerInfo,
  NO_DATA,
  type Packet,
  PacketReader,
  PacketType,
  packetName,
  writePacket,
} from '../wire/quorum-packet.js';
import { LeaderLink } from './leader-link.js';
import { type HistoryListener, LearnerHistory } from './learner-history.js';
import { LearnerPipeline } from './learner-pipeline.js';
import { type ObserverMaster, takeObservers, upstreamOf } from './observer-master.js';

/**
 * In this order, some left out:
 * - `connecting`: dials the leader
 * - `registering`: FOLLOWERINFO or OBSERVERINFO is sent
 * - `accepting`: the new epoch is being written to disk
 * - `acknowledged`: ACKEPOCH is sent; DIFF, TRUNC, or SNAP is next
 * - `receiving-snapshot`: a part of the tree after SNAP has come
 * - `restoring`: the log is being truncated, or a snapshot is being written
 * - `syncing`: logs and applies what it lacks
 * - `persisting`: NEWLEADER came; its history, then its epoch, are being written to disk
 * - `synced`: NEWLEADER is acked; UPTODATE is next
 * - `serving`: UPTODATE came
 */
const STAGES = [
  'connecting',
  'registering',
  'accepting',
  'acknowledged',
  'receiving-snapshot',
  'restoring',
  'syncing',
  'persisting',
  'synced',
  'serving',
] as const;

export type LearnerStage = (typeof STAGES)[number];

/** Stages in which packets wait for the disk. */
export const WAITING: ReadonlySet<LearnerStage> = new Set(['accepting', 'restoring', 'persisting']);

/** As the four-letter words show it. */
export function phaseOf(stage: LearnerStage, syncMode: string | null): string {
  if (stage === 'serving') return 'broadcast';
  if (syncMode !== null) return syncMode;
  return stage === 'connecting' || stage === 'registering' ? 'discovery' : 'synchronization';
}

/** How long the leader may be silent. A disk here that is slower is for the leader to judge. */
export function patienceMs(stage: LearnerStage, limits: QuorumLimits): number {
  if (WAITING.has(stage)) return Number.POSITIVE_INFINITY;
  const isSynced = stage === 'synced' || stage === 'serving';
  return limits.tickTimeMs * (isSynced ? limits.syncLimit : limits.initLimit);
}

export class Learner implements Role {
  readonly kind: 'following' | 'observing';
  readonly leaderSid: number;
  /** The leader, or the observer master that this observer syncs from. */
  readonly masterSid: number;
  private readonly peer: Peer;
  private readonly link: LeaderLink;
  private readonly out: OutputArchive;
  private readonly reader: PacketReader;
  /** Only `enter` changes it, to a later one. */
  private stage: LearnerStage = 'connecting';
  private readonly restore: LearnerRestore;
  private readonly discovery: LearnerDiscovery;
  /** As NEWLEADER names it; 0 before. Its ack repeats it. */
  private newLeaderZxid = 0n;
  /** The disk was asked to write currentEpoch: once, in stage `persisting`. */
  private isEpochRequested = false;
  /** Null before stage `syncing`; opened in stage `serving`. */
  private server: Server | null = null;
  /** Null exactly while `server` is. */
  private history: LearnerHistory | null = null;
  /** The configuration of NEWLEADER, in force with UPTODATE; null without one. */
  private newConfig: QuorumConfig | null = null;
  /** Until then its clients wait for a handover, in monotonic ms; Infinity without one. */
  private parkedUntilMs = Number.POSITIVE_INFINITY;
  /** Null before stage `serving`, and if this follower takes no observers. */
  master: ObserverMaster | null = null;

  constructor(peer: Peer, master: MasterAddress) {
    this.peer = peer;
    this.leaderSid = master.leader;
    this.masterSid = master.sid;
    this.kind = peer.isObserver ? 'observing' : 'following';
    this.restore = new LearnerRestore(peer);
    this.reader = new PacketReader(peer.limits.maxTxnLength);
    this.link = new LeaderLink(peer, master);
    this.out = this.link.out;
    this.discovery = new LearnerDiscovery(peer, this.out);
  }

  get phase(): string {
    return phaseOf(this.stage, this.restore.mode);
  }

  owns(event: LinkEvent): boolean {
    return this.master?.owns(event) === true;
  }

  /** Only a leader decides on a reconfig. */
  reconfigure(): ErrorCode {
    return ErrorCode.UNIMPLEMENTED;
  }

  step(event: QuorumEvent): void {
    if ('link' in event && !this.link.is(event.link)) {
      this.master?.step(event);
      return;
    }
    switch (event.kind) {
      case 'link-opened':
        this.link.opened();
        this.enter(this.discovery.register(this.kind === 'observing'));
        break;
      case 'link-received':
        this.link.heardMs = this.peer.nowMs;
        if (!this.restore.push(event.bytes)) this.reader.push(event.bytes);
        break;
      case 'link-closed':
        if (this.link.closed()) return;
        this.peer.giveUp(`lost ${this.link.name}: ${event.reason}`);
        return;
      case 'epoch-written':
        if (event.name === 'acceptedEpoch' && this.stage === 'accepting') {
          this.enter(this.discovery.ack(this.peer.currentEpoch));
        } else if (event.name === 'currentEpoch' && this.stage === 'persisting') {
          this.ackNewLeader();
        }
        break;
      case 'truncated':
        this.restored(this.restore.truncated(event.database.tree.lastProcessedZxid));
        break;
      case 'installed':
        this.restored('');
        break;
      case 'notified':
        return;
    }
    this.pump();
    this.link.hold(WAITING.has(this.stage));
  }

  private enter(stage: LearnerStage): void {
    const isLater = STAGES.indexOf(stage) > STAGES.indexOf(this.stage);
    assert(isLater, 'history: the sync goes back', this.stage, stage);
    const isServed = STAGES.indexOf(stage) >= STAGES.indexOf('syncing');
    assert(isServed || this.history === null, 'history: txns before the sync', stage);
    this.stage = stage;
  }

  /** Processes packets until one needs the disk first. */
  private pump(): void {
    try {
      while (this.link.isOpen && !WAITING.has(this.stage)) {
        if (this.stage === 'receiving-snapshot') {
          const rest = this.restore.receive();
          if (rest === null) return;
          this.reader.push(rest);
          this.enter('restoring');
          continue;
        }
        const packet = this.reader.next();
        if (packet === null) return;
        const problem = this.receive(packet);
        if (problem !== '') this.fail(problem);
      }
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      this.link.reportLimit(error);
      this.fail(error.message);
    }
  }

  private fail(reason: string): void {
    if (!this.link.isOpen) return;
    this.link.close();
    this.peer.giveUp(`${this.link.name} broke the protocol: ${reason}`);
  }

  /** Returns what is wrong with the packet, or "". */
  private receive(packet: Packet): string {
    const { history } = this;
    switch (packet.type) {
      case PacketType.LEADERINFO:
        return this.receiveEpoch(packet);
      case PacketType.DIFF:
      case PacketType.TRUNC:
      case PacketType.SNAP:
        return this.beginSync(packet);
      case PacketType.NEWLEADER:
        return this.receiveNewLeader(packet);
      case PacketType.UPTODATE:
        return this.receiveUpToDate();
      case PacketType.REVALIDATE:
        if (this.master?.revalidated(packet) === true) return '';
        break;
      case PacketType.PREPARE_HANDOVER:
        return this.park(packet);
      case PacketType.HANDOVER:
        return this.followNext(packet);
      case PacketType.KEEPER_DIALECT:
        return this.takeDialect(packet);
      case PacketType.PING:
        writePacket(this.out, packet.type, packet.zxid, history?.pipeline.touched() ?? NO_DATA);
        return '';
      default:
        break;
    }
    return history?.receive(packet) ?? `${packetName(packet.type)}: unexpected packet`;
  }

  private receiveEpoch(packet: Packet): string {
    if (this.stage !== 'registering') return 'LEADERINFO: received twice';
    const received = this.discovery.receive(packet);
    if (typeof received === 'string') return received;
    this.enter(received.stage);
    return '';
  }

  private beginSync({ type, zxid }: Packet): string {
    if (this.stage !== 'acknowledged') return `${packetName(type)}: unexpected packet`;
    const problem = this.restore.refuse(type);
    if (problem !== '') return problem;
    if (type === PacketType.SNAP && zxidEpoch(zxid) > this.discovery.newEpoch) {
      return `SNAP of ${formatZxid(zxid)}: newer than epoch ${this.discovery.newEpoch}`;
    }
    if (type === PacketType.DIFF) {
      this.restore.diff();
      this.startServer();
    } else if (type === PacketType.TRUNC) {
      this.restore.truncate(zxid);
      this.enter('restoring');
    } else {
      this.restore.snapshot(zxid, this.reader.takeRest());
      this.enter('receiving-snapshot');
    }
    return '';
  }

  private restored(problem: string): void {
    if (this.stage !== 'restoring') return;
    if (problem === '') this.startServer();
    else this.fail(problem);
  }

  /**
   * The history here is a prefix of the leader's: log and apply the txns to come. The server takes
   * no clients before UPTODATE.
   */
  private startServer(): void {
    const { peer, link } = this;
    assert(this.server === null, 'role: starts two servers', this.leaderSid);
    this.enter('syncing');
    const upstream = upstreamOf(link, () => this.master);
    const { repair: comparison, isObserver } = peer;
    const options = { snapshots: peer.snapshots, upstream, comparison, isObserver };
    const { server, pipeline } = peer.serve(
      (state, host) => new LearnerPipeline(state, host, options),
    );
    this.server = server;
    const listener: HistoryListener = {
      committed: (...txn) => this.master?.committed(...txn),
      activated: (config, leader) => this.activate(config, leader),
    };
    const containedZxid = this.restore.mode === 'snap' ? pipeline.lastLogged : -1n;
    this.history = new LearnerHistory(pipeline, peer, listener, containedZxid);
  }

  private receiveNewLeader({ zxid, data }: Packet): string {
    if (this.stage !== 'syncing') return 'NEWLEADER: unexpected packet';
    this.newLeaderZxid = zxid;
    this.enter('persisting');
    this.history?.pipeline.caughtUp();
    this.history?.receivedNewLeader();
    if (this.peer.isReconfigEnabled && data !== null && data.length > 1) {
      const config = parseQuorumConfig(data.toString());
      if (typeof config === 'string') return `NEWLEADER: invalid configuration: ${config}`;
      const { membership } = this.peer;
      membership.acceptFromLeader(config, this.history?.pipeline.lastLogged ?? 0n);
      const pending = this.history?.pendingConfig ?? null;
      if (pending !== null) membership.propose(pending);
      // Apache's leader sends a configuration that is only proposed: wait for its commit.
      if (pending?.version !== config.version) this.newConfig = config;
    }
    this.persist();
    return '';
  }

  /** History first, then the epoch: a crash in between must not leave an epoch without its txns. */
  private persist(): void {
    const isDue = this.stage === 'persisting' && this.history?.isDurable === true;
    if (!isDue || this.isEpochRequested) return;
    this.isEpochRequested = true;
    const { acceptedEpoch } = this.peer;
    const { newEpoch } = this.discovery;
    assert(
      newEpoch === acceptedEpoch,
      'epoch: joins one it did not accept',
      newEpoch,
      acceptedEpoch,
    );
    this.peer.writeEpoch('currentEpoch', this.discovery.newEpoch);
  }

  private ackNewLeader(): void {
    const { currentEpoch } = this.peer;
    const isJoined = this.discovery.newEpoch === currentEpoch;
    assert(isJoined, 'epoch: NEWLEADER acked before its epoch is stored', currentEpoch);
    assert(this.isEpochRequested, 'epoch: stored before its history', currentEpoch);
    this.enter('synced');
    writePacket(this.out, PacketType.ACK, this.newLeaderZxid);
    this.history?.ackedNewLeader();
    this.ackDurable();
  }

  private receiveUpToDate(): string {
    const { history, server } = this;
    if (this.stage !== 'synced' || history === null || server === null) {
      return 'UPTODATE: unexpected packet';
    }
    this.enter('serving');
    this.restore.end();
    history.pipeline.serving();
    assert(this.master === null, 'role: takes observers before it serves', this.leaderSid);
    writePacket(this.out, PacketType.ACK, this.newLeaderZxid);
    this.peer.established(this.discovery.newEpoch);
    // A reconfig may have been committed since NEWLEADER.
    const isNewest = (this.newConfig?.version ?? -1n) >= this.peer.membership.config.version;
    if (this.newConfig !== null && isNewest) this.activate(this.newConfig, this.leaderSid);
    this.peer.isKeeperAnnounced = server.state.keeperDialect === 'announced';
    server.open(true);
    if (this.kind === 'following')
      this.master = takeObservers(this.peer, history, server, this.link);
    return '';
  }

  private park({ type, zxid }: Packet): string {
    if (this.stage !== 'serving') return 'PREPARE_HANDOVER: unexpected packet';
    this.server?.park();
    this.parkedUntilMs = this.peer.nowMs + LIMITS.roleChangeTime.value;
    writePacket(this.out, type, zxid, claimsData(this.server?.connectedSessions() ?? []));
    return '';
  }

  /** Only who serves knows that the next leader has this history, too: others look for one. */
  private followNext({ data }: Packet): string {
    const handover = readHandover(data);
    if (this.stage !== 'serving' || handover === undefined) return 'HANDOVER: unexpected packet';
    const { sid, elsewhere } = handover;
    this.server?.closeSessions(elsewhere ?? []);
    const mayKeep = elsewhere !== null && this.history?.isCommitted === true;
    this.peer.handOver(sid, `server ${sid} leads next`, mayKeep);
    return '';
  }

  /** The leader serves the operations of ClickHouse Keeper. */
  private takeDialect({ data }: Packet): string {
    const { peer, server, stage } = this;
    const isExpected = peer.isKeeperDialect && (stage === 'synced' || stage === 'serving');
    if (server === null || !isExpected || data?.length !== 1)
      return 'KEEPER_DIALECT: unexpected packet';
    peer.isKeeperAnnounced = data[0] === 1;
    server.state.keeperDialect = peer.isKeeperAnnounced ? 'announced' : 'served';
    this.master?.learners.tell(server.state.keeperDialect);
    return '';
  }

  /** A leader that serves the dialect knows the packet. */
  askForLeadership(): boolean {
    const { kind, server, stage } = this;
    const isKnown = server !== null && server.state.keeperDialect !== 'off';
    if (!isKnown || kind !== 'following' || stage !== 'serving') return false;
    writePacket(this.out, PacketType.LEADERSHIP_REQUEST, -1n);
    return true;
  }

  private activate(config: QuorumConfig, leader: number): void {
    const isObserver = this.kind === 'observing';
    this.peer.activate(config);
    if (leader !== this.leaderSid) {
      this.peer.handOver(leader, `server ${leader} leads in the new configuration`);
    } else if (isObserver !== this.peer.isObserver) {
      const reason = `this server becomes ${isObserver ? 'a participant' : 'an observer'}`;
      this.peer.handOver(leader, reason);
    }
  }

  durable(zxid: bigint): void {
    this.history?.durable(zxid);
    this.persist();
    this.ackDurable();
  }

  private ackDurable(): void {
    const { history, stage } = this;
    if (history === null || (stage !== 'synced' && stage !== 'serving')) return;
    for (let head = history.nextAck(); head !== undefined; head = history.nextAck()) {
      if (this.kind === 'observing') continue;
      writePacket(this.out, PacketType.ACK, head.zxid);
      this.peer.metrics.ackCreated(this.peer.wallMs, head.time);
    }
  }

  private get deadlineMs(): number {
    return this.link.heardMs + patienceMs(this.stage, this.peer.limits);
  }

  get nextWakeMs(): number {
    const masterMs = this.master?.nextWakeMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.link.nextWakeMs, this.deadlineMs, masterMs);
  }

  tick(): void {
    this.link.tick();
    this.master?.tick();
    this.unparkLate();
    if (this.peer.beforeMs < this.deadlineMs) return;
    this.link.close();
    this.peer.giveUp(`no packet from ${this.link.name} for ${this.link.silentMs} ms`);
  }

  /** The leader did not hand over after all. */
  private unparkLate(): void {
    if (this.peer.nowMs < this.parkedUntilMs) return;
    this.parkedUntilMs = Number.POSITIVE_INFINITY;
    this.server?.unpark();
  }

  get neededZxid(): bigint | null {
    return this.master?.neededZxid ?? null;
  }

  /** What `released` lets in still leaves in this turn: it may forward requests. */
  drain(): void {
    this.history?.pipeline.released();
    this.master?.drain();
    this.link.drain();
  }

  end(): void {
    this.link.close();
    // Observers get none of the txns that are applied now.
    this.master?.end();
    this.master = null;
    this.history?.end();
    assert(!this.link.isOpen, 'link: open after its role', this.leaderSid);
  }
}

/** Joins the leader's epoch (Learner.registerWithLeader): acks it only once it is on disk. */
class LearnerDiscovery {
  /** The epoch of LEADERINFO; 0 before. This server accepts it once it is on disk. */
  newEpoch = 0;
  private readonly peer: Peer;
  private readonly out: OutputArchive;

  constructor(peer: Peer, out: OutputArchive) {
    this.peer = peer;
    this.out = out;
  }

  register(isObserver: boolean): LearnerStage {
    const { acceptedEpoch, isKeeperDialect: isOfKeeper, membership, repair, sid } = this.peer;
    repair.follow();
    const type = isObserver ? PacketType.OBSERVERINFO : PacketType.FOLLOWERINFO;
    const info = learnerInfo({ sid, configVersion: membership.config.version, isOfKeeper });
    writePacket(this.out, type, BigInt(acceptedEpoch) << 32n, info);
    return 'registering';
  }

  /** Takes LEADERINFO: returns the next stage, or what is wrong with the packet. */
  receive({ zxid }: Packet): { readonly stage: LearnerStage } | string {
    const { acceptedEpoch } = this.peer;
    this.newEpoch = zxidEpoch(zxid);
    if (this.newEpoch < acceptedEpoch) {
      const isFar = acceptedEpoch > this.newEpoch + MAX_EPOCHS_AHEAD;
      const advice = isFar ? `. ${RESET_ADVICE}` : '';
      return `its epoch ${this.newEpoch} is older than the accepted epoch ${acceptedEpoch}${advice}`;
    }
    // Already promised to some leader, so it must not count twice.
    if (this.newEpoch === acceptedEpoch) return { stage: this.ack(-1) };
    this.peer.writeEpoch('acceptedEpoch', this.newEpoch);
    return { stage: 'accepting' };
  }

  ack(currentEpoch: number): LearnerStage {
    const { acceptedEpoch } = this.peer;
    const isStored = this.newEpoch === acceptedEpoch;
    assert(isStored, 'epoch: acked before it is stored', this.newEpoch, acceptedEpoch);
    const { repair, times, nowMs, data: known } = this.peer;
    const zxid = repair.lastZxidOf(known.tree.lastProcessedZxid);
    times.syncing(nowMs);
    const data = Buffer.alloc(4);
    data.writeInt32BE(currentEpoch);
    writePacket(this.out, PacketType.ACKEPOCH, zxid, data);
    return 'acknowledged';
  }
}

/** Makes a learner's history a prefix of its leader's: kept, truncated, or replaced. */
export class LearnerRestore {
  /** Null before the leader decided, and once the learner is in sync. */
  private decided: 'diff' | 'snap' | 'trunc' | null = null;
  private readonly peer: Peer;
  /** Where the leader wants the log to end; 0 unless it sent TRUNC. */
  private truncateTo = 0n;
  /** Not null while a snapshot is being received. */
  private receiver: SnapshotReceiver | null = null;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  /** Returns why the answer does not fit the zxid that this server reported, or "". */
  refuse(type: number): string {
    if (type === PacketType.SNAP || !this.peer.repair.isWanted) return '';
    this.peer.repair.refused();
    return `${packetName(type)}: unexpected for a server without data (expected SNAP)`;
  }

  get mode(): 'diff' | 'snap' | 'trunc' | null {
    return this.decided;
  }

  private begin(mode: 'diff' | 'snap' | 'trunc'): void {
    assert(this.decided === null, 'history: synced in two ways', this.decided, mode);
    this.decided = mode;
  }

  /** The learner is in sync. */
  end(): void {
    assert(this.decided !== null, 'history: in sync without DIFF, TRUNC, or SNAP');
    assert(this.receiver === null, 'history: in sync during a snapshot');
    this.decided = null;
  }

  diff(): void {
    this.begin('diff');
  }

  truncate(zxid: bigint): void {
    this.begin('trunc');
    this.truncateTo = zxid;
    this.peer.emit({ kind: 'truncate', zxid });
  }

  /** Returns what is wrong with the truncated log, or "". */
  truncated(lastZxid: bigint): string {
    assert(this.decided === 'trunc', 'history: truncated without TRUNC', lastZxid);
    leaveTree();
    if (lastZxid === this.truncateTo) return '';
    const [wanted, found] = [formatZxid(this.truncateTo), formatZxid(lastZxid)];
    return `truncated log: ends at ${found} (expected ${wanted})`;
  }

  /** @param bytes already received after SNAP */
  snapshot(zxid: bigint, bytes: Buffer): void {
    const { data, limits } = this.peer;
    this.begin('snap');
    assert(this.receiver === null, 'history: two snapshots at once', zxid);
    this.receiver = new SnapshotReceiver(zxid, data.tree, limits.maxTxnLength);
    this.receiver.push(bytes);
  }

  /** False if the bytes are not from a snapshot. */
  push(bytes: Buffer): boolean {
    this.receiver?.push(bytes);
    return this.receiver !== null;
  }

  /**
   * Replaces the data of this server by the complete snapshot. Returns the bytes after it, or null
   * while it is incomplete. @throws JuteError when it is damaged
   */
  receive(): Buffer | null {
    const { receiver, peer } = this;
    const data = receiver?.receive() ?? null;
    if (receiver === null || data === null) return null;
    this.receiver = null;
    const zxid = data.tree.lastProcessedZxid;
    assert(this.decided === 'snap', 'history: a tree without SNAP', zxid);
    peer.replaceData(data);
    peer.snapshots.rearm();
    leaveTree();
    const whenDurable = { kind: 'installed', zxid } as const;
    const mismatchZxid = peer.repair.taken();
    const content = { ...data, zxid };
    peer.emit({ kind: 'install-snapshot', content, mismatchZxid, whenDurable });
    return receiver.rest();
  }
}

/** int length and the signature. */
const SIGNATURE_SIZE = 4 + SNAP_STREAM_SIGNATURE.length;

/** The tree after SNAP, without header and seals. The old tree stays until it is complete. */
export class SnapshotReceiver {
  private readonly reader: SnapshotReader;
  private readonly database: Database;
  private readonly zxid: bigint;
  /** The tree is complete: only the signature is missing. */
  private isBodyRead = false;
  /** The bytes after the tree that have come; empty before `isBodyRead`. */
  private tail: Buffer = Buffer.alloc(0);

  /** @param zxid of the SNAP packet: all txns up to it are in the tree */
  constructor(zxid: bigint, like: DataTree, maxLength: number) {
    this.zxid = zxid;
    this.reader = new SnapshotReader(maxLength, 'body');
    this.database = new Database(like.options);
  }

  push(bytes: Buffer): void {
    if (this.isBodyRead) this.tail = Buffer.concat([this.tail, bytes]);
    else this.reader.push(bytes);
  }

  /** The complete tree; null before its signature. @throws JuteError when it is invalid */
  receive(): Data | null {
    if (!this.isBodyRead && !this.readBody()) return null;
    if (this.tail.length < SIGNATURE_SIZE) return null;
    const signature = new InputArchive(this.tail).readString();
    if (signature !== SNAP_STREAM_SIGNATURE) {
      throw new JuteError(
        `snapshot: wrong signature: "${signature}" (expected "${SNAP_STREAM_SIGNATURE}")`,
      );
    }
    this.tail = this.tail.subarray(SIGNATURE_SIZE);
    this.database.finishSnapshot(this.zxid);
    const { lastProcessedZxid } = this.database.tree;
    assert(
      lastProcessedZxid === this.zxid,
      'zxid order: a tree of another zxid',
      lastProcessedZxid,
    );
    const { tree, sessions } = this.database;
    return { tree, sessions: [...sessions.values()] };
  }

  rest(): Buffer {
    return this.tail;
  }

  private readBody(): boolean {
    const { reader, database } = this;
    const fed = feedSnapshot(database, reader);
    if (fed.kind === 'need-more') return false;
    if (fed.kind === 'invalid') throw new JuteError(`snapshot: damaged ${faultOf(fed)}`);
    this.isBodyRead = true;
    this.tail = reader.takeRest();
    return true;
  }
}
