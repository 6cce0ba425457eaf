/**
 * mntr's metrics for Prometheus, without `zk_`. A prefix (a namespace, a sid) becomes the label
 * `key`. Counters appear with `_total`, as in 3.10, and without it, as in 3.9.
 */

import {
  ADVANCED_SUMMARIES,
  BASIC_SUMMARIES,
  COUNTERS,
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  OPERATION_COUNTERS,
  TTL_COUNTERS,
} from '../../fourlw/base/mntr-keys.js';
import type {
  AdvancedSummaryView,
  MetricsView,
  ServerView,
  SummaryView,
} from '../../fourlw/base/server-view.js';
import { EMPTY_ADVANCED, EMPTY_SUMMARY, mntr } from '../../fourlw/mntr.js';

export interface MetricFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** The name of the family, perhaps with `_count` or `_sum`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NO_LABELS = {};
const LOAD_FIGURES = [
  ['load_requests_per_second', 'requestsPerSecond'],
  ['load_bytes_per_second', 'bytesPerSecond'],
  ['load_watches', 'watches'],
] as const;
/** `<namespace>_quota_count_limit_per_namespace` and similar names. */
const KEYED_GAUGE = /^(.*)_(quota_[a-z_]+_per_namespace)$/;

export function metricFamilies(view: ServerView): MetricFamily[] {
  const { metrics } = view;
  return [
    ...gauges(view),
    ...[...COUNTERS, ...LATER_COUNTERS, ...TTL_COUNTERS, ...OPERATION_COUNTERS].flatMap((name) =>
      counter(name, metrics.counters[name] ?? 0),
    ),
    ...counterSets(metrics),
    ...loads(view),
    ...summaries(metrics),
  ];
}

/** The values that mntr prints before its first counter, except texts. */
function* gauges(view: ServerView): Generator<MetricFamily> {
  const keyed = new Map<string, Sample[]>();
  for (const line of mntr.render(view).split('\n')) {
    const [key = '', text = ''] = line.split('\t');
    const name = key.replace(/^zk_/, '');
    if (name === COUNTERS[0]) break;
    const value = text === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) continue;
    const [, label, family] = KEYED_GAUGE.exec(name) ?? [];
    if (family === undefined) {
      yield { name, type: 'gauge', samples: [{ name, labels: NO_LABELS, value }] };
    } else {
      const samples = keyed.get(family) ?? [];
      samples.push({ name: family, labels: { key: label ?? '' }, value });
      keyed.set(family, samples);
    }
  }
  for (const [name, samples] of keyed) yield { name, type: 'gauge', samples };
}

function counter(name: string, value: number): MetricFamily[] {
  const names = name.endsWith('_total') ? [name] : [name, `${name}_total`];
  return names.map((own) => ({
    name: own,
    type: 'counter',
    samples: [{ name: own, labels: NO_LABELS, value }],
  }));
}

function counterSets({ counterSets: sets = {} }: MetricsView): MetricFamily[] {
  return Object.entries(sets).flatMap(([family, byKey]) =>
    byKey.size === 0
      ? []
      : [family, `${family}_total`].map((name): MetricFamily => {
          const samples = [...byKey].map(([key, value]) => ({ name, labels: { key }, value }));
          return { name, type: 'counter', samples };
        }),
  );
}

/** A bounded number of names, which the load of the moment decides: gauges. */
function loads(view: ServerView): MetricFamily[] {
  const { rows } = view.load();
  if (rows.length === 0) return [];
  return LOAD_FIGURES.map(([name, key]) => ({
    name,
    type: 'gauge',
    samples: rows.map((row) => ({ name, labels: { by: row.by, name: row.name }, value: row[key] })),
  }));
}

/** As in Apache's server, also those that have measured nothing yet: rate() needs their zero. */
function* summaries(metrics: MetricsView): Generator<MetricFamily> {
  const { basicSummaries, advancedSummaries, basicSummarySets, advancedSummarySets } = metrics;
  const all = [
    ...[...BASIC_SUMMARIES, ...LATER_BASIC_SUMMARIES].map(
      (name) => [name, basicSummaries[name] ?? EMPTY_SUMMARY] as const,
    ),
    ...ADVANCED_SUMMARIES.map((name) => [name, advancedSummaries[name] ?? EMPTY_ADVANCED] as const),
  ];
  for (const [name, summary] of all) {
    yield { name, type: 'summary', samples: samplesOf(name, NO_LABELS, summary) };
  }
  for (const [name, byKey] of Object.entries({ ...basicSummarySets, ...advancedSummarySets })) {
    const samples = [...byKey].flatMap(([key, summary]) => samplesOf(name, { key }, summary));
    if (samples.length > 0) yield { name, type: 'summary', samples };
  }
}

function samplesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  summary: SummaryView | AdvancedSummaryView,
): Sample[] {
  const quantiles: [quantile: string, value: number][] =
    'p50' in summary
      ? [
          ['0.5', summary.p50],
          ['0.95', summary.p95],
          ['0.99', summary.p99],
          ['0.999', summary.p999],
        ]
      : [];
  return [
    ...quantiles.map(([quantile, value]) => ({ name, labels: { ...labels, quantile }, value })),
    { name: `${name}_count`, labels, value: summary.count },
    { name: `${name}_sum`, labels, value: summary.sum },
  ];
}
