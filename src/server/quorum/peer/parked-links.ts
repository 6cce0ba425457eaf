/** Connections to the quorum port before this server leads; count and size are limited. */
import { assert } from '../../../base/assert.js';
import type { LinkEvent } from '../../events.js';
import { LIMITS } from '../../limits/limits.js';
import type { Peer } from './peer.js';
import type { Role } from './role.js';

interface ParkedLink {
  readonly remote: string;
  readonly chunks: Buffer[];
  /** The bytes of `chunks`, at most MAX_BYTES while it is parked. */
  size: number;
}

/** Above this limit the oldest link without data is closed, or the oldest one. */
const MAX_LINKS = LIMITS.parkedLinks.value;
/** A learner sends FOLLOWERINFO and waits. */
const MAX_BYTES = LIMITS.parkedLinkBytes.value;

export class ParkedLinks {
  /** By link: at most MAX_LINKS, none while this server has a role. */
  private readonly links = new Map<number, ParkedLink>();
  private readonly host: Pick<Peer, 'emit' | 'exceeded'>;

  constructor(host: Pick<Peer, 'emit' | 'exceeded'>) {
    this.host = host;
  }

  /** An event of a link that this server did not open, unless its role handles it. */
  step(event: LinkEvent, role: Role | null): void {
    if (!this.handle(event, role === null))
      this.host.emit({ kind: 'link-close', link: event.link });
  }

  /** False if the link must be closed. @param isAwaited whether this server may be about to lead */
  handle(event: LinkEvent, isAwaited: boolean): boolean {
    switch (event.kind) {
      case 'link-opened':
        if (!isAwaited || event.isObserverPort === true) return false;
        if (this.links.size >= MAX_LINKS) this.makeRoom();
        assert(!this.links.has(event.link), 'link: opened twice', event.link);
        this.links.set(event.link, { remote: event.remote, chunks: [], size: 0 });
        assert(this.links.size <= MAX_LINKS, 'link: too many parked', this.links.size);
        return true;
      case 'link-received':
        return this.keep(event.link, event.bytes);
      case 'link-closed':
        this.links.delete(event.link);
        return true;
    }
  }

  private makeRoom(): void {
    const all = [...this.links];
    const [link, parked] = all.find(([, { size }]) => size === 0) ?? all[0] ?? [];
    if (link === undefined || parked === undefined) return;
    this.host.exceeded('parkedLinks', parked.remote);
    this.links.delete(link);
    this.host.emit({ kind: 'link-close', link });
  }

  private keep(link: number, bytes: Buffer): boolean {
    const parked = this.links.get(link);
    if (parked === undefined) return true;
    assert(parked.size <= MAX_BYTES, 'link: too many bytes parked', parked.size);
    parked.chunks.push(bytes);
    parked.size += bytes.length;
    if (parked.size <= MAX_BYTES) return true;
    this.host.exceeded('parkedLinkBytes', parked.remote);
    this.links.delete(link);
    return false;
  }

  handTo(leader: Pick<Role, 'step'>): void {
    for (const [link, { remote, chunks }] of this.takeAll()) {
      leader.step({ kind: 'link-opened', link, remote });
      for (const bytes of chunks) leader.step({ kind: 'link-received', link, bytes });
    }
    assert(this.links.size === 0, 'link: parked while this server leads', this.links.size);
  }

  closeAll(): void {
    for (const [link] of this.takeAll()) this.host.emit({ kind: 'link-close', link });
  }

  takeAll(): readonly (readonly [link: number, parked: ParkedLink])[] {
    const all = [...this.links];
    this.links.clear();
    return all;
  }
}
