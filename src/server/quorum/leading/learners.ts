/**
 * The links of a leader, or of an observer master, to its learners (LearnerHandler): one handler
 * for each link with the learner's stage and history, the packets that each stage accepts, the
 * timeouts, and the decision between two links that claim the same server.
 *
 * A handler follows its learner through the stages in order, and never goes back.
 */
import { assert } from '../../../base/assert.js';
import { RateLimitedLog } from '../../../base/rate-limited-log.js';
import { JuteError } from '../../../jute/jute-error.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import type { Id } from '../../../protocol/data.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import { LimitError } from '../../limits/limit-error.js';
import { LIMITS } from '../../limits/limits.js';
import type { RequestOrigin } from '../../state/request.js';
import type { KeeperDialect } from '../../state/server-state.js';
import type { Membership } from '../membership/membership.js';
import type { Peer } from '../peer/peer.js';
import type { QuorumLimits } from '../peer/role.js';
import {
  LEARNER_PROTOCOL_VERSION,
  type Packet,
  PacketReader,
  PacketType,
  packetName,
  readLearnerInfo,
  writePacket,
} from '../wire/quorum-packet.js';
import { matchAddress } from '../wire/remote-address.js';
import { isPossibleEpoch, MAX_EPOCHS_AHEAD } from './establishment.js';

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

/** As the leader sees the learner; learning/learner.ts has the stages of the learner itself. */
export type HandlerStage = (typeof STAGES)[number];

/** Limits the data of a packet before NEWLEADER is acked; regular packets need at most 20 bytes. */
const MAX_UNPROVEN_PACKET = LIMITS.unprovenPacketLength.value;

export type SyncKind = 'snap' | 'diff';

/** As `stat` and `cons` count them. */
class LearnerStats {
  /** Since the link opened or `reset`. */
  packetsReceived = 0;
  /** Since then, without those of a stream. */
  packetsSent = 0;
  /** Those of `packetsReceived` that are REQUESTs. */
  requests = 0;
  /** The zxid of the last packet sent that carries one. */
  lastZxid = -1n;

  reset(): void {
    this.packetsReceived = 0;
    this.packetsSent = 0;
    this.requests = 0;
    this.lastZxid = -1n;
  }
}

/** One learner of a leader. It decides nothing about the ensemble. */
export class LearnerHandler implements RequestOrigin {
  readonly link: number;
  readonly remote: string;
  /** Milliseconds since 1970. */
  readonly openedMs: number;
  readonly stats = new LearnerStats();
  readonly out = new OutputArchive(1024);
  /** As it claims; -1 in stage `new`, then never changes. */
  sid = -1;
  /** When it claimed its sid, in monotonic ms; 0 in stage `new`. */
  claimedMs = 0;
  /** The link that served its server at that time, and the number of packets received on it. */
  rival: { readonly link: number; readonly heard: number } | null = null;
  /** Another link serves the same server: this one waits, in stage `registered`. */
  isHeld = false;
  /** It sent OBSERVERINFO: its acks never count. Set with `sid`. */
  isObserver = false;
  /** It serves the operations of ClickHouse Keeper, and takes KEEPER_DIALECT. Set with `sid`. */
  isOfKeeper = false;
  /** An observer of this observer master does not serve them. */
  hasForeignObserver = false;
  /** As KEEPER_DIALECT told it last. */
  private toldDialect: KeeperDialect = 'off';
  /** The last txn of its log, as ACKEPOCH says; 0 before. The plan of its sync begins here. */
  lastZxid = 0n;
  /** It has everything up to this zxid on disk, as it says; at most `lastProposed`; never falls. */
  ackedZxid = 0n;
  /** The last round of syncs whose ping it answered; never falls. */
  syncRound = 0;
  /** When it last sent bytes, read some, or changed its stage, in monotonic ms; never falls. */
  heardMs: number;
  /** Pieces of bytes received. */
  heard = 0;
  /** How it is being synced; null before the plan, and once NEWLEADER is acked. */
  syncKind: SyncKind | null = null;
  /** The last txn that was sent, or is in the stream under way; never falls once the sync began. */
  sentZxid = 0n;
  /** The last txn sent with its COMMIT; at most `sentZxid`: those of later txns sent are due. */
  committedZxid = 0n;
  /** Too much waits for it to read, in stage `syncing`: it gets no txns until it has read all. */
  isBehind = false;
  /** It acked NEWLEADER while it was behind; it is in sync once it has read all. */
  hasAcked = false;
  private readonly reader: PacketReader;
  private readonly peer: Peer;
  /** Only goes forward in STAGES. */
  private currentStage: HandlerStage = 'new';
  /** When the stage began, in monotonic ms. */
  private stageSinceMs: number;
  /** The proposal whose ack has a deadline: the last one sent when the one before was acked. */
  private watchedZxid = 0n;
  /** When its deadline began, in monotonic ms. */
  private watchedSinceMs = 0;
  /** How long the learner took to read a stream so far. */
  private streamingMs = 0;

