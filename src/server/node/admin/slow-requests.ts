import type { SlowRequestView } from '../../admin/admin-view.js';
import { LIMITS } from '../../limits/limits.js';
import type { ServerReport } from '../log/logger.js';

/**
 * The last requests that took slowRequestThresholdMs. Fast requests never get here, and a change of
 * the role keeps the list.
 */
export class SlowRequests {
  private readonly kept: SlowRequestView[] = [];

  /** Ignores reports of other kinds. @param nowMs in ms since 1970 */
  add(report: ServerReport, nowMs: number): void {
    if (report.kind !== 'slow-request') return;
    const { sessionId, operation, path, ms } = report;
    if (this.kept.length === LIMITS.slowRequestsKept.value) this.kept.shift();
    this.kept.push({
      time: new Date(nowMs).toISOString(),
      sessionId,
      operation,
      path: path ?? null,
      ms,
    });
  }

  /** The oldest first. */
  list(): readonly SlowRequestView[] {
    return this.kept;
  }
}
