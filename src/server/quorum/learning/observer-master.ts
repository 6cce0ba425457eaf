/**
 * A follower that serves observers like a leader (ObserverMaster in docs/protocol.md): it sends the
 * established epoch, the missing txns, then each committed txn, and forwards requests and answers.
 *
 * It decides nothing, counts no votes, and never sends an uncommitted txn. When it stops following,
 * it closes its observers' links.
 */

import { assert } from '../../../base/assert.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import type { Id } from '../../../protocol/data.js';
import { OpCode } from '../../../protocol/op-code.js';
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import { keeperParts } from '../../prep/keeper-parts.js';
import type { Server } from '../../server.js';
import type { Proposed } from '../leading/broadcast.js';
import { observersOf } from '../leading/keeper-members.js';
import { type LearnerHandler, Learners, trustedIds } from '../leading/learners.js';
import { endSync, type LearnerMaster, Synchronizer } from '../leading/synchronizer.js';
import type { Peer } from '../peer/peer.js';
import {
  failingRequest,
  NO_DATA,
  type Packet,
  PacketType,
  packetName,
  readRequest,
  readRevalidation,
  touchSessions,
} from '../wire/quorum-packet.js';
import type { LeaderLink } from './leader-link.js';
import type { LearnerHistory } from './learner-history.js';
import type { Upstream } from './learner-pipeline.js';

const NO_IDS: readonly Id[] = [];

/** What this server has of its leader's txns. */
type Followed = Pick<LearnerHistory, 'pipeline' | 'storedZxid'>;

interface PendingRevalidation {
  readonly sessionId: bigint;
  readonly timeoutMs: number;
  /** Null for a client of this server. */
  readonly handler: LearnerHandler | null;
}

/** For a learner's own clients; its observers use the same link. */
export function upstreamOf(link: LeaderLink, master: () => ObserverMaster | null): Upstream {
  return {
    request: (data, ids) => link.request(data, ids),
    revalidate: (data) => {
      master()?.revalidatingHere(data.readBigInt64BE(0));
      link.revalidate(data);
    },
  };
}

/** Null if no port for observers is configured. */
export function takeObservers(
  peer: Peer,
  history: Followed,
  server: Server,
  leader: LeaderLink,
): ObserverMaster | null {
  const isOff = (peer.limits.observerMasterPort ?? null) === null;
  return isOff ? null : new ObserverMaster(peer, server, history, leader);
}

export class ObserverMaster implements LearnerMaster {
  readonly server: Server;
  readonly learners: Learners;
  readonly newLeaderZxid: bigint;
  private readonly peer: Peer;
  private readonly history: Followed;
  private readonly leader: LeaderLink;
  private readonly synchronizer: Synchronizer;
  /** Those that the leader has not answered, in its order. */
  private readonly revalidations: PendingRevalidation[] = [];
  /** The observers as the leader knows them, for KEEPER_DIALECT. */
  private named: Buffer = NO_DATA;
  /** When all observers get the next ping, in monotonic ms. */
  private nextPingMs: number;

  constructor(peer: Peer, server: Server, history: Followed, leader: LeaderLink) {
    this.peer = peer;
    this.server = server;
    this.history = history;
    this.leader = leader;
    this.newLeaderZxid = BigInt(peer.currentEpoch) << 32n;
    assert(peer.role?.kind === 'following', 'role: takes observers', peer.role?.kind);
    assert(peer.currentEpoch === peer.acceptedEpoch, 'epoch: not joined', peer.currentEpoch);
    this.nextPingMs = peer.nowMs;
    this.learners = new Learners(peer);
    this.learners.dialect = server.state.keeperDialect;
    this.synchronizer = new Synchronizer(peer, this.learners, this);
    peer.emit({ kind: 'observer-port', isOpen: true });
  }

  /** Observers never get proposals. */
  outstanding(): Iterable<Proposed> {
    return [];
  }

  owns(event: LinkEvent): boolean {
    if (event.kind === 'link-opened') return event.isObserverPort === true;
    return this.learners.get(event.link) !== undefined;
  }

