import { assert } from '../../base/assert.js';

/** What one pending change adds to the usage of a quota; negative numbers free it. */
export interface UsageChange {
  /** The path with the quota. */
  readonly owner: string;
  readonly count: number;
  readonly bytes: number;
}

const NOTHING = { count: 0, bytes: 0 };

/**
 * The usage of quotas that pending changes add. The znode with the usage has it only when a change
 * is applied, so a multi, or requests in flight, would together pass a limit that each one keeps.
 */
export class PendingUsage {
  /** The sums of all pending changes, by the path of the quota; `changes` is at least 1. */
  private readonly byOwner = new Map<string, { count: number; bytes: number; changes: number }>();

  /** Quotas with pending changes. */
  get size(): number {
    return this.byOwner.size;
  }

  of(owner: string): { readonly count: number; readonly bytes: number } {
    return this.byOwner.get(owner) ?? NOTHING;
  }

  add({ owner, count, bytes }: UsageChange): void {
    const sum = this.byOwner.get(owner);
    if (sum === undefined) {
      this.byOwner.set(owner, { count, bytes, changes: 1 });
      return;
    }
    sum.count += count;
    sum.bytes += bytes;
    sum.changes++;
  }

  clear(): void {
    this.byOwner.clear();
  }

  remove({ owner, count, bytes }: UsageChange): void {
    const sum = this.byOwner.get(owner);
    assert(sum !== undefined, 'quota usage: a change is taken back that was never added', owner);
    sum.count -= count;
    sum.bytes -= bytes;
    sum.changes--;
    if (sum.changes > 0) return;
    assert(sum.changes === 0, 'quota usage: more changes left than came', owner);
    assert(sum.count === 0, 'quota usage: znodes remain without a pending change', sum.count);
    assert(sum.bytes === 0, 'quota usage: bytes remain without a pending change', sum.bytes);
    this.byOwner.delete(owner);
  }
}
