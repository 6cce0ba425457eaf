import { limitPath, type QuotaFigures, statPath } from '../../protocol/quota.js';
import type { DataTree } from '../tree/data-tree.js';
import { quotaOf } from '../tree/quotas.js';

/** The gauges of each top-level znode: sums over all quotas below it (QuotaMetricsUtils). */
const GAUGES: readonly (readonly [
  name: string,
  place: (owner: string) => string,
  figure: (figures: QuotaFigures) => number,
])[] = [
  ['quota_count_limit', limitPath, (found) => hardOr(found.countHardLimit, found.count)],
  ['quota_bytes_limit', limitPath, (found) => hardOr(found.byteHardLimit, found.bytes)],
  ['quota_count_usage', statPath, ({ count }) => count],
  ['quota_bytes_usage', statPath, ({ bytes }) => bytes],
];

function hardOr(hard: number, soft: number): number {
  return hard > -1 ? hard : soft;
}

/** `a_quota_count_limit_per_namespace` and similar, for each top-level znode with quotas. */
export function quotaGauges(tree: DataTree): [name: string, value: number][] {
  return GAUGES.flatMap(([name, place, figure]) => {
    const sums = new Map<string, number>();
    for (const owner of tree.quotas.all()) {
      const data = tree.dataAt(place(owner)) ?? null;
      if (data === null) continue;
      const namespace = namespaceOf(owner);
      sums.set(namespace, (sums.get(namespace) ?? 0) + figure(quotaOf(data)));
    }
    return [...sums].map(([key, sum]): [string, number] => [`${key}_${name}_per_namespace`, sum]);
  });
}

/** "a" of "/a/b". */
export function namespaceOf(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
