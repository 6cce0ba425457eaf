/**
 * How long a leader waits for a quorum: initLimit, and as long as the missing voters get in sync. A
 * large tree takes longer, and `Learners.checkSilence` ends the link of one that makes no progress.
 */
import type { PeerHost } from '../peer/role.js';
import type { Learners } from './learners.js';

export class QuorumDeadline {
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private endMs: number;

  constructor(peer: PeerHost, learners: Learners) {
    this.peer = peer;
    this.learners = learners;
    this.endMs = peer.nowMs + this.initMs;
  }

  get initMs(): number {
    return this.peer.limits.initLimit * this.peer.limits.tickTimeMs;
  }

  /** Since it was set. */
  get waitedMs(): number {
    return this.peer.nowMs - (this.endMs - this.initMs);
  }

  /** @param isDue whether it ends at once unless a quorum is there */
  restart(isDue = false): void {
    this.endMs = this.peer.nowMs + (isDue ? 0 : this.initMs);
  }

  get isOver(): boolean {
    return this.peer.nowMs >= this.endMs;
  }

  get hasQuorum(): boolean {
    return this.peer.membership.isQuorum(this.learners.followers());
  }

  get isQuorumComing(): boolean {
    return this.peer.membership.isQuorum(this.learners.onTheWay());
  }

  /** Infinity when it is over: each tick asks again. */
  get nextWakeMs(): number {
    return this.isOver ? Number.POSITIVE_INFINITY : this.endMs;
  }
}
