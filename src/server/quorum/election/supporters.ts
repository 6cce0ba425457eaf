/**
 * The voters that elected this server, and those of them that look for a leader again. This server
 * may wait in vain for the epochs of the latter (ZOOKEEPER-3109).
 */
import type { Membership } from '../membership/membership.js';

export class Supporters {
  private sids: ReadonlySet<number> = new Set();
  private readonly departed = new Set<number>();
  private isDoubted = false;

  /** The supporters that look for a leader in a later round. */
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

  /** A server looks for a leader while this one leads. */
  heardLooking(sid: number, isLaterRound: boolean): void {
    if (!this.sids.has(sid)) return;
    this.isDoubted = true;
    if (isLaterRound) this.departed.add(sid);
  }

  /**
   * Why this server should stop waiting for epochs; "" if it should not. Either the remaining
   * supporters are not a quorum, or one left after more than `maxMs` (negative: never).
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
