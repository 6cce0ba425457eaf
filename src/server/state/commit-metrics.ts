import type { Metrics } from '../metrics/metrics.js';

/**
 * What Apache's commit processor counts by its queues, counted once for each batch of commits: the
 * txns that one ack of a quorum or of the disk released, and what still waits.
 */
export class CommitMetrics {
  private readonly metrics: Metrics;
  private committed = 0;

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  add(): void {
    this.committed++;
  }

  /**
   * The batch ended.
   * @param proposals those without a quorum yet @param held requests that wait for room, before
   * prep
   */
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
