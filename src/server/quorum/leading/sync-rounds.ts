/**
 * Syncs at a leader. A read after a sync must show all writes acknowledged before the sync. So a
 * sync waits until a quorum answers a ping that was sent after it. A server that still follows this
 * leader cannot have helped elect a newer one. Apache's leader does not ask: a deposed leader that
 * has not noticed serves old data (https://aphyr.com/posts/291, ZOOKEEPER-1675).
 *
 * The answer to a ping repeats its zxid, which no server reads. The pings of a round carry the
 * negated number of the round: the leader sends no other negative zxid in a ping.
 */
import { Fifo } from '../../../protocol/fifo.js';
import type { PeerHost } from '../peer/role.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Learners } from './learners.js';

export class SyncRounds {
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private readonly onConfirmed: () => void;
  /** The last round whose pings were sent. */
  private sent = 0;
  /** The last round that a quorum has answered. */
  private confirmed = 0;
  /** The rounds of the pending syncs, oldest first. */
  private readonly asked = new Fifo<number>();
  private isDue = false;
  /** When to ping again if the last round got no quorum. */
  private retryMs = 0;

  constructor(peer: PeerHost, learners: Learners, onConfirmed: () => void) {
    this.peer = peer;
    this.learners = learners;
    this.onConfirmed = onConfirmed;
  }

  /** Registers a sync. */
  ask(): void {
    this.asked.push(this.sent + 1);
    this.isDue = true;
  }

  /** Whether the oldest sync can be answered; if so, removes it. */
  take(): boolean {
    if ((this.asked.peek() ?? 0) > this.confirmed) return false;
    this.asked.shift();
    return true;
  }

  /** A learner in sync answered a ping. */
  heard(handler: LearnerHandler, zxid: bigint): void {
    const round = Number(-zxid);
    if (round <= handler.syncRound || round > this.sent) return;
    handler.syncRound = round;
    this.confirm(round);
  }

  /**
   * Sends the pings of a new round if a sync came in this turn. Repeats a round while a sync waits:
   * an answer is lost with its link, and later proposals would wait, too.
   */
  drain(): void {
    const { nowMs, limits } = this.peer;
    const isLate = this.asked.length > 0 && nowMs >= this.retryMs;
    if (!this.isDue && !isLate) return;
    this.isDue = false;
    this.retryMs = nowMs + limits.tickTimeMs / 2;
    this.sent++;
    this.learners.ping(-BigInt(this.sent));
    this.confirm(this.sent);
  }

  private confirm(round: number): void {
    if (round <= this.confirmed) return;
    const sids = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver, syncRound } of this.learners.all()) {
      if (isSynced && !isObserver && syncRound >= round) sids.add(sid);
    }
    if (!this.peer.membership.isQuorum(sids)) return;
    this.confirmed = round;
    this.onConfirmed();
  }
}
