import type { Metrics } from '../metrics/metrics.js';

/** The figures of Apache's commit processor, once per batch that one ack committed. */
export class CommitMetrics {
  private readonly metrics: Metrics;
  /** The commits of the batch so far; 0 between batches. */
  private committed = 0;

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  add(): void {
    this.committed++;
  }

  /** Ends the batch. `proposals` are uncommitted, and `held` requests wait before prep. */
  end(proposals: number, held: number): void {
    const { metrics, committed } = this;
    if (committed === 0) return;
    this.committed = 0;
    metrics.count('request_commit_queued', committed);
    metrics.record('commit_commit_proc_req_queued', committed);
    metrics.record('write_commit_proc_issued', committed);
    metrics.record('write_commit_proc_req_queued', proposals);
    metrics.record('prep_processor_queue_size', held);
  }
}