  step(event: QuorumEvent): void {
    this.synchronizer.step(event, this.receive);
    if (event.kind === 'link-closed') this.informReleased();
  }

  private readonly receive = (handler: LearnerHandler, packet: Packet): void => {
    const problem = this.handlePacket(handler, packet);
    if (problem !== '') this.learners.refuse(handler, problem);
  };

  /** Returns what is wrong with the packet, or "". */
  private handlePacket(handler: LearnerHandler, packet: Packet): string {
    switch (packet.type) {
      case PacketType.OBSERVERINFO:
        if (this.learners.register(handler, packet)) this.inform(handler);
        return '';
      case PacketType.FOLLOWERINFO:
        return 'this port accepts only observers: a participant must follow the leader';
      case PacketType.ACKEPOCH:
        return this.ackEpoch(handler, packet);
      case PacketType.ACK:
        return this.ack(handler, packet.zxid);
      case PacketType.PING:
        if (handler.isSynced) touchSessions(this.server.state, packet.data);
        return '';
      default:
        return this.serve(handler, packet);
    }
  }

  private inform(handler: LearnerHandler): void {
    if (!handler.isHeld) handler.announceEpoch(this.newLeaderZxid);
  }

  private informReleased(): void {
    for (const handler of this.learners.takeReleased()) this.inform(handler);
  }

  private ackEpoch(handler: LearnerHandler, packet: Packet): string {
    if (handler.ackedEpoch(packet) === undefined) return 'ACKEPOCH: damaged';
    const { currentEpoch } = this.peer;
    if (zxidEpoch(packet.zxid) > currentEpoch)
      return `its zxid is newer than epoch ${currentEpoch}`;
    this.sync(handler);
    return '';
  }

  /**
   * An observer from another master may be ahead by committed txns that will arrive here soon.
   * Truncating its log would only delay its clients.
   */
  private sync(handler: LearnerHandler): void {
    assert(handler.isObserver, 'learner: a follower of a follower', handler.sid);
    const { lastZxid } = handler;
    const { data, currentEpoch } = this.peer;
    const isOfEpoch = zxidEpoch(lastZxid) === currentEpoch && zxidCounter(lastZxid) !== 0;
    if (isOfEpoch && lastZxid > data.tree.lastProcessedZxid) return;
    this.synchronizer.begin(handler);
  }

  private ack(handler: LearnerHandler, zxid: bigint): string {
    if (handler.stage === 'syncing' && zxid === this.newLeaderZxid) {
      this.synchronizer.acked(handler);
      return '';
    }
    // The ack of UPTODATE carries no information.
    const isExpected = handler.isSynced && zxidCounter(zxid) === 0;
    return isExpected ? '' : 'ACK: observers must not ack txns';
  }

  synchronized(handler: LearnerHandler): void {
    assert(handler.stage === 'syncing', 'learner: in sync without NEWLEADER', handler.stage);
    assert(!handler.isBehind, 'learner: in sync and behind', handler.sid);
    if (!this.learners.prove(handler)) return;
    handler.stage = 'synced';
    endSync(handler, this.peer, this.learners);
    handler.activate(this.learners.dialect);
  }

  private serve(handler: LearnerHandler, packet: Packet): string {
    switch (packet.type) {
      case PacketType.REQUEST:
        return this.forward(handler, packet);
      case PacketType.REVALIDATE:
        return this.revalidate(handler, packet);
      default:
        return `${packetName(packet.type)}: not a packet that an observer sends`;
    }
  }

  private forward(handler: LearnerHandler, { data, authinfo }: Packet): string {
    const request = readRequest(data);
    if (request === undefined || data === null) return 'REQUEST: damaged';
    const { sessionId, cxid, type, input } = request;
    if (type === OpCode.sync) this.history.pipeline.expectSync(handler);
    else if (
      (type !== OpCode.closeSession && this.isMoved(sessionId, handler)) ||
      (this.isOfKeeper && !handler.isOfKeeper && keeperParts(type, input) !== null)
    ) {
      this.leader.request(failingRequest(sessionId, cxid), NO_IDS);
      return '';
    }
    this.leader.request(data, trustedIds(authinfo, handler, this.peer.membership));
    return '';
  }

