/** One learner of a leader. It decides nothing about the ensemble. */
import { JuteError } from '../../../jute/jute-error.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';
import type { RequestOrigin } from '../../state/request.js';
import type { PeerHost, QuorumLimits } from '../peer/role.js';
import {
  LEARNER_PROTOCOL_VERSION,
  type Packet,
  PacketReader,
  PacketType,
  writePacket,
} from '../wire/quorum-packet.js';

/**
 * - `new`: connected, no packet yet
 * - `registered`: received FOLLOWERINFO or OBSERVERINFO
 * - `informed`: sent LEADERINFO
 * - `acked`: received ACKEPOCH; waits until the new epoch has a quorum
 * - `searching`: the log is searched for the missing txns
 * - `streaming`: a snapshot or a part of the log is being sent; it gets no new txns, since the log
 *   keeps those committed meanwhile. They and NEWLEADER follow
 * - `syncing`: sent the missing txns and NEWLEADER; gets new proposals unless it is behind
 * - `synced`: received the ack of NEWLEADER
 * - `active`: sent UPTODATE
 */
export const STAGES = [
  'new',
  'registered',
  'informed',
  'acked',
  'searching',
  'streaming',
  'syncing',
  'synced',
  'active',
] as const;

export type LearnerStage = (typeof STAGES)[number];

/** Limits the data of a packet before NEWLEADER is acked; regular packets need at most 20 bytes. */
const MAX_UNPROVEN_PACKET = LIMITS.unprovenPacketLength.value;

export type SyncKind = 'snap' | 'diff';

class LearnerStats {
  packetsReceived = 0;
  packetsSent = 0;
  requests = 0;
  /** Of the last packet sent that carries a zxid. */
  lastZxid = -1n;

  reset(): void {
    this.packetsReceived = 0;
    this.packetsSent = 0;
    this.requests = 0;
    this.lastZxid = -1n;
  }
}

export class LearnerHandler implements RequestOrigin {
  readonly link: number;
  readonly remote: string;
  /** Milliseconds since 1970. */
  readonly openedMs: number;
  readonly stats = new LearnerStats();
  readonly out = new OutputArchive(1024);
  sid = -1;
  /** When it sent its server id. */
  claimedMs = 0;
  /** The link that served its server at that time, and the number of packets received on it. */
  rival: { readonly link: number; readonly heard: number } | null = null;
  /** Another link serves the same server: this one waits until the conflict is resolved. */
  isHeld = false;
  isObserver = false;
  currentEpoch = -1;
  lastZxid = 0n;
  /** The learner has everything up to this zxid on disk. */
  ackedZxid = 0n;
  /** The last round of syncs whose ping it answered. */
  syncRound = 0;
  heardMs: number;
  heard = 0;
  syncKind: SyncKind | null = null;
  /** The last txn that was sent, or is in the stream under way. */
  sentZxid = 0n;
  /** The last COMMIT that was sent after NEWLEADER: those of later txns sent are due. */
  committedZxid = 0n;
  /** Too much waits for it to read: it gets no txns after NEWLEADER until it has read all. */
  isBehind = false;
  /** It acked NEWLEADER while it was behind. */
  hasAcked = false;
  private readonly reader: PacketReader;
  private readonly peer: PeerHost;
  private currentStage: LearnerStage = 'new';
  private stageSinceMs: number;
  private watchedZxid = 0n;
  private watchedSinceMs = 0;
  private streamingMs = 0;

  constructor(link: number, remote: string, peer: PeerHost) {
    this.link = link;
    this.remote = remote;
    this.peer = peer;
    this.openedMs = peer.wallMs;
    this.heardMs = peer.nowMs;
    this.stageSinceMs = peer.nowMs;
    this.reader = new PacketReader(peer.limits.maxTxnLength);
    this.reader.maxDataLength = MAX_UNPROVEN_PACKET;
  }

  get stage(): LearnerStage {
    return this.currentStage;
  }

  set stage(stage: LearnerStage) {
    const { nowMs } = this.peer;
    this.currentStage = stage;
    this.stageSinceMs = nowMs;
    // Its time to answer begins with what it was sent.
    this.heardMs = nowMs;
    if (!this.isSynced) return;
    this.watchedSinceMs = nowMs;
    this.reader.acceptTxns();
  }

  /** Milliseconds since its next packet was due, even if parts of it came; 0 if none is due. */
  get dueMs(): number {
    const isDue = this.stage === 'new' || this.stage === 'informed';
    return isDue ? this.peer.nowMs - this.stageSinceMs : 0;
  }

  /** Milliseconds since the search of the log for it began; 0 without one. */
  get searchingMs(): number {
    return this.stage === 'searching' ? this.peer.nowMs - this.stageSinceMs : 0;
  }

  /** Whether it gets new proposals and commits. */
  get isForwardedTo(): boolean {
    return this.isAnnounced && !this.isBehind;
  }

