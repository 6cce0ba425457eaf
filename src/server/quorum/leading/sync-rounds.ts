/**
 * Syncs at a leader. A read after a sync must show everything that was acknowledged before the
 * sync. So a sync waits until a quorum has answered a ping that was sent after the sync came: a
 * server that still follows this leader cannot have helped a newer leader before. Apache's leader
 * does not ask: a deposed leader that has not noticed lets its clients read an old state
 * (https://aphyr.com/posts/291, ZOOKEEPER-1675).
 *
 * The answer to a ping repeats its zxid, which no server looks at. The pings of a round carry the
 * number of the round, negated: the leader sends no other negative zxid in a ping.
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
  /** The rounds of the syncs that wait, the oldest first. */
  private readonly asked = new Fifo<number>();
  private isDue = false;
  /** When the pings of the next round leave where the last ones bring no quorum. */
  private retryMs = 0;

  constructor(peer: PeerHost, learners: Learners, onConfirmed: () => void) {
    this.peer = peer;
    this.learners = learners;
    this.onConfirmed = onConfirmed;
  }

  /** A sync has come. */
  ask(): void {
    this.asked.push(this.sent + 1);
    this.isDue = true;
  }

  /** May the oldest sync be answered? Then it waits no more. */
  take(): boolean {
    if ((this.asked.peek() ?? 0) > this.confirmed) return false;
    this.asked.shift();
    return true;
  }

  /** A learner in sync has answered a ping. */
  heard(handler: LearnerHandler, zxid: bigint): void {
    const round = Number(-zxid);
    if (round <= handler.syncRound || round > this.sent) return;
    handler.syncRound = round;
    this.confirm(round);
  }

  /**
   * Sends the pings of a round where a sync has come in this turn. Sends another round where a sync
   * still waits: an answer is lost with its link, and what was proposed later waits, too.
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
