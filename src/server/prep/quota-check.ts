import { limitPath, statPath } from '../../protocol/quota.js';
import type { DataTree } from '../tree/data-tree.js';
import { quotaOf } from '../tree/quotas.js';
import type { PendingUsage } from './pending-usage.js';

export interface QuotaExcess {
  /** The deepest path with a quota above the write. */
  readonly owner: string;
  readonly what: 'count' | 'bytes';
  /** Includes the write and all pending ones. */
  readonly used: number;
  readonly limit: number;
  /** A hard limit takes precedence over a soft one; enforceQuota refuses writes above it. */
  readonly isHard: boolean;
}

const NONE: readonly QuotaExcess[] = [];

export function quotaExcesses(
  tree: DataTree,
  pending: PendingUsage,
  path: string,
  bytes: number,
  count: number,
): readonly QuotaExcess[] {
  const owner = tree.quotas.above(path);
  if (owner === undefined) return NONE;
  const limits = quotaOf(tree.dataAt(limitPath(owner)) ?? null);
  const counted = tree.dataAt(statPath(owner));
  if (counted === undefined) return NONE;
  const usage = quotaOf(counted);
  const before = pending.of(owner);
  const found: QuotaExcess[] = [];
  const check = (what: QuotaExcess['what'], more: number, hard: number): void => {
    const isHard = hard > -1;
    const limit = isHard ? hard : limits[what];
    const used = usage[what] + before[what] + more;
    if (more !== 0 && limit > -1 && used > limit) found.push({ owner, what, used, limit, isHard });
  };
  check('count', count, limits.countHardLimit);
  check('bytes', bytes, limits.byteHardLimit);
  return found;
}
