/**
 * A learner as its leader knows it: one link, how far it has come, and what is to be sent to it.
 * What its packets mean for the ensemble is the leader's.
 */
import { JuteError } from '../../../jute/jute-error.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';
import type { RequestOrigin } from '../../state/request.js';
import type { PeerHost } from '../peer/role.js';
import {
  LEARNER_PROTOCOL_VERSION,
  type Packet,
  PacketReader,
  PacketType,
  writePacket,
} from '../wire/quorum-packet.js';

/**
 * - `new`: nothing came yet
 * - `registered`: FOLLOWERINFO or OBSERVERINFO came
 * - `informed`: LEADERINFO is sent
 * - `acked`: ACKEPOCH came; it waits until the new epoch has a quorum
 * - `searching`: the log is looked through for what it lacks
 * - `syncing`: it is being sent what it lacks, and all that is proposed meanwhile
 * - `synced`: NEWLEADER is acked
 * - `active`: UPTODATE is sent
 */
export const STAGES = [
  'new',
  'registered',
  'informed',
  'acked',
  'searching',
  'syncing',
  'synced',
  'active',
] as const;

export type LearnerStage = (typeof STAGES)[number];

/** Bytes of data in a packet of a link that has not acked NEWLEADER; its own have 20 at most. */
const MAX_UNPROVEN_PACKET = LIMITS.unprovenPacketLength.value;

export type SyncKind = 'snap' | 'diff';

/** What the AdminServer tells of an observer's connection. */
export class LearnerStats {
  packetsReceived = 0;
  packetsSent = 0;
  requests = 0;
  /** Of the last packet sent that has one. */
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
  /** When it said whose link it is. */
  claimedMs = 0;
  /** The link that served its server then, and how often that had been heard. */
  rival: { readonly link: number; readonly heard: number } | null = null;
  /** Another link serves its server: it waits until that is settled. */
  isHeld = false;
  isObserver = false;
  /** The epoch and zxid that it brought. */
  currentEpoch = -1;
  lastZxid = 0n;
  /** Everything up to it is durable there. */
  ackedZxid = 0n;
  /** The last round of syncs whose ping it answered. */
  syncRound = 0;
  heardMs: number;
  /** How often. */
  heard = 0;
  /** How often the log was looked through for it. */
  searches = 0;
  /** What it is being brought in sync by; null before and after. */
  syncKind: SyncKind | null = null;
  private readonly reader: PacketReader;
  private readonly peer: PeerHost;
  private currentStage: LearnerStage = 'new';
  private stageSinceMs: number;
  /** The proposal whose ack is being waited for, and since when. */
  private watchedZxid = 0n;
  private watchedSinceMs = 0;

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
    this.currentStage = stage;
    this.stageSinceMs = this.peer.nowMs;
    if (this.isSynced) this.reader.acceptTxns();
  }

  /** How long its next packet is due, in ms, whatever bytes of it came; 0 where none is due. */
  get dueMs(): number {
    const isDue = this.stage === 'new' || this.stage === 'informed';
    return isDue ? this.peer.nowMs - this.stageSinceMs : 0;
  }

  /** Does it get what is proposed and committed from now on? */
  get isForwardedTo(): boolean {
    return this.stage === 'syncing' || this.isSynced;
  }

  get isSynced(): boolean {
    return this.stage === 'synced' || this.stage === 'active';
  }

  /** How far it has come; one that waits for another link is hardly ahead of a silent one. */
  get progress(): number {
    return this.isHeld ? 0.5 : STAGES.indexOf(this.stage);
  }

  get name(): string {
    return this.sid < 0 ? this.remote : `server ${this.sid} (${this.remote})`;
  }

  /** Its oldest sync has its turn. */
  synced(): void {
    this.send(PacketType.SYNC, 0n);
  }

  push(bytes: Buffer): void {
    this.reader.push(bytes);
  }

  /** The next packet, null when there is none, or what is wrong with the bytes. */
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

  /** It hears of the epoch. */
  inform(newLeaderZxid: bigint): void {
    const data = Buffer.alloc(4);
    data.writeInt32BE(LEARNER_PROTOCOL_VERSION);
    this.stage = 'informed';
    this.send(PacketType.LEADERINFO, newLeaderZxid, data);
  }

  /** It accepts the epoch: its currentEpoch, or undefined when that is damaged. */
  ackedEpoch({ zxid, data }: Packet): number | undefined {
    if (data === null || data.length < 4) return undefined;
    this.lastZxid = zxid;
    this.stage = 'acked';
    return data.readInt32BE(0);
  }

  /** It may serve. */
  activate(): void {
    this.stage = 'active';
    this.send(PacketType.UPTODATE, -1n);
  }

  /** A proposal went out; its ack, or a later one's, is due within syncLimit. */
  watch(zxid: bigint, nowMs: number): void {
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

  /** How long a proposal has gone without its ack, in ms. */
  lagMs(nowMs: number): number {
    return this.watchedZxid > this.ackedZxid ? nowMs - this.watchedSinceMs : 0;
  }
}
