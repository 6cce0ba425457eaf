/**
 * A follower or an observer: finds its leader, is brought in sync, then takes part (Learner,
 * Follower, Observer; server.md 4.4).
 *
 *   dial -> FOLLOWERINFO -> LEADERINFO -> (acceptedEpoch durable) -> ACKEPOCH
 *        -> DIFF | TRUNC | SNAP -> PROPOSAL, COMMIT … -> NEWLEADER
 *        -> (all of it durable, then currentEpoch durable) -> ACK -> UPTODATE -> ACK, clients come in
 *
 * The two waits are the promise of the protocol: an epoch is acked when its file is on the disk, and
 * NEWLEADER when the leader's history is, before the epoch (ZOOKEEPER-3911, 4643, 4646, 4785).
 * What happens out of order, a gap in the zxids or a COMMIT of another txn than the next, ends
 * the role: a tree that might differ serves nobody.
 */
import { JuteError } from '../../jute/jute-error.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Id } from '../../protocol/data.js';
import { formatZxid, zxidEpoch } from '../../protocol/zxid.js';
import type { QuorumServerConfig } from '../config-ensemble.js';
import type { QuorumEvent } from '../events.js';
import { Fifo } from '../fifo.js';
import { isSuccessor } from '../persistence/recovery.js';
import type { Server } from '../server.js';
import { readTxn } from '../tree/txn.js';
import { LearnerPath, type Proposal } from './learner-path.js';
import { formatQuorumConfig } from './quorum-config.js';
import {
  LEARNER_PROTOCOL_VERSION,
  type Packet,
  PacketReader,
  PacketType,
  packetName,
  writePacket,
} from './quorum-packet.js';
import type { PeerHost, Role } from './role.js';
import { SnapshotReceiver } from './snapshot-receiver.js';

type Phase =
  | 'connecting'
  /** FOLLOWERINFO is sent. */
  | 'registering'
  /** The new epoch is on its way to the disk. */
  | 'accepting'
  /** ACKEPOCH is sent: DIFF, TRUNC or SNAP comes. */
  | 'acknowledged'
  /** The log is being cut, or a snapshot being written. */
  | 'restoring'
  | 'receiving-snapshot'
  /** What the leader has and this server lacks comes in. */
  | 'syncing'
  /** NEWLEADER came: its history, then its epoch, are on their way to the disk. */
  | 'persisting'
  /** NEWLEADER is acked: UPTODATE comes. */
  | 'synced'
  | 'serving';

/** Phases in which packets wait: something must be on the disk first. */
const WAITING: ReadonlySet<Phase> = new Set(['accepting', 'restoring', 'persisting']);
const CONNECT_TRIES = 5;

export class Learner implements Role {
  readonly kind: 'following' | 'observing';
  private readonly peer: PeerHost;
  private readonly leader: QuorumServerConfig;
  private readonly seed: number;
  private readonly reader: PacketReader;
  private readonly out = new OutputArchive(1024);
  private stage: Phase = 'connecting';
  private syncMode: 'diff' | 'snap' | 'trunc' | null = null;
  private link = 0;
  private tries = 0;
  private retryAtMs = Number.POSITIVE_INFINITY;
  private readonly beganMs: number;
  private heardMs: number;
  private newEpoch = 0;
  private ackZxid = 0n;
  private truncateTo = 0n;
  private snapshot: SnapshotReceiver | null = null;
  private server: Server | null = null;
  private path: LearnerPath | null = null;
  /** Proposed and not committed. */
  private readonly pending = new Fifo<Proposal>();
  /** Logged, and to be acked when durable. */
  private readonly unacked = new Fifo<bigint>();
  private durableZxid: bigint;
  private isEpochAsked = false;

  constructor(peer: PeerHost, leader: QuorumServerConfig, seed: number) {
    this.peer = peer;
    this.leader = leader;
    this.seed = seed;
    this.kind = peer.isObserver ? 'observing' : 'following';
    this.reader = new PacketReader(peer.limits.maxTxnLength);
    this.durableZxid = peer.data.tree.lastProcessedZxid;
    this.beganMs = peer.nowMs;
    this.heardMs = peer.nowMs;
    this.dial();
  }

  get phase(): string {
    if (this.stage === 'serving') return 'broadcast';
    if (this.syncMode !== null) return this.syncMode;
    return this.stage === 'connecting' || this.stage === 'registering'
      ? 'discovery'
      : 'synchronization';
  }

  get leaderSid(): number {
    return this.leader.sid;
  }

  // ── the connection ───────────────────────────────────────────────────────────────────────────

