// Converts mntr's names to conventions of Prometheus, the same for every release. Counters end in
// `_total`, times in ms become seconds, sums and counts become summaries. `promtool check metrics`
// accepts the result.

import { parseJavaNumber } from '../../fourlw/base/java-number.js';
import { ADVANCED_SUMMARIES, BASIC_SUMMARIES, COUNTERS } from '../../fourlw/base/mntr-keys.js';
import { type ParsedMntr, summaryPart } from '../../fourlw/mntr.js';
import { type Member, metricsOf } from '../ensemble/member.js';

/** One line: `<name><suffix>{<labels>} <value>`. */
export interface Sample {
  /** `_sum` or `_count` for parts of a summary. */
  readonly suffix: string;
  /** Escaped: `server="a:1",role="leader"`. */
  readonly labels: string;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** mntr calls these gauges counts. All others with such a name are counters. */
const GAUGES: Readonly<Record<string, string>> = {
  ephemerals_count: 'ephemerals',
  znode_count: 'znodes',
  watch_count: 'watches',
  open_file_descriptor_count: 'open_file_descriptors',
  max_file_descriptor_count: 'max_file_descriptors',
  non_mtls_remote_conn_count: 'non_mtls_remote_connections',
  non_mtls_local_conn_count: 'non_mtls_local_connections',
};

const PARTS_OF_SUMMARIES = /^(avg|min|max|cnt|sum|p\d+)_/;
/** These gauges are not parts of a summary, despite their names. */
const LIFETIME = /^(avg|min|max)_(latency|client_response_size|proposal_size)$/;
const QUANTILES = { p50: '0.5', p95: '0.95', p99: '0.99' } as const;

/** Every number of mntr, except keys that contain names of users' znodes. */
export function metricFamilies(members: readonly Member[]): readonly Family[] {
  const families = new Map<string, { type: Family['type']; help: string; samples: Sample[] }>();
  const add = (name: string, type: Family['type'], help: string, samples: readonly Sample[]) => {
    if (samples.length === 0) return;
    const family = families.get(name) ?? { type, help, samples: [] };
    family.samples.push(...samples);
    families.set(name, family);
  };
  for (const member of members) {
    const metrics = metricsOf(member);
    if (metrics === undefined) continue;
    const labels = `server="${escapeLabel(member.server)}"`;
    for (const [key, text] of metrics.values) {
      const value = parseJavaNumber(text);
      const plain = plainName(key, metrics);
      if (plain === undefined || value === undefined) continue;
      const help = `The value of ${key} in mntr.`;
      add(plain.name, plain.type, help, [{ suffix: '', labels, value }]);
    }
    for (const summary of [...BASIC_SUMMARIES, ...ADVANCED_SUMMARIES]) {
      addSummary(add, metrics, summary, labels);
    }
  }
  return [...families].map(([name, family]) => ({ name, ...family }));
}

/** Undefined for a part of a summary. */
export function plainName(
  key: string,
  { values }: Pick<ParsedMntr, 'values'>,
): { readonly name: string; readonly type: 'gauge' | 'counter' } | undefined {
  if (!/^[a-z][a-z0-9_]*$/.test(key) || key.endsWith('_per_namespace')) return undefined;
  const gauge = GAUGES[key];
  if (gauge !== undefined) return { name: `zk_${gauge}`, type: 'gauge' };
  if (LIFETIME.test(key)) return { name: `zk_${key}`, type: 'gauge' };
  // `x_sum` and `x_count` of the Prometheus provider; a plain counter has no such sum.
  const base = key.replace(/_(sum|count|avg)$/, '');
  const isOfSummary = base !== key && values.has(`${base}_sum`);
  if (PARTS_OF_SUMMARIES.test(key) || isOfSummary || key.endsWith('_ms')) return undefined;
  if (isCounter(key)) return { name: `zk_${key.replace(/_total$/, '')}_total`, type: 'counter' };
  return { name: `zk_${key}`, type: 'gauge' };
}

const COUNTER_KEYS: ReadonlySet<string> = new Set(COUNTERS);

function isCounter(key: string): boolean {
  return COUNTER_KEYS.has(key) || /_(count|total)$/.test(key) || key.startsWith('op_count_');
}

/** The factor converts to the values of mntr. */
export function summaryName(key: string): { readonly name: string; readonly factor: number } {
  const isTimed = key.endsWith('_ms');
  return {
    name: `zk_${isTimed ? key.replace(/_ms$/, '_seconds') : key}`,
    factor: isTimed ? 1000 : 1,
  };
}

type Add = (name: string, type: Family['type'], help: string, samples: readonly Sample[]) => void;

function addSummary(add: Add, metrics: ParsedMntr, key: string, labels: string): void {
  const part = (name: Parameters<typeof summaryPart>[2]) => summaryPart(metrics, key, name);
  const { name, factor } = summaryName(key);
  const isTimed = factor !== 1;
  const inUnit = (value: number) => value / factor;
  const sample = (suffix: string, value: number | undefined, more = ''): Sample[] =>
    value === undefined ? [] : [{ suffix, labels: `${labels}${more}`, value }];
  const unit = isTimed ? ', in seconds' : '';
  const [sum, count, max] = [part('sum'), part('cnt'), part('max')];
  if (sum === undefined || count === undefined) return;
  const quantiles = Object.entries(QUANTILES).flatMap(([short, quantile]) => {
    const value = part(short as keyof typeof QUANTILES);
    return value === undefined ? [] : sample('', inUnit(value), `,quantile="${quantile}"`);
  });
  add(name, 'summary', `The value of ${key} in mntr${unit}.`, [
    ...quantiles,
    ...sample('_sum', inUnit(sum)),
    ...sample('_count', count),
  ]);
  const worst = isTimed ? name.replace(/_seconds$/, '_max_seconds') : `${name}_max`;
  add(
    worst,
    'gauge',
    `The maximum of ${key}${unit}.`,
    sample('', max === undefined ? max : inUnit(max)),
  );
}

export function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, text]) => `${key}="${escapeLabel(text)}"`)
    .join(',');
}

/** The text exposition format; "" for a family without samples. */
export function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(
    ({ suffix, labels, value }) =>
      `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Prometheus writes `+Inf`. */
function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
