import { limitPath, type QuotaFigures, statPath } from '../../protocol/quota.js';
import type { DataTree } from '../tree/data-tree.js';
import { quotaOf } from '../tree/quotas.js';
import { namespaceOf, valueFor } from './namespaces.js';

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
  const places = [limitPath, statPath];
  const sums = GAUGES.map(() => new Map<string, { sum: number }>());
  for (const owner of tree.quotas.all()) {
    const namespace = namespaceOf(owner);
    for (const place of places) {
      const data = tree.dataAt(place(owner)) ?? null;
      if (data === null) continue;
      const found = quotaOf(data);
      for (const [at, [, from, figure]] of GAUGES.entries()) {
        if (from !== place) continue;
        const total = valueFor(sums[at] as Map<string, { sum: number }>, namespace, noSum);
        if (total !== undefined) total.sum += figure(found);
      }
    }
  }
  return GAUGES.flatMap(([name], at) =>
    [...(sums[at] ?? [])].map(([key, { sum }]): [string, number] => [
      `${key}_${name}_per_namespace`,
      sum,
    ]),
  );
}

function noSum(): { sum: number } {
  return { sum: 0 };
}
