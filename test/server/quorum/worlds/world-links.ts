import type { Effect } from '../../../../src/server/effects.js';
import type { Event, QuorumEvent } from '../../../../src/server/events.js';
import { snapshotPieces } from '../../../../src/server/quorum/leading/synchronizer.js';
import { type MemoryDisk, packetsOf } from './memory-disk.js';

interface LinkWorld {
  nextId(): number;
  isUp(sid: number): boolean;
  step(sid: number, event: Event): void;
  /** observerMasterPort, or undefined if no member has one. */
  readonly observerPort: number | undefined;
}

/** The end of a link that a test holds. The member knows it by `id`. */
export interface HeldLink {
  readonly id: number;
  push(bytes: Buffer): void;
  /** What the member's port says of the data on this link. */
  tell(event: LinkNews): void;
}

export type LinkNews =
  | { readonly kind: 'snapshot-sent' }
  | Pick<Extract<QuorumEvent, { kind: 'link-output' }>, 'kind' | 'state'>;

/** Small, so that a snapshot of a few znodes takes a while. */
const SLOW_PIECE = 64;

/** A packet on a link that a test holds, or null for a disconnect. */
export type Receive = (bytes: Buffer | null) => void;

/** The links between the members of an ensemble, in which every message arrives at once. */
export class WorldLinks {
  private readonly world: LinkWorld;
  /** The other end, by the member and its number for the link. */
  private readonly links = new Map<string, { sid: number; link: number }>();
  /** The members that listen for observers. */
  private readonly masters = new Set<number>();
  private readonly cuts = new Set<string>();
  /** Ends that a test holds. */
  private readonly held = new Map<string, Receive>();
  /** `slow`: a piece goes out with each `moveSnapshots`; `held`: nothing goes out. */
  snapshots: 'at once' | 'slow' | 'held' = 'at once';
  private readonly slow: {
    readonly sid: number;
    readonly link: number;
    readonly pieces: Generator<Buffer>;
  }[] = [];

  constructor(world: LinkWorld) {
    this.world = world;
  }

  cut(a: number, b: number): void {
    this.cuts.add(`${a}-${b}`).add(`${b}-${a}`);
  }

  heal(): void {
    this.cuts.clear();
  }

  isReachable(from: number, to: number): boolean {
    return this.world.isUp(to) && !this.cuts.has(`${from}-${to}`);
  }

  setObserverPort(sid: number, isOpen: boolean): void {
    if (isOpen) this.masters.add(sid);
    else this.masters.delete(sid);
  }

  /** A link whose other end a test holds. Returns its number. */
  hold(sid: number, receive: Receive, isObserverPort = false, remote = 'by hand'): number {
    const link = this.world.nextId();
    this.held.set(`${sid}:${link}`, receive);
    this.world.step(sid, { kind: 'link-opened', link, remote, isObserverPort });
    return link;
  }

  dial(sid: number, { link, addresses }: Extract<Effect, { kind: 'link-dial' }>): void {
    const [{ host, port } = { host: '', port: 0 }] = addresses;
    const isObserverPort = port === this.world.observerPort;
    const to = isObserverPort ? Number(host.split('.').at(-1)) : port - 1999;
    const isHeard = !isObserverPort || this.masters.has(to);
    if (!isHeard || !this.isReachable(sid, to)) {
      this.world.step(sid, { kind: 'link-closed', link, reason: 'refused' });
      return;
    }
    const there = this.world.nextId();
    this.links.set(`${sid}:${link}`, { sid: to, link: there });
    this.links.set(`${to}:${there}`, { sid, link });
    const remote = `server ${sid}`;
    this.world.step(to, { kind: 'link-opened', link: there, remote, isObserverPort });
    this.world.step(sid, { kind: 'link-opened', link, remote: `server ${to}` });
  }

  send(sid: number, link: number, bytes: Buffer): void {
    this.held.get(`${sid}:${link}`)?.(bytes);
    const other = this.links.get(`${sid}:${link}`);
    if (other === undefined || !this.isReachable(sid, other.sid)) return;
    this.world.step(other.sid, { kind: 'link-received', link: other.link, bytes });
  }

  /** Returns whether a snapshot is under way. */
  moveSnapshots(): boolean {
    for (const stream of this.slow.splice(0)) {
      const { sid, link, pieces } = stream;
      const piece = pieces.next();
      if (piece.done === true) {
        this.world.step(sid, { kind: 'snapshot-sent', link });
        continue;
      }
      this.send(sid, link, piece.value);
      this.world.step(sid, { kind: 'link-output', link, state: 'moving' });
      this.slow.push(stream);
    }
    return this.slow.length > 0;
  }

  sendSnapshot(sid: number, effect: Extract<Effect, { kind: 'link-snapshot' }>): void {
    if (this.snapshots === 'slow') {
      const { link } = effect;
      this.slow.push({ sid, link, pieces: snapshotPieces(effect, SLOW_PIECE) });
    }
    if (this.snapshots !== 'at once') return;
    try {
      for (const piece of snapshotPieces(effect)) this.send(sid, effect.link, piece);
      this.world.step(sid, { kind: 'snapshot-sent', link: effect.link });
    } catch (error) {
      this.close(sid, effect.link, String(error));
    }
  }

  sendLog(
    sid: number,
    disk: MemoryDisk,
    { link, tail }: Extract<Effect, { kind: 'link-log' }>,
  ): void {
    try {
      const { packets, last } = packetsOf(disk, tail);
      for (const bytes of packets) this.send(sid, link, bytes);
      this.world.step(sid, { kind: 'log-sent', link, zxid: last });
    } catch (error) {
      this.close(sid, link, String(error));
    }
  }

  close(sid: number, link: number, reason: string, isTold = true): void {
    this.held.get(`${sid}:${link}`)?.(null);
    const other = this.links.get(`${sid}:${link}`);
    if (other === undefined) return;
    this.links.delete(`${sid}:${link}`);
    this.links.delete(`${other.sid}:${other.link}`);
    if (isTold) this.world.step(sid, { kind: 'link-closed', link, reason });
    this.world.step(other.sid, { kind: 'link-closed', link: other.link, reason });
  }

  /** All links of that member. */
  closeAll(sid: number, reason: string): void {
    this.masters.delete(sid);
    for (const key of [...this.links.keys()]) {
      if (key.startsWith(`${sid}:`)) this.close(sid, Number(key.split(':')[1]), reason);
    }
  }
}