  private dial(): void {
    const { limits } = this.peer;
    this.tries++;
    this.retryAtMs = Number.POSITIVE_INFINITY;
    this.link = this.peer.nextLink();
    const timeoutMs = limits.tickTimeMs * limits.connectToLearnerMasterLimit;
    const addresses = this.leader.addresses.map(({ host, quorumPort: port }) => ({ host, port }));
    this.peer.emit({ kind: 'link-dial', link: this.link, addresses, timeoutMs });
  }

  step(event: QuorumEvent): void {
    switch (event.kind) {
      case 'link-opened':
        if (event.link !== this.link) return;
        this.heardMs = this.peer.nowMs;
        this.register();
        break;
      case 'link-received':
        if (event.link !== this.link) return;
        this.heardMs = this.peer.nowMs;
        if (this.snapshot === null) this.reader.push(event.bytes);
        else this.snapshot.push(event.bytes);
        this.pump();
        break;
      case 'link-closed':
        if (event.link === this.link) this.disconnected(event.reason);
        break;
      case 'epoch-written':
        if (event.name === 'acceptedEpoch' && this.stage === 'accepting') this.acceptEpoch();
        if (event.name === 'currentEpoch' && this.stage === 'persisting') this.ackNewLeader();
        this.pump();
        break;
      case 'truncated':
        this.truncated(event.database.tree.lastProcessedZxid);
        this.pump();
        break;
      case 'installed':
        if (this.stage === 'restoring') this.serve();
        this.pump();
        break;
      case 'notified':
        break;
    }
  }

  private disconnected(reason: string): void {
    const { limits, nowMs } = this.peer;
    const isLate = nowMs - this.beganMs >= limits.tickTimeMs * limits.connectToLearnerMasterLimit;
    if (this.stage !== 'connecting' || this.tries >= CONNECT_TRIES || isLate) {
      this.link = 0;
      this.peer.giveUp(`the leader, server ${this.leader.sid}, is gone: ${reason}`);
      return;
    }
    // The one elected may not listen yet.
    this.retryAtMs = nowMs + limits.leaderConnectDelayDuringRetryMs;
  }

  private register(): void {
    const { sid, config, acceptedEpoch } = this.peer;
    const data = Buffer.alloc(20);
    data.writeBigInt64BE(BigInt(sid), 0);
    data.writeInt32BE(LEARNER_PROTOCOL_VERSION, 8);
    data.writeBigInt64BE(config.version, 12);
    const type = this.kind === 'observing' ? PacketType.OBSERVERINFO : PacketType.FOLLOWERINFO;
    this.stage = 'registering';
    writePacket(this.out, type, BigInt(acceptedEpoch) << 32n, data);
  }

  private pump(): void {
    try {
      while (this.link !== 0 && !WAITING.has(this.stage)) {
        if (this.snapshot !== null) {
          if (!this.receiveSnapshot(this.snapshot)) return;
          continue;
        }
        const packet = this.reader.next();
        if (packet === null) return;
        this.receive(packet);
      }
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      this.fail(error.message);
    }
  }

  private fail(reason: string): void {
    if (this.link === 0) return;
    this.peer.emit({ kind: 'link-close', link: this.link });
    this.link = 0;
    this.peer.giveUp(`server ${this.leader.sid}, which leads, broke the protocol: ${reason}`);
  }

  private receive(packet: Packet): void {
    switch (packet.type) {
      case PacketType.LEADERINFO:
        this.receiveEpoch(packet);
        break;
      case PacketType.DIFF:
      case PacketType.TRUNC:
      case PacketType.SNAP:
        this.beginSync(packet);
        break;
      case PacketType.PROPOSAL:
        this.propose(packet);
        break;
      case PacketType.COMMIT:
        this.commit(packet.zxid);
        break;
      case PacketType.INFORM:
        this.propose(packet);
        this.commit(packet.zxid);
        break;
      case PacketType.NEWLEADER:
        this.receiveNewLeader(packet);
        break;
      case PacketType.UPTODATE:
        this.receiveUpToDate();
        break;
      case PacketType.PING:
        writePacket(this.out, PacketType.PING, packet.zxid, this.path?.touched() ?? NO_DATA);
        break;
      case PacketType.SYNC:
        this.path?.synced();
        break;
      case PacketType.REVALIDATE:
        this.revalidated(packet.data);
        break;
      default:
        this.fail(`${packetName(packet.type)} is nothing that a leader sends here`);
    }
  }

  // ── discovery ────────────────────────────────────────────────────────────────────────────────

