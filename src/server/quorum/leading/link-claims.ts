/**
 * Decides between two links that claim the same server: a reconnect that left a half-open link, two
 * servers with one myid, or a stranger. The serving link gets a ping. If it answers, the new link
 * is refused. If not, the new link continues, and replaces it on the ack of NEWLEADER, never
 * before.
 */

import { RateLimitedLog } from '../../../base/rate-limited-log.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType } from '../wire/quorum-packet.js';
import { matchAddress } from '../wire/remote-address.js';
import type { LearnerHandler } from './learner-handler.js';

/** In ticks: the time for the serving link to answer. */
const PROBE_TICKS = 0.5;

interface Links {
  all(): Iterable<LearnerHandler>;
  refuse(handler: LearnerHandler, reason: string): void;
}

export class LinkClaims {
  private readonly peer: PeerHost;
  private readonly links: Links;
  private readonly notes: RateLimitedLog;

  constructor(peer: PeerHost, links: Links) {
    this.peer = peer;
    this.links = links;
    this.notes = new RateLimitedLog(
      (message) => peer.note(message),
      () => peer.nowMs,
    );
  }

  /** Sets `isHeld` if another link serves the same server. */
  begin(handler: LearnerHandler): void {
    handler.claimedMs = this.peer.nowMs;
    const holder = this.holderOf(handler);
    if (holder === undefined) return;
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
      const holder = this.holderOf(handler);
      if (holder !== undefined && nowMs - handler.claimedMs < limits.tickTimeMs * PROBE_TICKS) {
        continue;
      }
      if (holder !== undefined && isAlive(holder, handler)) {
        this.refuse(handler, holder);
        continue;
      }
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
