/**
 * Syncs at a leader. A read after a sync must show all writes acknowledged before it. So a sync
 * waits until a quorum answers a later ping: a server that follows this leader has not helped elect
 * a newer one. Apache's leader does not ask, so a deposed one may serve old data
 * (https://aphyr.com/posts/291, ZOOKEEPER-1675).
 *
 * An answer repeats the zxid of its ping. A negative one is the number of a round, since no other
 * ping has one.
 */
import { Fifo } from '../../../protocol/fifo.js';
import { type IsExcused, NOBODY } from '../membership/excused-quorum.js';
import type { PeerHost } from '../peer/role.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Learners } from './learners.js';

export class SyncRounds {
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private readonly onConfirmed: () => void;
  /** The last round whose pings were sent. */
  private sent = 0;
  private confirmed = 0;
  /** Of the pending syncs, oldest first. */
  private readonly asked = new Fifo<number>();
  private isDue = false;
  private retryMs = 0;

  constructor(peer: PeerHost, learners: Learners, onConfirmed: () => void) {
    this.peer = peer;
    this.learners = learners;
    this.onConfirmed = onConfirmed;
  }

  ask(): void {
    this.asked.push(this.sent + 1);
    this.isDue = true;
  }

  get isWaiting(): boolean {
    return this.asked.length > 0 && this.confirmed < this.sent;
  }

  /** Removes the oldest sync if it can be answered. */
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
   * Starts a round if a sync came in this turn. Repeats it while a sync waits, because an answer is
   * lost with its link, and later proposals would wait, too.
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

  /** The oracle lets this leader decide without some voters. */
  excuse(isExcused: IsExcused): void {
    this.confirm(this.sent, isExcused);
  }

  private confirm(round: number, isExcused = NOBODY): void {
    if (round <= this.confirmed) return;
    const sids = new Set([this.peer.sid]);
    for (const { sid, isSynced, isObserver, syncRound } of this.learners.all()) {
      if (isSynced && !isObserver && syncRound >= round) sids.add(sid);
    }
    if (!this.peer.membership.isQuorum(sids, isExcused)) return;
    this.confirmed = round;
    this.onConfirmed();
  }
}
