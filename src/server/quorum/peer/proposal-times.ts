/**
 * How long the leader's own txns take: from the stamp of a txn to the ack of its own disk, of a
 * learner, of a quorum, in ms. A quorum may have a txn before this server's disk has it, or after.
 */
import { lowOf } from '../../../jute/long.js';
import { Fifo } from '../../../protocol/fifo.js';
import type { Metrics } from '../../metrics/metrics.js';

/** Of a learner's acks, the one of every so many txns is measured (leader.ackLoggingFrequency). */
const SAMPLED_EVERY = 1000;

export class ProposalTimes {
  private readonly metrics: Metrics;
  /** The stamps of the txns that are proposed: not durable here, and not committed. */
  private readonly undurable = new Fifo<number>();
  private readonly uncommitted = new Fifo<number>();
  private sampledZxid = -1n;
  private sampledMs = 0;

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  proposed(zxid: bigint, wallMs: number): void {
    this.undurable.push(wallMs);
    this.uncommitted.push(wallMs);
    if (lowOf(zxid) % SAMPLED_EVERY !== 0) return;
    this.sampledZxid = zxid;
    this.sampledMs = wallMs;
  }

  /** So many more are on this server's disk. */
  durable(count: number, wallMs: number): void {
    for (let i = 0; i < count; i++) {
      const since = this.undurable.shift();
      if (since !== undefined) this.metrics.ackCreationLatency.record(Math.max(0, wallMs - since));
    }
  }

  acked(sid: number, zxid: bigint, wallMs: number): void {
    if (zxid !== this.sampledZxid) return;
    this.metrics.recordAck(sid, Math.max(0, wallMs - this.sampledMs));
  }

  /** A quorum has the oldest that is not committed. */
  committed(wallMs: number): void {
    const since = this.uncommitted.shift();
    if (since !== undefined) this.metrics.quorumAckLatency.record(Math.max(0, wallMs - since));
  }
}
