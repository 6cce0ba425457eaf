import type { SlowRequestView } from '../../admin/admin-view.js';
import { LIMITS } from '../../limits/limits.js';
import type { ServerReport } from '../log/logger.js';

const MAX_PATH = 256;

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
    // A copy: a part of a string keeps the whole of it, which may have a megabyte.
    const shown = path && Buffer.from(path.slice(0, MAX_PATH)).toString();
    this.kept.push({
      time: new Date(nowMs).toISOString(),
      sessionId,
      operation,
      path: shown ?? null,
      ms,
    });
  }

  /** The oldest first. */
  list(): readonly SlowRequestView[] {
    return this.kept;
  }
}