  private receiveEpoch({ zxid }: Packet): void {
    if (this.stage !== 'registering') {
      this.fail('LEADERINFO came twice');
      return;
    }
    const { acceptedEpoch } = this.peer;
    this.newEpoch = zxidEpoch(zxid);
    if (this.newEpoch < acceptedEpoch) {
      this.fail(
        `its epoch ${this.newEpoch} is older than ${acceptedEpoch}, which was accepted here`,
      );
    } else if (this.newEpoch === acceptedEpoch) {
      // Acked already, to it or to another: it must not count twice.
      this.ackEpoch(-1);
    } else {
      this.stage = 'accepting';
      this.peer.writeEpoch('acceptedEpoch', this.newEpoch);
    }
  }

  private acceptEpoch(): void {
    this.ackEpoch(this.peer.currentEpoch);
  }

  private ackEpoch(currentEpoch: number): void {
    const data = Buffer.alloc(4);
    data.writeInt32BE(currentEpoch);
    this.stage = 'acknowledged';
    writePacket(this.out, PacketType.ACKEPOCH, this.peer.data.tree.lastProcessedZxid, data);
  }

  // ── synchronization ──────────────────────────────────────────────────────────────────────────

  private beginSync({ type, zxid }: Packet): void {
    if (this.stage !== 'acknowledged') {
      this.fail(`${packetName(type)} came out of turn`);
      return;
    }
    this.syncMode = type === PacketType.DIFF ? 'diff' : type === PacketType.SNAP ? 'snap' : 'trunc';
    if (type === PacketType.DIFF) {
      this.serve();
    } else if (type === PacketType.TRUNC) {
      this.truncateTo = zxid;
      this.stage = 'restoring';
      this.peer.emit({ kind: 'truncate', zxid });
    } else {
      this.stage = 'receiving-snapshot';
      this.snapshot = new SnapshotReceiver(
        zxid,
        this.peer.data.tree,
        this.peer.limits.maxTxnLength,
      );
      this.snapshot.push(this.reader.takeRest());
    }
  }

  private truncated(lastZxid: bigint): void {
    if (this.stage !== 'restoring') return;
    this.peer.committedLog.clear();
    this.durableZxid = lastZxid;
    if (lastZxid !== this.truncateTo) {
      this.fail(
        `the log was to be cut behind ${formatZxid(this.truncateTo)}, and ends at ${formatZxid(lastZxid)}`,
      );
      return;
    }
    this.serve();
  }

  /** Returns whether the snapshot is there whole. */
  private receiveSnapshot(snapshot: SnapshotReceiver): boolean {
    const data = snapshot.receive();
    if (data === null) return false;
    this.snapshot = null;
    this.reader.push(snapshot.rest());
    this.durableZxid = data.tree.lastProcessedZxid;
    this.peer.committedLog.clear();
    this.peer.replaceData(data);
    this.stage = 'restoring';
    const zxid = data.tree.lastProcessedZxid;
    this.peer.emit({
      kind: 'install-snapshot',
      content: { ...data, zxid },
      whenDurable: { kind: 'installed', zxid },
    });
    return true;
  }

  /** The history is a prefix of the leader's: what follows is logged and applied. */
  private serve(): void {
    const { peer } = this;
    this.stage = 'syncing';
    peer.data.tree.setConfig(formatQuorumConfig(peer.config), peer.config.version, peer.wallMs);
    this.server = peer.serve((state, host) => {
      this.path = new LearnerPath(state, host, {
        seed: this.seed,
        replayed: 0,
        upstream: {
          request: (data, ids) => this.request(data, ids),
          revalidate: (sessionId, timeoutMs) => this.revalidate(sessionId, timeoutMs),
        },
      });
      if (this.syncMode === 'snap') this.path.compareAfter = NEVER;
      return this.path;
    });
  }

  private propose({ zxid, data }: Packet): void {
    const { path } = this;
    if (path === null || data === null) {
      this.fail('a PROPOSAL came out of turn, or empty');
      return;
    }
    if (!isSuccessor(path.lastLogged, zxid)) {
      this.fail(
        `behind ${formatZxid(path.lastLogged)} it proposed ${formatZxid(zxid)}: txns are missing`,
      );
      return;
    }
    const bytes = Buffer.from(data);
    const entry = readTxn(bytes);
    if (entry.head.zxid !== zxid) {
      this.fail(`${formatZxid(zxid)} carries the txn ${formatZxid(entry.head.zxid)}`);
      return;
    }
    this.pending.push({ ...entry, bytes });
    path.log(zxid, bytes);
    this.unacked.push(zxid);
  }

  private commit(zxid: bigint): void {
    const proposal = this.pending.peek();
    if (this.path === null || proposal === undefined || proposal.head.zxid !== zxid) {
      const found = proposal === undefined ? 'nothing' : formatZxid(proposal.head.zxid);
      this.fail(`it committed ${formatZxid(zxid)} where ${found} is next`);
      return;
    }
    this.pending.shift();
    this.path.commit(proposal);
    this.peer.committedLog.add(zxid, proposal.bytes);
  }

