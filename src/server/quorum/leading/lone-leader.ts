/**
 * A leader that the only other voter left (QuorumOracleMaj). It continues alone while its oracle
 * says "yes" (oraclePath), and steps down when the oracle says "no" or nothing.
 *
 * Never: a decision alone while the other voter has a link, even if it is not in sync. All that was
 * committed alone precedes the sync of that voter, so its ack of NEWLEADER covers it.
 */
import type { Oracle } from '../peer/oracle.js';
import type { PeerHost } from '../peer/role.js';
import type { Learners } from './learners.js';

export class LoneLeader {
  private readonly peer: PeerHost;
  private readonly oracle: Oracle;
  private readonly learners: Learners;
  /** No question before this time, after a "no". */
  private pausedUntilMs = 0;
  /** The tick of the last question that keeps the leader in office; Infinity if it was answered. */
  private askedMs = Number.POSITIVE_INFINITY;
  /** The oracle has let it decide since the other voter left. */
  isAlone = false;

  constructor(peer: PeerHost, oracle: Oracle, learners: Learners) {
    this.peer = peer;
    this.oracle = oracle;
    this.learners = learners;
  }

  readonly isAbsent = (sid: number): boolean => !this.learners.isLinked(sid);

  /** Whether only the oracle's word is missing. */
  get isUpToOracle(): boolean {
    const { membership } = this.peer;
    const followers = this.learners.followers();
    return !membership.isQuorum(followers) && membership.isQuorum(followers, this.isAbsent);
  }

  /** Called in each turn. @param isNeeded whether a decision waits for the oracle */
  ask(isNeeded: boolean): void {
    if (isNeeded && this.peer.nowMs >= this.pausedUntilMs && this.isUpToOracle) this.oracle.ask();
  }

  /**
   * Called twice a tick by a leader without a quorum. Returns why it must step down, or "": the
   * oracle will say, or the other voter is about to be in sync.
   */
  whyStepDown(): string {
    const { nowMs, limits, membership } = this.peer;
    if (!this.isUpToOracle) {
      this.askedMs = Number.POSITIVE_INFINITY;
      const coming = this.learners.registeredSince(nowMs - limits.initLimit * limits.tickTimeMs);
      return membership.isQuorum(coming) ? '' : 'no voter is about to be in sync';
    }
    if (nowMs >= this.askedMs + limits.tickTimeMs) return 'the oracle gave no answer for a tick';
    this.askedMs = Math.min(this.askedMs, nowMs);
    this.pausedUntilMs = nowMs;
    this.ask(true);
    return '';
  }

  /** A follower is here: an answer would be about the time before. */
  joined(isVoter: boolean): void {
    this.oracle.forget();
    this.askedMs = Number.POSITIVE_INFINITY;
    this.pausedUntilMs = 0;
    if (!isVoter) return;
    if (this.isAlone) this.peer.note('the other voter is back: its acks count again');
    this.isAlone = false;
  }

  /** Whether the leader may decide without the absent voters now. */
  said(isGranted: boolean): boolean {
    const { limits, nowMs } = this.peer;
    this.askedMs = Number.POSITIVE_INFINITY;
    if (!isGranted) this.pausedUntilMs = nowMs + limits.tickTimeMs / 2;
    const mayDecide = isGranted && this.isUpToOracle;
    if (mayDecide && !this.isAlone) {
      this.isAlone = true;
      this.peer.note('the oracle lets this server lead alone: each txn is on one disk only');
    }
    return mayDecide;
  }
}
