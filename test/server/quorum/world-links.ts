import type { Effect } from '../../../src/server/effects.js';
import type { Event } from '../../../src/server/events.js';

export interface LinkedWorld {
  isReachable(from: number, to: number): boolean;
  step(sid: number, event: Event): void;
}

/** The links between the members of a world, and those that a test holds the other end of. */
export class WorldLinks {
  private readonly world: LinkedWorld;
  /** By the member and the number it knows a link by, to the other end. */
  private readonly ends = new Map<string, { sid: number; link: number }>();
  private readonly held = new Map<string, (bytes: Buffer | null) => void>();
  private nextLink = 1;

  constructor(world: LinkedWorld) {
    this.world = world;
  }

  dial(sid: number, { link, addresses }: Extract<Effect, { kind: 'link-dial' }>): void {
    const to = (addresses[0]?.port ?? 0) - 1999;
    const { world } = this;
    if (!world.isReachable(sid, to)) {
      world.step(sid, { kind: 'link-closed', link, reason: 'refused' });
      return;
    }
    const there = this.nextLink++;
    this.ends.set(`${sid}:${link}`, { sid: to, link: there });
    this.ends.set(`${to}:${there}`, { sid, link });
    world.step(to, { kind: 'link-opened', link: there, remote: `server ${sid}` });
    world.step(sid, { kind: 'link-opened', link, remote: `server ${to}` });
  }

  /** Gives what sends to the member; `receive` gets what it sends, null when it hangs up. */
  byHand(sid: number, receive: (bytes: Buffer | null) => void): (bytes: Buffer) => void {
    const link = this.nextLink++;
    this.held.set(`${sid}:${link}`, receive);
    this.world.step(sid, { kind: 'link-opened', link, remote: 'by hand' });
    return (bytes) => this.world.step(sid, { kind: 'link-received', link, bytes });
  }

  send(sid: number, link: number, bytes: Buffer): void {
    this.held.get(`${sid}:${link}`)?.(bytes);
    const other = this.ends.get(`${sid}:${link}`);
    if (other === undefined || !this.world.isReachable(sid, other.sid)) return;
    this.world.step(other.sid, { kind: 'link-received', link: other.link, bytes });
  }

  close(sid: number, link: number, reason: string, isTold = true): void {
    this.held.get(`${sid}:${link}`)?.(null);
    const other = this.ends.get(`${sid}:${link}`);
    if (other === undefined) return;
    this.ends.delete(`${sid}:${link}`);
    this.ends.delete(`${other.sid}:${other.link}`);
    if (isTold) this.world.step(sid, { kind: 'link-closed', link, reason });
    this.world.step(other.sid, { kind: 'link-closed', link: other.link, reason });
  }

  closeAll(sid: number, reason: string): void {
    for (const key of [...this.ends.keys()]) {
      if (key.startsWith(`${sid}:`)) this.close(sid, Number(key.split(':')[1]), reason);
    }
  }
}
