import type { DataTree } from '../tree/data-tree.js';
import { limitPath, parseQuota, statPath } from '../tree/quotas.js';

/** Would a write that adds this much break a hard limit of the deepest quota above `path`? */
export function breaksQuota(tree: DataTree, path: string, bytes: number, count: number): boolean {
  const owner = tree.quotas.above(path);
  if (owner === undefined) return false;
  const limits = parseQuota(tree.get(limitPath(owner))?.data ?? null);
  const counted = tree.get(statPath(owner));
  if (counted === undefined) return false;
  const usage = parseQuota(counted.data);
  const isOver = (limit: number, used: number, more: number): boolean =>
    more !== 0 && limit > -1 && used + more > limit;
  return (
    isOver(limits.countHardLimit, usage.count, count) ||
    isOver(limits.byteHardLimit, usage.bytes, bytes)
  );
}