  /** The leader serves ClickHouse Keeper's dialect, for this server and observers that know it. */
  private get isOfKeeper(): boolean {
    return this.learners.dialect !== 'off';
  }

  /**
   * Whether another observer or this server has the session. The leader cannot check that, because
   * all requests come from the same follower.
   */
  private isMoved(sessionId: bigint, handler: LearnerHandler): boolean {
    const session = this.server.state.sessions.get(sessionId);
    if (session === undefined) return false;
    session.owner ??= handler;
    return session.owner !== handler;
  }

  private revalidate(handler: LearnerHandler, { data }: Packet): string {
    const session = readRevalidation(data);
    this.peer.metrics.count('revalidate_count');
    if (session === undefined || data === null) return 'REVALIDATE: damaged';
    this.revalidations.push({ ...session, handler });
    this.leader.revalidate(data);
    return '';
  }

  /** A client of this server resumes a session. */
  revalidatingHere(sessionId: bigint): void {
    this.revalidations.push({ sessionId, timeoutMs: 0, handler: null });
  }

  /** Passes on the leader's answer. False if it is for a client of this server. */
  revalidated({ zxid, data }: Packet): boolean {
    if (data === null || data.length < 9) return false;
    const sessionId = data.readBigInt64BE(0);
    const at = this.revalidations.findIndex((other) => other.sessionId === sessionId);
    const [pending] = at < 0 ? [] : this.revalidations.splice(at, 1);
    if (pending === undefined || pending.handler === null) return false;
    const { handler, timeoutMs } = pending;
    assert(pending.sessionId === sessionId, 'request: the answer of another session', sessionId);
    if (data[8] !== 0) this.server.moveSession(sessionId, timeoutMs, handler);
    handler.send(PacketType.REVALIDATE, zxid, data);
    return true;
  }

  /** @param leader for a reconfig: a long, the sid of the next leader */
  committed(zxid: bigint, entry: ByteRange, leader: Buffer | null): void {
    const { lastProcessedZxid } = this.peer.data.tree;
    assert(zxid === lastProcessedZxid, 'zxid order: told before it is applied', zxid);
    const type = leader === null ? PacketType.INFORM : PacketType.INFORMANDACTIVATE;
    let data: Buffer | null = null;
    for (const handler of this.learners.all()) {
      if (handler.stage === 'acked') this.sync(handler);
      else if (leader === null ? handler.isForwardedTo : this.learners.canActivate(handler)) {
        data ??= Buffer.concat([leader?.subarray(0, 8) ?? NO_DATA, entry.view()]);
        handler.inform(type, zxid, data);
      }
    }
  }

  get storedZxid(): bigint {
    return this.history.storedZxid;
  }

  get neededZxid(): bigint | null {
    return this.learners.neededZxid;
  }

  get nextWakeMs(): number {
    return this.nextPingMs;
  }

  tick(): void {
    const { nowMs, limits, data } = this.peer;
    this.learners.checkSilence();
    this.synchronizer.tick();
    this.informReleased();
    if (nowMs < this.nextPingMs) return;
    this.nextPingMs = nowMs + limits.tickTimeMs / 2;
    this.learners.ping(data.tree.lastProcessedZxid);
  }

  private nameObservers(): void {
    const observers = observersOf(this.learners);
    if (observers.equals(this.named)) return;
    this.named = observers;
    this.leader.nameObservers(observers);
  }

  drain(): void {
    if (this.isOfKeeper) this.nameObservers();
    this.learners.drain();
  }

  end(): void {
    this.learners.closeAll();
    assert(this.learners.count === 0, 'link: an observer outlives its master', this.learners.count);
    this.peer.emit({ kind: 'observer-port', isOpen: false });
  }
}