  constructor(link: number, remote: string, peer: Peer) {
    this.link = link;
    this.remote = remote;
    this.peer = peer;
    this.openedMs = peer.wallMs;
    this.heardMs = peer.nowMs;
    this.stageSinceMs = peer.nowMs;
    this.reader = new PacketReader(peer.limits.maxTxnLength);
    this.reader.maxDataLength = MAX_UNPROVEN_PACKET;
  }

  get stage(): HandlerStage {
    return this.currentStage;
  }

  set stage(stage: HandlerStage) {
    const { nowMs } = this.peer;
    const isLater = STAGES.indexOf(stage) > STAGES.indexOf(this.currentStage);
    assert(isLater, 'learner: goes back', this.currentStage, stage);
    assert(!this.isHeld || stage === 'registered', 'learner: held, but not registered', this.sid);
    assert(stage === 'registered' || this.sid >= 0, 'learner: a stage without a sid', stage);
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
    assert(this.peer.nowMs >= this.heardMs, 'learner: heard in the future', this.heardMs);
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
    assert(this.isAnnounced, 'learner: a proposal before NEWLEADER', zxid);
    assert(zxid > this.sentZxid, 'learner: proposed after a later txn', zxid, this.sentZxid);
    this.send(PacketType.PROPOSAL, zxid, txn);
    this.sentZxid = zxid;
    this.watch(zxid, this.peer.nowMs);
  }

  /** It was sent all txns up to one, each with its COMMIT. */
  sentCommitted(zxid: bigint): void {
    assert(zxid >= this.sentZxid, 'learner: sent after a later txn', zxid, this.sentZxid);
    this.sentZxid = zxid;
    this.committedZxid = zxid;
  }

  /** @param data for a reconfig: a long, the sid of the next leader */
  commit(zxid: bigint, type: number = PacketType.COMMIT, data: Buffer | null = null): void {
    assert(zxid <= this.sentZxid, 'learner: a COMMIT before its txn', zxid, this.sentZxid);
    assert(zxid > this.committedZxid, 'learner: a COMMIT out of order', zxid, this.committedZxid);
    this.send(type, zxid, data);
    this.committedZxid = zxid;
  }

  /** For an observer: a committed txn. */
  inform(type: number, zxid: bigint, data: Uint8Array): void {
    assert(this.isObserver, 'learner: INFORM for a follower', zxid);
    assert(zxid > this.sentZxid, 'learner: informed after a later txn', zxid, this.sentZxid);
    this.send(type, zxid, data);
    this.sentZxid = zxid;
  }

  /** Sends LEADERINFO. */
  announceEpoch(newLeaderZxid: bigint): void {
    assert(!this.isHeld, 'learner: informed while another link serves it', this.sid);
    const data = Buffer.alloc(4);
    data.writeInt32BE(LEARNER_PROTOCOL_VERSION);
    this.stage = 'informed';
    this.send(PacketType.LEADERINFO, newLeaderZxid, data);
  }

  /** Returns the learner's currentEpoch, or undefined for damaged data. */
  ackedEpoch({ zxid, data }: Packet): number | undefined {
    assert(this.stage === 'informed', 'learner: ACKEPOCH in another stage', this.stage);
    if (data === null || data.length < 4) return undefined;
    this.lastZxid = zxid;
    this.stage = 'acked';
    return data.readInt32BE(0);
  }

  /** @param dialect that it knows before it serves clients */
  activate(dialect: KeeperDialect): void {
    assert(this.stage === 'synced', 'learner: UPTODATE in another stage', this.stage);
    assert(this.syncKind === null, 'learner: UPTODATE during its sync', this.syncKind);
    this.stage = 'active';
    this.tell(dialect);
    this.send(PacketType.UPTODATE, -1n);
  }

