/** The learners that are connected to a leader: their links, and how long each may be silent. */
import { readLearnerInfo } from './learner-data.js';
import { LearnerHandler, type SyncKind } from './learner-handler.js';
import { type Packet, PacketType, packetName } from './quorum-packet.js';
import type { PeerHost } from './role.js';

export class Learners {
  private readonly peer: PeerHost;
  private readonly handlers = new Map<number, LearnerHandler>();

  constructor(peer: PeerHost) {
    this.peer = peer;
  }

  all(): Iterable<LearnerHandler> {
    return this.handlers.values();
  }

  get(link: number): LearnerHandler | undefined {
    return this.handlers.get(link);
  }

  /** Who follows in sync and counts where followers are counted, and this server itself. */
  followers(): Set<number> {
    const sids = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver } of this.handlers.values()) {
      if (isSynced && !isObserver) sids.add(sid);
    }
    return sids;
  }

  /** How many are being brought in sync so. */
  inSyncBy(kind: SyncKind): number {
    let count = 0;
    for (const { syncKind } of this.handlers.values()) if (syncKind === kind) count++;
    return count;
  }

  open(link: number, remote: string): void {
    this.handlers.set(link, new LearnerHandler(link, remote, this.peer));
  }

  gone(link: number): void {
    this.handlers.delete(link);
  }

  /** Gives `onPacket` each whole packet that the bytes bring. */
  received(
    link: number,
    bytes: Buffer,
    onPacket: (handler: LearnerHandler, packet: Packet) => void,
  ): void {
    const handler = this.handlers.get(link);
    if (handler === undefined) return;
    handler.heardMs = this.peer.nowMs;
    handler.push(bytes);
    while (this.handlers.has(link)) {
      const packet = handler.next();
      if (packet === null) return;
      if (typeof packet === 'string') this.refuse(handler, packet);
      else onPacket(handler, packet);
    }
  }

  /** It says who it is. False when it was refused. */
  register(handler: LearnerHandler, { type, data }: Packet): boolean {
    const info = readLearnerInfo(data);
    if (handler.stage !== 'new' || info === undefined) {
      this.refuse(handler, `${packetName(type)} came twice, or is damaged`);
      return false;
    }
    if (info.configVersion > this.peer.membership.config.version) {
      this.refuse(handler, 'its configuration is newer than the one here');
      return false;
    }
    this.replace(info.sid);
    handler.sid = info.sid;
    handler.isObserver = type === PacketType.OBSERVERINFO;
    handler.stage = 'registered';
    return true;
  }

  /** No further word with it. */
  refuse(handler: LearnerHandler, reason: string): void {
    this.peer.note(`${handler.name} is no longer listened to: ${reason}`);
    this.peer.emit({ kind: 'link-close', link: handler.link });
    this.gone(handler.link);
  }

  /** One that connects anew has left its old link behind. */
  private replace(sid: number): void {
    for (const other of this.handlers.values()) {
      if (other.sid === sid) this.refuse(other, 'it has connected anew');
    }
  }

  ping(lastProposed: bigint): void {
    for (const handler of this.handlers.values()) {
      if (handler.isForwardedTo) handler.send(PacketType.PING, lastProposed);
    }
  }

  /** Lets go who is silent, or does not ack, for too long. */
  checkSilence(): void {
    const { nowMs, limits } = this.peer;
    const syncMs = limits.syncLimit * limits.tickTimeMs;
    const initMs = limits.initLimit * limits.tickTimeMs;
    for (const handler of this.handlers.values()) {
      const silentMs = nowMs - handler.heardMs;
      const lagMs = handler.isSynced ? handler.lagMs(nowMs) : 0;
      if (silentMs > (handler.isSynced ? syncMs : initMs)) {
        this.refuse(handler, `nothing came from it for ${silentMs} ms`);
      } else if (lagMs > syncMs) {
        this.refuse(handler, `it has not acked a proposal for ${lagMs} ms`);
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
