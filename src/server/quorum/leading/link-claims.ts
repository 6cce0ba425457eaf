/**
 * Which of two links is a server's, where both say so: one that connects anew and left its old link
 * half open, two servers with one myid, or a stranger.
 *
 * A link that serves is asked for a sign of life. While it answers, the new one is refused: the
 * first keeps serving. While it is silent, the new one goes on, and takes its place with the ack of
 * NEWLEADER. Until a link has acked NEWLEADER it ends no other.
 */

import { RateLimitedLog } from '../../base/rate-limited-log.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType } from '../wire/quorum-packet.js';
import { matchAddress } from '../wire/remote-address.js';
import type { LearnerHandler } from './learner-handler.js';

/** Of a tick: how long a link that serves has for its answer before a new one goes on. */
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

  /** It says whose link it is. Where another one serves it waits, as `isHeld` says. */
  begin(handler: LearnerHandler): void {
    handler.claimedMs = this.peer.nowMs;
    const holder = this.holderOf(handler);
    if (holder === undefined) return;
    handler.rival = { link: holder.link, heard: holder.heard };
    handler.isHeld = !this.isBetter(handler, holder);
    if (handler.isHeld) holder.send(PacketType.PING, holder.ackedZxid);
    this.notes.say(
      `two connections claim server ${handler.sid}: ${holder.remote} and ${handler.remote} (a duplicate myid?)`,
      `claim ${handler.sid}`,
    );
  }

  /** Decides what can be decided by now. Returns those that wait no more. */
  judge(): readonly LearnerHandler[] {
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

  /** It has acked NEWLEADER. False when another link stays its server's. */
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
      if (isReplaced) this.links.refuse(other, 'it has connected anew');
    }
    return true;
  }

  private refuse(handler: LearnerHandler, { remote }: LearnerHandler): void {
    this.links.refuse(handler, `server ${handler.sid} is connected from ${remote} and answers`);
  }

  private holderOf(handler: LearnerHandler): LearnerHandler | undefined {
    for (const other of this.links.all()) {
      if (other !== handler && other.sid === handler.sid && other.isSynced) return other;
    }
    return undefined;
  }

  /** Does it come from an address of the member, where the other is known not to? */
  private isBetter(handler: LearnerHandler, holder: LearnerHandler): boolean {
    const member = this.peer.membership.config.members.get(handler.sid);
    return (
      matchAddress(handler.remote, member) === 'match' &&
      matchAddress(holder.remote, member) === 'other'
    );
  }
}

/** Was it heard of since the other came? One that has proved itself meanwhile was. */
function isAlive(holder: LearnerHandler, { rival }: LearnerHandler): boolean {
  return rival?.link !== holder.link || rival.heard !== holder.heard;
}

function isUnregistered({ stage }: LearnerHandler): boolean {
  return stage === 'new';
}