  tell(dialect: KeeperDialect): void {
    if (!this.isOfKeeper || dialect === this.toldDialect) return;
    assert(this.stage === 'active', 'learner: told before it serves', this.stage);
    assert(dialect !== 'off', 'learner: its leader stops to serve a dialect', this.sid);
    this.toldDialect = dialect;
    this.send(PacketType.KEEPER_DIALECT, -1n, Buffer.from([dialect === 'announced' ? 1 : 0]));
  }

  /** Starts the syncLimit for this ack, unless an older one is pending. */
  private watch(zxid: bigint, nowMs: number): void {
    if (this.watchedZxid > this.ackedZxid) return;
    this.watchedZxid = zxid;
    this.watchedSinceMs = nowMs;
  }

  acked(zxid: bigint, lastProposed: bigint, nowMs: number): void {
    assert(zxid <= lastProposed, 'learner: acks a txn that was never proposed', zxid, lastProposed);
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

const { ACK, ACKEPOCH, FOLLOWERINFO, OBSERVERINFO, PING, REQUEST, REVALIDATE } = PacketType;
const { KEEPER_DIALECT, LEADERSHIP_REQUEST, PREPARE_HANDOVER } = PacketType;

const ACCEPTED_PACKETS: Readonly<Record<HandlerStage, readonly number[]>> = {
  new: [FOLLOWERINFO, OBSERVERINFO],
  registered: [],
  informed: [ACKEPOCH],
  acked: [],
  searching: [],
  streaming: [PING],
  // Apache's learner logs in a separate thread, so its ack of a txn may precede that of NEWLEADER.
  syncing: [ACK, PING],
  synced: [ACK, PING],
  active: [ACK, PING, REQUEST, REVALIDATE, PREPARE_HANDOVER, KEEPER_DIALECT, LEADERSHIP_REQUEST],
};

/**
 * The packets that a learner may send at each stage; any other packet ends its link unparsed.
 * Apache's handler has the same order (LearnerHandler.run).
 */
function isAccepted(stage: HandlerStage, type: number): boolean {
  return ACCEPTED_PACKETS[stage].includes(type);
}

/** Schemes that grant everything (DigestAuthenticationProvider.superDigest, X509's superUser). */
const SUPER_SCHEME = 'super';
const NO_IDS: readonly Id[] = [];

/**
 * The ids of a forwarded request. A server that joins must follow before a reconfig can add it, but
 * a server outside the membership cannot vouch for a superuser.
 */
export function trustedIds(
  ids: readonly Id[] | null,
  { sid }: LearnerHandler,
  membership: Membership,
): readonly Id[] {
  if (ids === null) return NO_IDS;
  if (membership.isMember(sid)) return ids;
  return ids.some(isSuper) ? ids.filter((id) => !isSuper(id)) : ids;
}

function isSuper({ scheme }: Id): boolean {
  return scheme === SUPER_SCHEME;
}

/** Links that have not acked NEWLEADER. Above this limit, the least advanced one is closed. */
const MAX_UNPROVEN_LINKS = LIMITS.unprovenLinks.value;
/** Log lines a minute about links that never acked NEWLEADER. */
const MAX_REFUSALS_NOTED = 10;

/** The links of a leader's learners, and their timeouts. */
export class Learners {
  private readonly peer: Peer;
  /** By link; a refused or closed one is gone at once. At most MAX_UNPROVEN_LINKS not in sync. */
  private readonly handlers = new Map<number, LearnerHandler>();
  private readonly claims: LinkClaims;
  private readonly notes: RateLimitedLog;
  /** What those that serve it know of ClickHouse Keeper's dialect. */
  dialect: KeeperDialect = 'off';

  constructor(peer: Peer) {
    this.peer = peer;
    this.claims = new LinkClaims(peer, this);
    this.notes = new RateLimitedLog(
      (message) => peer.note(message),
      () => peer.nowMs,
    );
  }

  get count(): number {
    return this.handlers.size;
  }

  all(): Iterable<LearnerHandler> {
    return this.handlers.values();
  }

  get(link: number): LearnerHandler | undefined {
    return this.handlers.get(link);
  }

  /** The followers in sync, including this server. */
  followers(): Set<number> {
    const sids = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver } of this.handlers.values()) {
      if (isSynced && !isObserver) sids.add(sid);
    }
    return sids;
  }

