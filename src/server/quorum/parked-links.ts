/**
 * Connections to the quorum port that came before there was a leader: whoever connects may have heard
 * that this server was elected before the server itself has. Few, and little of each.
 */
interface ParkedLink {
  readonly remote: string;
  readonly chunks: Buffer[];
  size: number;
}

const MAX_LINKS = 256;
const MAX_BYTES = 64 * 1024;

export class ParkedLinks {
  private readonly links = new Map<number, ParkedLink>();

  /** False when there is no room. */
  park(link: number, remote: string): boolean {
    if (this.links.size >= MAX_LINKS) return false;
    this.links.set(link, { remote, chunks: [], size: 0 });
    return true;
  }

  /** False when it has said too much: it is parked no more. */
  keep(link: number, bytes: Buffer): boolean {
    const parked = this.links.get(link);
    if (parked === undefined) return true;
    parked.chunks.push(bytes);
    parked.size += bytes.length;
    if (parked.size <= MAX_BYTES) return true;
    this.links.delete(link);
    return false;
  }

  forget(link: number): void {
    this.links.delete(link);
  }

  /** All of them, which are parked no more. */
  takeAll(): readonly (readonly [link: number, parked: ParkedLink])[] {
    const all = [...this.links];
    this.links.clear();
    return all;
  }
}
