/** Milliseconds from the time in a txn to the acks of this disk, a learner, and a quorum. */
import { lowOf } from '../../../jute/long.js';
import { Fifo } from '../../../protocol/fifo.js';
import type { Metrics } from '../../metrics/metrics.js';

/** Measures one learner ack out of this many (leader.ackLoggingFrequency). */
const SAMPLED_EVERY = 1000;

export class ProposalTimes {
  private readonly metrics: Metrics;
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

  committed(wallMs: number): void {
    const since = this.uncommitted.shift();
    if (since !== undefined) this.metrics.quorumAckLatency.record(Math.max(0, wallMs - since));
  }
}
