/**
 * When a looking server asks the oracle (oraclePath), and what the answer means. "Yes": it may lead
 * alone, if it hears no other voter. "No": it may follow the other voter, which says that it leads
 * but needs no quorum. Both only in an ensemble of two voters.
 */
import type { Notification } from '../wire/notification.js';
import type { Vote } from '../wire/vote.js';
import { type Candidate, hasHistory, initialVote } from './candidate.js';
import type { Electorate } from './electorate.js';

export class LoneVote {
  private readonly sid: number;
  private readonly ask: (() => void) | undefined;
  /** In this wait for notifications. A server that is heard is not gone, despite the oracle. */
  private readonly heard = new Set<number>();
  private claimed: Vote | null = null;

  /** @param ask undefined without an oracle */
  constructor(sid: number, ask: (() => void) | undefined) {
    this.sid = sid;
    this.ask = ask;
  }

  begin(): void {
    this.heard.clear();
    this.claimed = null;
  }

  hear(sid: number, { state }: Notification): void {
    this.heard.add(sid);
    if (state === 'looking' && this.claimed?.leader === sid) this.claimed = null;
  }

  /** A wait for notifications ended. */
  waited(candidate: Candidate, electorate: Electorate): void {
    if (this.ask === undefined) return;
    if (this.isLone(candidate, electorate)) this.ask();
    this.heard.clear();
  }

  /** No quorum follows this leader. */
  noteLeader(sid: number, { state, vote }: Notification, electorate: Electorate): void {
    if (this.ask === undefined || state !== 'leading' || vote.leader !== sid) return;
    if (!electorate.isLone(sid, () => true)) return;
    this.claimed = vote;
    this.ask();
  }

  /** The vote that ends the election, or undefined. */
  decide(
    isGranted: boolean,
    candidate: Candidate,
    electorate: Electorate,
    round: bigint,
  ): Vote | undefined {
    const { claimed, sid } = this;
    this.claimed = null;
    if (claimed !== null) return isGranted ? undefined : claimed;
    if (!isGranted || !this.isLone(candidate, electorate)) return undefined;
    return { ...initialVote(candidate, sid), electionEpoch: round };
  }

  private isLone(candidate: Candidate, electorate: Electorate): boolean {
    return hasHistory(candidate) && electorate.isLone(this.sid, (sid) => !this.heard.has(sid));
  }
}