  /** Whether a voter's link said who it is, whether or not it is in sync. */
  isLinked(sid: number): boolean {
    return this.registeredSince(0).has(sid);
  }

  /**
   * Those that said who they are at `fromMs` or later or are getting in sync, with the followers
   * and this server.
   */
  registeredSince(fromMs: number): Set<number> {
    const sids = this.followers();
    for (const { sid, isObserver, claimedMs, isOnTheWay } of this.handlers.values()) {
      if (sid >= 0 && !isObserver && (claimedMs >= fromMs || isOnTheWay)) sids.add(sid);
    }
    return sids;
  }

  /** The voters in sync and those that get in sync, with this server. */
  onTheWay(): Set<number> {
    const sids = this.followers();
    for (const { sid, isObserver, isOnTheWay } of this.handlers.values()) {
      if (isOnTheWay && !isObserver) sids.add(sid);
    }
    return sids;
  }

  /** The first txn that some learner still needs from the log, at the earliest; null for none. */
  get neededZxid(): bigint | null {
    let least: bigint | null = null;
    for (const { stage, isBehind, lastZxid, sentZxid } of this.handlers.values()) {
      if (stage !== 'searching' && stage !== 'streaming' && !isBehind) continue;
      const zxid = stage === 'searching' ? lastZxid : sentZxid;
      if (least === null || zxid < least) least = zxid;
    }
    return least;
  }

  /** "server 3 is" or "servers 1, 3 are" */
  get inSync(): string {
    const sids = [...this.followers()].sort((a, b) => a - b);
    return sids.length === 1 ? `server ${sids[0]} is` : `servers ${sids.join(', ')} are`;
  }

  inSyncBy(kind: SyncKind): number {
    let count = 0;
    for (const { syncKind } of this.handlers.values()) if (syncKind === kind) count++;
    return count;
  }

  open(link: number, remote: string): void {
    assert(!this.handlers.has(link), 'link: opened twice', link);
    this.makeRoom();
    this.handlers.set(link, new LearnerHandler(link, remote, this.peer));
  }

  remove(link: number): void {
    this.handlers.delete(link);
  }

  received(
    link: number,
    bytes: Buffer,
    onPacket: (handler: LearnerHandler, packet: Packet) => void,
  ): void {
    const handler = this.handlers.get(link);
    if (handler === undefined) return;
    handler.heardMs = this.peer.nowMs;
    handler.heard++;
    handler.push(bytes);
    while (this.handlers.has(link)) {
      const packet = handler.next();
      if (packet === null) return;
      if (typeof packet === 'string') this.refuse(handler, packet);
      else if (!isAccepted(handler.stage, packet.type)) {
        this.refuse(handler, `${packetName(packet.type)}: unexpected packet`);
      } else onPacket(handler, packet);
    }
  }

  /** Reads FOLLOWERINFO or OBSERVERINFO. False if the link was refused. */
  register(handler: LearnerHandler, { type, zxid, data }: Packet): boolean {
    const info = readLearnerInfo(data);
    if (info === undefined) {
      this.refuse(handler, `${packetName(type)}: damaged`);
      return false;
    }
    if (info.sid === this.peer.sid) {
      this.refuse(
        handler,
        `it claims to be server ${info.sid}, which is this server (a duplicate myid?)`,
      );
      return false;
    }
    if (info.configVersion > this.peer.membership.config.version) {
      this.refuse(handler, 'its configuration is newer than the one of this server');
      return false;
    }
    assert(handler.stage === 'new', 'learner: registers twice', handler.sid);
    handler.sid = info.sid;
    handler.isObserver = type === PacketType.OBSERVERINFO;
    handler.isOfKeeper = info.isOfKeeper;
    handler.stage = 'registered';
    this.checkEpoch(handler, zxidEpoch(zxid));
    this.claims.begin(handler);
    return true;
  }

  /** An epoch too far ahead comes from an attack or a damaged file. */
  private checkEpoch({ name }: LearnerHandler, epoch: number): void {
    const { acceptedEpoch } = this.peer;
    if (isPossibleEpoch(epoch, acceptedEpoch)) return;
    this.notes.say(
      `${name}: epoch refused: ${epoch} (expected at most ${acceptedEpoch + MAX_EPOCHS_AHEAD}). Check its file acceptedEpoch`,
      'epoch',
    );
  }

