/**
 * The voters that made this server the leader, and those of them that look for a leader again: it
 * may wait in vain for their epochs (ZOOKEEPER-3109).
 */
import type { Membership } from '../membership/membership.js';

export class Supporters {
  private sids: ReadonlySet<number> = new Set();
  private readonly departed = new Set<number>();
  private isDoubted = false;

  /** Those that look in a later round. */
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

  /** A server looks for a leader, while this one leads. */
  heardLooking(sid: number, isLaterRound: boolean): void {
    if (!this.sids.has(sid)) return;
    this.isDoubted = true;
    if (isLaterRound) this.departed.add(sid);
  }

  /**
   * Why the wait for epochs should end: the others are no quorum, or one has been heard since the
   * last call after more than `maxMs` of waiting; negative is never. "" when it should not.
   */
  whyLeave(membership: Membership, waitedMs: number, maxMs: number): string {
    const isLate = this.isDoubted && maxMs >= 0 && waitedMs > maxMs;
    this.isDoubted = false;
    if (isLate) return `a voter looks for a leader again, after ${maxMs} ms without its epoch`;
    if (this.departed.size === 0) return '';
    const left = [...membership.config.members.keys()].filter((sid) => !this.departed.has(sid));
    return membership.isQuorum(new Set(left)) ? '' : 'those who elected it look for a leader again';
  }
}
