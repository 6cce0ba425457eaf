/**
 * A follower that serves observers in its leader's place (ObserverMaster in docs/protocol.md). It
 * says what a leader would say to them: the epoch, which is its own and long established, what they
 * lack, then every txn when it is committed. It forwards what their clients ask for to the leader,
 * and the answer back.
 *
 * It decides nothing, counts no votes and never tells an observer what is not committed. When it
 * follows no more, its observers are let go.
 */

import type { ByteRange } from '../../../jute/byte-range.js';
import type { Id } from '../../../protocol/data.js';
import { OpCode } from '../../../protocol/op-code.js';
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import type { Server } from '../../server.js';
import { trustedIds } from '../leading/accepted-packets.js';
import type { LearnerHandler } from '../leading/learner-handler.js';
import type { LearnerMaster } from '../leading/learner-master.js';
import { Learners } from '../leading/learners.js';
import type { Proposed } from '../leading/outstanding-proposals.js';
import { endSync } from '../leading/sync-learner.js';
import { Synchronizer } from '../leading/synchronizer.js';
import type { PeerHost } from '../peer/role.js';
import {
  failingRequest,
  NO_DATA,
  readRequest,
  readRevalidation,
  touchSessions,
} from '../wire/learner-data.js';
import { type Packet, PacketType, packetName } from '../wire/quorum-packet.js';
import type { LeaderLink } from './leader-link.js';
import type { LearnerPipeline, Upstream } from './learner-pipeline.js';

const NO_IDS: readonly Id[] = [];

/** A session of which the leader was asked whether it lives. */
interface Asked {
  readonly sessionId: bigint;
  readonly timeoutMs: number;
  /** Null where a client of this server asked. */
  readonly handler: LearnerHandler | null;
}

/** The way to the leader for a learner's own clients; its observers take the same. */
export function upstreamOf(link: LeaderLink, master: () => ObserverMaster | null): Upstream {
  return {
    request: (data, ids) => link.request(data, ids),
    revalidate: (data) => {
      master()?.askedHere(data.readBigInt64BE(0));
      link.revalidate(data);
    },
  };
}

/** Null where no port is set for observers. */
export function takeObservers(
  peer: PeerHost,
  { path }: { readonly path: LearnerPipeline },
  server: Server,
  leader: LeaderLink,
): ObserverMaster | null {
  const isOff = (peer.limits.observerMasterPort ?? null) === null;
  return isOff ? null : new ObserverMaster(peer, server, path, leader);
}

export class ObserverMaster implements LearnerMaster {
  readonly server: Server;
  readonly learners: Learners;
  readonly newLeaderZxid: bigint;
  private readonly peer: PeerHost;
  private readonly path: LearnerPipeline;
  private readonly leader: LeaderLink;
  private readonly synchronizer: Synchronizer;
  /** In the order in which the leader will answer. */
  private readonly asked: Asked[] = [];
  private nextPingMs: number;

  constructor(peer: PeerHost, server: Server, path: LearnerPipeline, leader: LeaderLink) {
    this.peer = peer;
    this.server = server;
    this.path = path;
    this.leader = leader;
    this.newLeaderZxid = BigInt(peer.currentEpoch) << 32n;
    this.nextPingMs = peer.nowMs;
    this.learners = new Learners(peer);
    this.synchronizer = new Synchronizer(peer, this.learners, this);
    peer.emit({ kind: 'observer-port', isOpen: true });
  }

  /** Those who vote follow the leader alone. */
  outstanding(): Iterable<Proposed> {
    return [];
  }

  // ── observers ────────────────────────────────────────────────────────────────────────────────

  owns(event: LinkEvent): boolean {
    if (event.kind === 'link-opened') return event.isObserverPort === true;
    return this.learners.get(event.link) !== undefined;
  }

  step(event: QuorumEvent): void {
    switch (event.kind) {
      case 'link-opened':
        this.learners.open(event.link, event.remote);
        break;
      case 'link-received':
        this.learners.received(event.link, event.bytes, this.receive);
        break;
      case 'link-closed':
        this.learners.gone(event.link);
        this.informReleased();
        break;
      case 'log-searched':
        this.synchronizer.searched(event);
        break;
      default:
        break;
    }
  }

  private readonly receive = (handler: LearnerHandler, packet: Packet): void => {
    const problem = this.handlePacket(handler, packet);
    if (problem !== '') this.learners.refuse(handler, problem);
  };

