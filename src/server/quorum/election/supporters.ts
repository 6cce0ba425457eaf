/** The voters that elected this server. Some may look for a leader again (ZOOKEEPER-3109). */
import type { Membership } from '../membership/membership.js';

export class Supporters {
  private sids: ReadonlySet<number> = new Set();
  private readonly departed = new Set<number>();
  private isDoubted = false;

  /** Those that look for a leader in a later round. */
  get departedSids(): ReadonlySet<number> {
    return this.departed;
  }

  has(sid: number): boolean {
    return this.sids.has(sid);
  }

  begin(sids: ReadonlySet<number>): void {
    this.sids = sids;
  }

  clear(): void {
    this.departed.clear();
    this.isDoubted = false;
  }

  noteLooking(sid: number, isLaterRound: boolean): void {
    if (!this.sids.has(sid)) return;
    this.isDoubted = true;
    if (isLaterRound) this.departed.add(sid);
  }

  /**
   * Why this server should stop waiting for epochs, or "": the other supporters are not a quorum,
   * or one left after more than `maxMs` (negative: never).
   */
  whyLeave(membership: Membership, waitedMs: number, maxMs: number): string {
    const isLate = this.isDoubted && maxMs >= 0 && waitedMs > maxMs;
    this.isDoubted = false;
    if (isLate) return `a voter sent no epoch for ${maxMs} ms and looks for a leader again`;
    if (this.departed.size === 0) return '';
    const left = [...membership.config.members.keys()].filter((sid) => !this.departed.has(sid));
    return membership.isQuorum(new Set(left))
      ? ''
      : 'the voters that elected it look for a leader again';
  }
}
