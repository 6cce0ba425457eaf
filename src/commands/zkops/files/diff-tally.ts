import { counted } from '../../program/counted.js';
import type { ReportRow, TaskCall } from '../calls/task.js';

export type Change = 'added' | 'removed' | 'changed';

/**
 * Counts the differences, and decides which ones to list: all, or those above --min-bytes and
 * --min-nodes, as Apache's SnapshotComparer does.
 */
export class DiffTally {
  private readonly counts = new Map<Change, number>();
  private readonly minBytes: number | undefined;
  private readonly minNodes: number | undefined;
  /** Znodes below each path that the second snapshot has more than the first. */
  private readonly growth = new Map<string, number>();

  constructor(call: TaskCall) {
    this.minBytes = call.number('min-bytes');
    this.minNodes = call.number('min-nodes');
  }

  count(change: Change): number {
    return this.counts.get(change) ?? 0;
  }

  /** Whether to list a difference. @param bytes the difference in data length */
  take(change: Change, path: string, bytes: number): boolean {
    this.counts.set(change, this.count(change) + 1);
    if (this.minNodes !== undefined && change !== 'changed') {
      this.grow(path, change === 'added' ? 1 : -1);
    }
    if (this.minBytes !== undefined) return bytes >= this.minBytes;
    return this.minNodes === undefined;
  }

  /** The subtrees whose number of znodes differs by the limit or more. */
  subtrees(): ReportRow[] {
    const { minNodes } = this;
    if (minNodes === undefined) return [];
    const large = [...this.growth].filter(([, by]) => Math.abs(by) >= minNodes);
    return large
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, by]) => ['subtree', path, `${by > 0 ? '+' : ''}${counted(by, 'znode')}`]);
  }

  private grow(path: string, by: number): void {
    for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
      const above = end === 0 ? '/' : path.slice(0, end);
      this.growth.set(above, (this.growth.get(above) ?? 0) + by);
      if (end === 0) return;
    }
  }
}
