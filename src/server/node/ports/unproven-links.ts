/**
 * Limits the total of unread bytes of links that are not in sync. One link may lag far during a
 * snapshot, but many that never read must not fill the memory.
 */
import { LIMITS } from '../../limits/limits.js';
import type { QuorumLink } from './quorum-link.js';

interface Unproven {
  readonly link: QuorumLink;
  readonly from: string;
  /** In bytes, at the last measurement. */
  unread: number;
}

export class UnprovenLinks {
  private readonly links = new Map<number, Unproven>();
  private readonly maxBytes: number;
  private readonly onExceeded: (from: string) => void;
  private unread = 0;

  /** @param onExceeded gets the address of the closed link */
  constructor(onExceeded: (from: string) => void, maxBytes = LIMITS.unprovenUnreadBytes.value) {
    this.onExceeded = onExceeded;
    this.maxBytes = maxBytes;
  }

  add(id: number, link: QuorumLink, from: string): void {
    this.links.set(id, { link, from, unread: 0 });
  }

  delete(id: number): void {
    const one = this.links.get(id);
    if (one === undefined) return;
    this.unread -= one.unread;
    this.links.delete(id);
  }

  /** Called after sending. Above the limit, closes the link with the most unread bytes. */
  sent(id: number): void {
    const one = this.links.get(id);
    if (one === undefined) return;
    this.measure(one);
    if (this.unread <= this.maxBytes) return;
    let most: readonly [number, Unproven] | undefined;
    for (const entry of this.links) {
      this.measure(entry[1]);
      if (most === undefined || entry[1].unread > most[1].unread) most = entry;
    }
    // Enough may have been read since the last measurement.
    if (most === undefined || this.unread <= this.maxBytes) return;
    const [worst, { link, from }] = most;
    this.delete(worst);
    this.onExceeded(from);
    link.fail(
      `links that are not in sync have over ${this.maxBytes} unread bytes, most of them on this link`,
    );
  }

  private measure(one: Unproven): void {
    const { unsent } = one.link;
    this.unread += unsent - one.unread;
    one.unread = unsent;
  }
}