  private receiveNewLeader({ zxid }: Packet): void {
    if (this.stage !== 'syncing') {
      this.fail('NEWLEADER came out of turn');
      return;
    }
    this.ackZxid = zxid;
    this.stage = 'persisting';
    this.persist();
  }

  /** History first, then the epoch: a crash between must not leave an epoch without its txns. */
  private persist(): void {
    if (this.stage !== 'persisting' || this.path === null) return;
    if (this.durableZxid < this.path.lastLogged) return;
    if (this.isEpochAsked) return;
    this.isEpochAsked = true;
    this.peer.writeEpoch('currentEpoch', this.newEpoch);
  }

  private ackNewLeader(): void {
    this.stage = 'synced';
    writePacket(this.out, PacketType.ACK, this.ackZxid);
    // That ack speaks for all that was committed before it.
    const next = this.pending.peek()?.head.zxid;
    for (let zxid = this.unacked.peek(); zxid !== undefined; zxid = this.unacked.peek()) {
      if (next !== undefined && zxid >= next) break;
      this.unacked.shift();
    }
    this.ackDurable();
  }

  private receiveUpToDate(): void {
    if (this.stage !== 'synced') {
      this.fail('UPTODATE came out of turn');
      return;
    }
    // What comes from here on was not applied there before the whole snapshot was sent.
    if (this.path !== null && this.syncMode === 'snap')
      this.path.compareAfter = this.path.lastLogged;
    this.stage = 'serving';
    this.syncMode = null;
    writePacket(this.out, PacketType.ACK, this.ackZxid);
    this.peer.established(this.newEpoch);
    if (this.server !== null) this.server.isOpen = true;
  }

  // ── broadcast ────────────────────────────────────────────────────────────────────────────────

  durable(zxid: bigint): void {
    if (zxid > this.durableZxid) this.durableZxid = zxid;
    this.persist();
    this.ackDurable();
  }

  private ackDurable(): void {
    if (this.stage !== 'synced' && this.stage !== 'serving') return;
    for (let zxid = this.unacked.peek(); zxid !== undefined; zxid = this.unacked.peek()) {
      if (zxid > this.durableZxid) return;
      this.unacked.shift();
      if (this.kind === 'following') writePacket(this.out, PacketType.ACK, zxid);
    }
  }

  private request(data: Uint8Array, ids: readonly Id[]): void {
    writePacket(this.out, PacketType.REQUEST, -1n, data, ids);
  }

  private revalidate(sessionId: bigint, timeoutMs: number): void {
    const data = Buffer.alloc(12);
    data.writeBigInt64BE(BigInt.asIntN(64, sessionId), 0);
    data.writeInt32BE(timeoutMs, 8);
    writePacket(this.out, PacketType.REVALIDATE, -1n, data);
  }

  private revalidated(data: Buffer | null): void {
    if (data === null || data.length < 9) {
      this.fail('a REVALIDATE without an answer');
      return;
    }
    this.path?.revalidated(data.readBigInt64BE(0), data[8] !== 0);
  }

  // ── time ─────────────────────────────────────────────────────────────────────────────────────

  private get deadlineMs(): number {
    const { tickTimeMs, initLimit, syncLimit } = this.peer.limits;
    const isSynced = this.stage === 'synced' || this.stage === 'serving';
    return this.heardMs + tickTimeMs * (isSynced ? syncLimit : initLimit);
  }

  get nextWakeMs(): number {
    return Math.min(this.retryAtMs, this.deadlineMs);
  }

  tick(): void {
    const { nowMs } = this.peer;
    if (nowMs >= this.retryAtMs) this.dial();
    // Its own disk may be slower than the leader's patience; that is the leader's to say.
    if (nowMs < this.deadlineMs || WAITING.has(this.stage)) return;
    if (this.link !== 0) this.peer.emit({ kind: 'link-close', link: this.link });
    this.link = 0;
    const ms = nowMs - this.heardMs;
    this.peer.giveUp(`nothing came from the leader, server ${this.leader.sid}, for ${ms} ms`);
  }

  drain(): void {
    this.path?.released();
    if (this.out.length === 0) return;
    if (this.link === 0) this.out.reset();
    else this.peer.emit({ kind: 'link-send', link: this.link, bytes: this.out.take() });
  }

  end(): void {
    if (this.link !== 0) this.peer.emit({ kind: 'link-close', link: this.link });
    this.link = 0;
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
      this.path?.commit(next);
      this.peer.committedLog.add(next.head.zxid, next.bytes);
    }
  }
}

/** Behind every zxid. */
const NEVER = 0x7fff_ffff_ffff_ffffn;
const NO_DATA = Buffer.alloc(0);
