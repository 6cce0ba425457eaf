/**
 * Whether members may announce ClickHouse Keeper's dialect: this leader serves it, each member said
 * that it does when it was last in sync, and no server that is in sync said otherwise. A member
 * that is down serves nobody, so what it said counts until it is back. For members that this leader
 * has not seen, the last word of the leader before counts.
 */
import type { KeeperDialect } from '../../state/server-state.js';
import type { Peer } from '../peer/peer.js';
import type { Packet } from '../wire/quorum-packet.js';
import type { LearnerHandler, Learners } from './learners.js';

/** An observer of an observer master: long sid | byte, whether it serves the dialect. */
const OBSERVER_SIZE = 9;
/** A learner may name any number of them. */
const MAX_SERVING = 1024;

export class KeeperMembers {
  private readonly peer: Peer;
  private readonly learners: Learners;
  /**
   * Members that serve it, as far as this server knows, and the last servers that may become
   * members; without this server.
   */
  private readonly serving: Set<number>;

  constructor(peer: Peer, learners: Learners) {
    this.peer = peer;
    this.learners = learners;
    this.serving = new Set(peer.isKeeperAnnounced ? peer.membership.config.members.keys() : []);
  }

  /** A learner is in sync: before its clients come, nobody announces what it does not serve. */
  add({ sid, isOfKeeper }: LearnerHandler): void {
    this.note(sid, isOfKeeper);
    this.tell();
  }

  /** An observer master names its observers. Returns what is wrong with the packet, or "". */
  heard(handler: LearnerHandler, { data }: Packet): string {
    const isSound = handler.isOfKeeper && data !== null && data.length % OBSERVER_SIZE === 0;
    if (!isSound) return 'KEEPER_DIALECT: damaged';
    handler.hasForeignObserver = false;
    const { membership } = this.peer;
    const isTrusted = membership.isMember(handler.sid);
    for (let at = 0; at < data.length; at += OBSERVER_SIZE) {
      const isServing = data[at + 8] === 1;
      const sid = Number(data.readBigInt64BE(at));
      if (isTrusted || !membership.isMember(sid)) this.note(sid, isServing);
      if (!isServing) handler.hasForeignObserver = true;
    }
    return '';
  }

  private note(sid: number, isServing: boolean): void {
    const { peer, serving } = this;
    if (!isServing) serving.delete(sid);
    else if (serving.add(sid).size > MAX_SERVING) {
      for (const oldest of serving) {
        if (peer.membership.isMember(oldest)) continue;
        serving.delete(oldest);
        break;
      }
    }
  }

  /** In each turn. */
  tell(): void {
    const { peer, learners } = this;
    if (!peer.isKeeperDialect || peer.server.pipeline === null) return;
    const dialect: KeeperDialect = this.isServedByAll ? 'announced' : 'served';
    peer.server.state.keeperDialect = dialect;
    peer.isKeeperAnnounced = dialect === 'announced';
    learners.tell(dialect);
  }

  private get isServedByAll(): boolean {
    const { config, next } = this.peer.membership;
    for (const one of [config, next]) {
      for (const sid of one?.members.keys() ?? []) {
        if (sid !== this.peer.sid && !this.serving.has(sid)) return false;
      }
    }
    for (const { isSynced, isOfKeeper, hasForeignObserver } of this.learners.all()) {
      if (isSynced && (!isOfKeeper || hasForeignObserver)) return false;
    }
    return true;
  }
}

/** For `KeeperMembers.heard`. */
export function observersOf(learners: Learners): Buffer {
  const parts: Buffer[] = [];
  for (const { isSynced, isOfKeeper, sid } of learners.all()) {
    if (!isSynced) continue;
    const part = Buffer.alloc(OBSERVER_SIZE);
    part.writeBigInt64BE(BigInt(sid));
    part[8] = isOfKeeper ? 1 : 0;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