  /** It read a part of what waits for it. */
  moved(): void {
    this.heardMs = this.peer.nowMs;
    if (this.stage === 'streaming') this.streamingMs = this.heardMs - this.stageSinceMs;
  }

  /** Whether it gets, or works on, what it lacks. */
  get isOnTheWay(): boolean {
    return this.stage === 'streaming' || this.stage === 'syncing';
  }

  /**
   * How long it may neither send a packet nor read what waits for it. A learner that took long to
   * read a tree takes long to write it to its disk, too.
   */
  patienceMs({ initLimit, syncLimit, tickTimeMs }: QuorumLimits): number {
    if (this.stage === 'searching') return Number.POSITIVE_INFINITY;
    return this.isSynced ? syncLimit * tickTimeMs : initLimit * tickTimeMs + this.streamingMs;
  }

  /**
   * Whether NEWLEADER was sent: uncommitted proposals follow it. Apache's followers before 3.9.3
   * fail on the commit of an earlier proposal, and repeat the sync (ZOOKEEPER-4394).
   */
  get isAnnounced(): boolean {
    return this.stage === 'syncing' || this.isSynced;
  }

  get isSynced(): boolean {
    return this.stage === 'synced' || this.stage === 'active';
  }

  /** The stage as a number. A link that waits for its rival ranks just above a silent one. */
  get progress(): number {
    return this.isHeld ? 0.5 : STAGES.indexOf(this.stage);
  }

  get name(): string {
    return this.sid < 0 ? this.remote : `server ${this.sid} (${this.remote})`;
  }

  /** Answers its oldest sync. */
  synced(): void {
    this.send(PacketType.SYNC, 0n);
  }

  push(bytes: Buffer): void {
    this.reader.push(bytes);
  }

  /** Returns the next packet, null if it is incomplete, or what is wrong with the bytes. */
  next(): Packet | string | null {
    try {
      const packet = this.reader.next();
      if (packet === null) return null;
      this.stats.packetsReceived++;
      if (packet.type === PacketType.REQUEST) this.stats.requests++;
      return packet;
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      if (error instanceof LimitError) this.peer.exceeded(error.limit, this.remote, error.value);
      return error.message;
    }
  }

  send(type: number, zxid: bigint, data: Uint8Array | null = null): void {
    writePacket(this.out, type, zxid, data);
    this.stats.packetsSent++;
    if (zxid > 0n) this.stats.lastZxid = zxid;
  }

  propose(zxid: bigint, txn: Uint8Array): void {
    this.send(PacketType.PROPOSAL, zxid, txn);
    this.sentZxid = zxid;
    this.watch(zxid, this.peer.nowMs);
  }

  /** It was sent all txns up to one, each with its COMMIT. */
  sentCommitted(zxid: bigint): void {
    this.sentZxid = zxid;
    this.committedZxid = zxid;
  }

  /** @param data for a reconfig: a long, the sid of the next leader */
  commit(zxid: bigint, type: number = PacketType.COMMIT, data: Buffer | null = null): void {
    this.send(type, zxid, data);
    this.committedZxid = zxid;
  }

  /** For an observer: a committed txn. */
  inform(type: number, zxid: bigint, data: Uint8Array): void {
    this.send(type, zxid, data);
    this.sentZxid = zxid;
  }

  /** Sends LEADERINFO. */
  announceEpoch(newLeaderZxid: bigint): void {
    const data = Buffer.alloc(4);
    data.writeInt32BE(LEARNER_PROTOCOL_VERSION);
    this.stage = 'informed';
    this.send(PacketType.LEADERINFO, newLeaderZxid, data);
  }

  /** Returns the learner's currentEpoch, or undefined for damaged data. */
  ackedEpoch({ zxid, data }: Packet): number | undefined {
    if (data === null || data.length < 4) return undefined;
    this.lastZxid = zxid;
    this.stage = 'acked';
    return data.readInt32BE(0);
  }

  activate(): void {
    this.stage = 'active';
    this.send(PacketType.UPTODATE, -1n);
  }

  /** Starts the syncLimit for this ack, unless an older one is pending. */
  private watch(zxid: bigint, nowMs: number): void {
    if (this.watchedZxid > this.ackedZxid) return;
    this.watchedZxid = zxid;
    this.watchedSinceMs = nowMs;
  }

  acked(zxid: bigint, lastProposed: bigint, nowMs: number): void {
    if (zxid > this.ackedZxid) this.ackedZxid = zxid;
    if (this.ackedZxid < this.watchedZxid) return;
    this.watchedZxid = lastProposed;
    this.watchedSinceMs = nowMs;
  }

  /** Milliseconds that the oldest proposal has waited for its ack. */
  lagMs(nowMs: number): number {
    return this.watchedZxid > this.ackedZxid ? nowMs - this.watchedSinceMs : 0;
  }
}
