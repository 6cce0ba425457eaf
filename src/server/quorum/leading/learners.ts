/** The links of a leader's learners, and their timeouts. */

import { RateLimitedLog } from '../../../base/rate-limited-log.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import { LIMITS } from '../../limits/limits.js';
import { isPossibleEpoch, MAX_EPOCHS_AHEAD } from '../membership/establishment.js';
import type { PeerHost } from '../peer/role.js';
import { readLearnerInfo } from '../wire/learner-data.js';
import { type Packet, PacketType, packetName } from '../wire/quorum-packet.js';
import { matchAddress } from '../wire/remote-address.js';
import { isAccepted } from './accepted-packets.js';
import { LearnerHandler, type SyncKind } from './learner-handler.js';
import { LinkClaims } from './link-claims.js';

/** Links that have not acked NEWLEADER. Above this limit, the least advanced one is closed. */
const MAX_UNPROVEN_LINKS = LIMITS.unprovenLinks.value;
/** Log lines a minute about links that never acked NEWLEADER. */
const MAX_REFUSALS_NOTED = 10;

export class Learners {
  private readonly peer: PeerHost;
  private readonly handlers = new Map<number, LearnerHandler>();
  private readonly claims: LinkClaims;
  private readonly notes: RateLimitedLog;

  constructor(peer: PeerHost) {
    this.peer = peer;
    this.claims = new LinkClaims(peer, this);
    this.notes = new RateLimitedLog(
      (message) => peer.note(message),
      () => peer.nowMs,
    );
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
    handler.sid = info.sid;
    handler.isObserver = type === PacketType.OBSERVERINFO;
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
      if (handler.stage === 'synced') handler.activate();
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
    if (out.length > 0) this.peer.emit({ kind: 'link-send', link, bytes: out.take() });
  }

  drain(): void {
    for (const handler of this.handlers.values()) this.flush(handler);
  }

  closeAll(): void {
    this.drain();
    for (const { link } of this.handlers.values()) this.peer.emit({ kind: 'link-close', link });
    this.handlers.clear();
  }
}