  /** False if another link serves the server, or if the address is foreign to the member. */
  isPlausible({ isHeld, sid, remote }: LearnerHandler): boolean {
    const member = this.peer.membership.config.members.get(sid);
    return !isHeld && matchAddress(remote, member) !== 'other';
  }

  /**
   * Whether it gets the commit of a reconfig. From the log it would get an ordinary one, after
   * NEWLEADER named another configuration: a learner that is behind must begin anew.
   */
  canActivate(handler: LearnerHandler): boolean {
    if (handler.isBehind) this.refuse(handler, 'the membership changed while it was behind');
    return handler.isForwardedTo;
  }

  /** Called on the ack of NEWLEADER. False if another link serves the same server. */
  prove(handler: LearnerHandler): boolean {
    return this.claims.prove(handler);
  }

  /** Sends UPTODATE to those that acked NEWLEADER. */
  activate(): void {
    for (const handler of this.handlers.values()) {
      assert(handler.stage !== 'active', 'learner: active before its leader', handler.sid);
      if (handler.stage === 'synced') handler.activate(this.dialect);
    }
  }

  tell(dialect: KeeperDialect): void {
    if (dialect === this.dialect) return;
    this.dialect = dialect;
    for (const handler of this.handlers.values()) {
      if (handler.stage === 'active') handler.tell(dialect);
    }
  }

  takeReleased(): readonly LearnerHandler[] {
    return this.claims.resolve();
  }

  refuse(handler: LearnerHandler, reason: string): void {
    const message = `closed the link of ${handler.name}: ${reason}`;
    if (handler.isSynced) this.peer.note(message);
    else this.notes.say(message, 'unproven', MAX_REFUSALS_NOTED);
    this.peer.emit({ kind: 'link-close', link: handler.link });
    this.remove(handler.link);
    assert(this.get(handler.link) === undefined, 'link: refused but served', handler.link);
  }

  private makeRoom(): void {
    let count = 0;
    let least: LearnerHandler | undefined;
    for (const handler of this.handlers.values()) {
      if (handler.isSynced) continue;
      count++;
      if (least === undefined || handler.progress < least.progress) least = handler;
    }
    if (count < MAX_UNPROVEN_LINKS || least === undefined) return;
    this.peer.exceeded('unprovenLinks', least.remote);
    this.refuse(least, `more than ${MAX_UNPROVEN_LINKS} connections are not in sync`);
  }

  /** @param zxid repeated in each answer */
  ping(zxid: bigint): void {
    for (const handler of this.handlers.values()) {
      if (handler.isAnnounced) handler.send(PacketType.PING, zxid);
    }
  }

  checkSilence(): void {
    const { nowMs, beforeMs, limits } = this.peer;
    const syncMs = limits.syncLimit * limits.tickTimeMs;
    const initMs = limits.initLimit * limits.tickTimeMs;
    for (const handler of this.handlers.values()) {
      const silentMs = beforeMs - handler.heardMs;
      const lagMs = handler.isSynced ? handler.lagMs(nowMs) : 0;
      if (handler.dueMs > initMs) {
        this.refuse(handler, `no next packet within ${initMs} ms`);
      } else if (silentMs > handler.patienceMs(limits)) {
        const what = handler.isOnTheWay ? 'it read nothing and sent no packet' : 'no packet';
        this.refuse(handler, `${what} for ${silentMs} ms`);
      } else if (lagMs > syncMs) {
        this.refuse(handler, `no ack of a proposal for ${lagMs} ms`);
      }
    }
  }

  flush({ link, out }: LearnerHandler): void {
    assert(this.handlers.has(link), 'link: sends on a closed one', link);
    if (out.length > 0) this.peer.emit({ kind: 'link-send', link, bytes: out.take() });
  }

  drain(): void {
    for (const handler of this.handlers.values()) this.flush(handler);
  }

  closeAll(): void {
    this.drain();
    for (const { link, out } of this.handlers.values()) {
      assert(out.length === 0, 'link: closed with unsent bytes', link, out.length);
      this.peer.emit({ kind: 'link-close', link });
    }
    this.handlers.clear();
  }
}