  /** Returns what is wrong with the packet; "" when nothing is. */
  private handlePacket(handler: LearnerHandler, packet: Packet): string {
    switch (packet.type) {
      case PacketType.OBSERVERINFO:
        if (this.learners.register(handler, packet)) this.inform(handler);
        return '';
      case PacketType.FOLLOWERINFO:
        return 'only observers come to this port: a participant follows the leader';
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
    if (!handler.isHeld) handler.inform(this.newLeaderZxid);
  }

  private informReleased(): void {
    for (const handler of this.learners.takeReleased()) this.inform(handler);
  }

  private ackEpoch(handler: LearnerHandler, packet: Packet): string {
    if (handler.ackedEpoch(packet) === undefined) return 'ACKEPOCH is damaged';
    const { currentEpoch } = this.peer;
    if (zxidEpoch(packet.zxid) > currentEpoch) return `it knows more than epoch ${currentEpoch}`;
    this.sync(handler);
    return '';
  }

  /**
   * One that came from another master may be a little ahead: what it has is committed, and will be
   * here in a moment. To cut its log back would only make its clients wait.
   */
  private sync(handler: LearnerHandler): void {
    const { lastZxid } = handler;
    const { data, currentEpoch } = this.peer;
    const isOfEpoch = zxidEpoch(lastZxid) === currentEpoch && zxidCounter(lastZxid) !== 0;
    if (isOfEpoch && lastZxid > data.tree.lastProcessedZxid) return;
    this.synchronizer.begin(handler);
  }

  private ack(handler: LearnerHandler, zxid: bigint): string {
    if (handler.stage === 'syncing' && zxid === this.newLeaderZxid) {
      if (!this.learners.prove(handler)) return '';
      handler.stage = 'synced';
      endSync(handler, this.peer, this.learners);
      handler.activate();
      return '';
    }
    // That of UPTODATE says nothing.
    const isExpected = handler.isSynced && zxidCounter(zxid) === 0;
    return isExpected ? '' : 'an observer acks no txns';
  }

  private serve(handler: LearnerHandler, packet: Packet): string {
    switch (packet.type) {
      case PacketType.REQUEST:
        return this.forward(handler, packet);
      case PacketType.REVALIDATE:
        return this.revalidate(handler, packet);
      default:
        return `${packetName(packet.type)} is nothing that an observer sends`;
    }
  }

  // ── what their clients ask for ───────────────────────────────────────────────────────────────

  private forward(handler: LearnerHandler, { data, authinfo }: Packet): string {
    const request = readRequest(data);
    if (request === undefined || data === null) return 'a damaged REQUEST';
    const { sessionId, cxid, type } = request;
    if (type === OpCode.sync) this.path.expectSync(handler);
    else if (this.isMoved(sessionId, handler)) {
      this.leader.request(failingRequest(sessionId, cxid), NO_IDS);
      return '';
    }
    this.leader.request(data, trustedIds(authinfo, handler, this.peer.membership));
    return '';
  }

  /**
   * Has the session gone on to another observer, or to this server? The leader, which looks at
   * that else, sees the same follower behind each of them.
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
    if (session === undefined || data === null) return 'a damaged REVALIDATE';
    this.asked.push({ ...session, handler });
    this.leader.revalidate(data);
    return '';
  }

  /** A client of this server comes back to a session. */
  askedHere(sessionId: bigint): void {
    this.asked.push({ sessionId, timeoutMs: 0, handler: null });
  }

  /** The leader answers. False when it answers a client of this server. */
  revalidated({ zxid, data }: Packet): boolean {
    if (data === null || data.length < 9) return false;
    const sessionId = data.readBigInt64BE(0);
    const at = this.asked.findIndex((other) => other.sessionId === sessionId);
    const [asked] = at < 0 ? [] : this.asked.splice(at, 1);
    if (asked === undefined || asked.handler === null) return false;
    const { handler, timeoutMs } = asked;
    if (data[8] !== 0) this.server.moveSession(sessionId, timeoutMs, handler);
    handler.send(PacketType.REVALIDATE, zxid, data);
    return true;
  }

  // ── what the leader commits ──────────────────────────────────────────────────────────────────

  /** @param leader where it is a reconfig: a long, the sid of who leads next */
  committed(zxid: bigint, entry: ByteRange, leader: Buffer | null): void {
    const type = leader === null ? PacketType.INFORM : PacketType.INFORMANDACTIVATE;
    let data: Buffer | null = null;
    for (const handler of this.learners.all()) {
      if (handler.stage === 'acked') this.sync(handler);
      else if (handler.isForwardedTo) {
        data ??= Buffer.concat([leader?.subarray(0, 8) ?? NO_DATA, entry.view()]);
        handler.send(type, zxid, data);
      }
    }
  }

  // ── time ─────────────────────────────────────────────────────────────────────────────────────

  get nextWakeMs(): number {
    return this.nextPingMs;
  }

  tick(): void {
    const { nowMs, limits, data } = this.peer;
    this.learners.checkSilence();
    this.informReleased();
    if (nowMs < this.nextPingMs) return;
    this.nextPingMs = nowMs + limits.tickTimeMs / 2;
    this.learners.ping(data.tree.lastProcessedZxid);
  }

  drain(): void {
    this.learners.drain();
  }

  end(): void {
    this.learners.closeAll();
    this.peer.emit({ kind: 'observer-port', isOpen: false });
  }
}
