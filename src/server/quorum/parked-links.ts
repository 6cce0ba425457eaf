/**
 * Connections to the quorum port that came before there was a leader: whoever connects may have
 * heard that this server was elected before the server itself has. Few, and little of each.
 */
import type { LinkEvent } from '../events.js';

interface ParkedLink {
  readonly remote: string;
  readonly chunks: Buffer[];
  size: number;
}

const MAX_LINKS = 256;
const MAX_BYTES = 64 * 1024;

export class ParkedLinks {
  private readonly links = new Map<number, ParkedLink>();

  /**
   * False when the link is to be closed.
   * @param isAwaited may this server be about to lead?
   */
  heed(event: LinkEvent, isAwaited: boolean): boolean {
    switch (event.kind) {
      case 'link-opened':
        if (!isAwaited || event.isObserverPort === true || this.links.size >= MAX_LINKS)
          return false;
        this.links.set(event.link, { remote: event.remote, chunks: [], size: 0 });
        return true;
      case 'link-received':
        return this.keep(event.link, event.bytes);
      case 'link-closed':
        this.links.delete(event.link);
        return true;
    }
  }

  private keep(link: number, bytes: Buffer): boolean {
    const parked = this.links.get(link);
    if (parked === undefined) return true;
    parked.chunks.push(bytes);
    parked.size += bytes.length;
    if (parked.size <= MAX_BYTES) return true;
    this.links.delete(link);
    return false;
  }

  /** All of them, which are parked no more. */
  takeAll(): readonly (readonly [link: number, parked: ParkedLink])[] {
    const all = [...this.links];
    this.links.clear();
    return all;
  }
}