/** In ticks: the time for the serving link to answer. */
const PROBE_TICKS = 0.5;

interface Links {
  all(): Iterable<LearnerHandler>;
  refuse(handler: LearnerHandler, reason: string): void;
}

/**
 * Decides between two links that claim the same server: a reconnect that left a half-open link, two
 * servers with one myid, or a stranger. The serving link gets a ping. If it answers, the new link
 * is refused. If not, the new link continues, and replaces it on the ack of NEWLEADER, never
 * before.
 */
export class LinkClaims {
  private readonly peer: Peer;
  private readonly links: Links;
  private readonly notes: RateLimitedLog;

  constructor(peer: Peer, links: Links) {
    this.peer = peer;
    this.links = links;
    this.notes = new RateLimitedLog(
      (message) => peer.note(message),
      () => peer.nowMs,
    );
  }

  /** Sets `isHeld` if another link serves the same server. */
  begin(handler: LearnerHandler): void {
    assert(handler.stage === 'registered', 'learner: claims without a sid', handler.stage);
    handler.claimedMs = this.peer.nowMs;
    const holder = this.holderOf(handler);
    if (holder === undefined) return;
    assert(holder.link !== handler.link, 'learner: its own rival', handler.link);
    handler.rival = { link: holder.link, heard: holder.heard };
    handler.isHeld = !this.isBetter(handler, holder);
    if (handler.isHeld) holder.send(PacketType.PING, holder.ackedZxid);
    this.notes.say(
      `two connections claim to be server ${handler.sid}: ${holder.remote} and ${handler.remote} (a duplicate myid?)`,
      `claim ${handler.sid}`,
    );
  }

  /** Returns the links that no longer wait. */
  resolve(): readonly LearnerHandler[] {
    const { nowMs, limits } = this.peer;
    const released: LearnerHandler[] = [];
    for (const handler of this.links.all()) {
      if (!handler.isHeld) continue;
      assert(handler.stage === 'registered', 'learner: held, but not registered', handler.sid);
      const holder = this.holderOf(handler);
      if (holder !== undefined && nowMs - handler.claimedMs < limits.tickTimeMs * PROBE_TICKS) {
        continue;
      }
      if (holder !== undefined && isAlive(holder, handler)) {
        this.refuse(handler, holder);
        continue;
      }
      assert(handler.rival !== null, 'learner: held without a rival', handler.sid);
      handler.isHeld = false;
      released.push(handler);
    }
    return released;
  }

  /** Called on the ack of NEWLEADER. False if another link keeps the server. */
  prove(handler: LearnerHandler): boolean {
    const holder = this.holderOf(handler);
    const isRefused =
      holder !== undefined && isAlive(holder, handler) && !this.isBetter(handler, holder);
    if (isRefused) {
      this.refuse(handler, holder);
      return false;
    }
    for (const other of this.links.all()) {
      const isReplaced = other !== handler && other.sid === handler.sid && !isUnregistered(other);
      if (isReplaced) this.links.refuse(other, 'the server reconnected');
    }
    const isOnly = this.holderOf(handler) === undefined;
    assert(isOnly, 'learner: two links in sync for one server', handler.sid);
    return true;
  }

  private refuse(handler: LearnerHandler, { remote }: LearnerHandler): void {
    this.links.refuse(handler, `server ${handler.sid} is already connected from ${remote}`);
  }

  private holderOf(handler: LearnerHandler): LearnerHandler | undefined {
    for (const other of this.links.all()) {
      if (other !== handler && other.sid === handler.sid && other.isSynced) return other;
    }
    return undefined;
  }

  /** Whether the address belongs to the member and that of the serving link does not. */
  private isBetter(handler: LearnerHandler, holder: LearnerHandler): boolean {
    const member = this.peer.membership.config.members.get(handler.sid);
    return (
      matchAddress(handler.remote, member) === 'match' &&
      matchAddress(holder.remote, member) === 'other'
    );
  }
}

/** Whether the serving link sent a packet or was replaced since the other claimed its server. */
function isAlive(holder: LearnerHandler, { rival }: LearnerHandler): boolean {
  return rival?.link !== holder.link || rival.heard !== holder.heard;
}

function isUnregistered({ stage }: LearnerHandler): boolean {
  return stage === 'new';
}
