import { once } from 'node:events';
import { parseJavaNumber } from '../../../fourlw/base/java-number.js';
import { parseListenAddress } from '../../ensemble/listen-address.js';
import { metricsOf } from '../../ensemble/member.js';
import type { Sample } from '../../ensemble/sample.js';
import { UsageError } from '../../ensemble/usage-error.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { LimitChange } from '../../ensemble/verdict/limits.js';
import { readLimits } from '../../ensemble/verdict/limits-file.js';
import { samplesOf } from '../../ensemble/verdict/measure.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import { runVerb } from '../../ensemble/verdict/run.js';
import { TIME_OPTIONS } from '../calls/options.js';
import { serviceOptions } from '../calls/service-options.js';
import type { Report, ReportRow, Task, TaskCall } from '../calls/task.js';
import { timeoutOf } from '../probes/ask-members.js';
import { opsToProm } from '../render/ops-prom.js';
import { escapeLabel, familyText } from '../render/prom-family.js';
import { check } from '../verbs/check.js';
import { dashboardText } from './dashboard.js';
import { rulesText } from './rules.js';
import { serveMetrics } from './serve.js';

// One poll for each scrape. Concurrent scrapes share a poll, and a scrape within `minAgeMs` gets
// the previous one. So members are not asked more often than configured.

export interface ScrapeOptions {
  readonly limits: readonly LimitChange[];
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly minAgeMs: number;
  /** Also exports mntr's names, for dashboards of other exporters. */
  readonly hasOldNames: boolean;
}

class Scraper {
  private readonly call: TaskCall;
  private readonly options: ScrapeOptions;
  private earlier: ReadonlyMap<string, Sample> = new Map();
  private running: Promise<string> | undefined;
  private last: { readonly text: string; readonly at: number } | undefined;

  constructor(call: TaskCall, options: ScrapeOptions) {
    this.call = call;
    this.options = options;
  }

  /** Never rejects because of a member. */
  scrape(): Promise<string> {
    const { last } = this;
    if (last !== undefined && performance.now() - last.at < this.options.minAgeMs) {
      return Promise.resolve(last.text);
    }
    this.running ??= this.poll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async poll(): Promise<string> {
    const { call, options } = this;
    const startedAt = performance.now();
    const { limits, timeoutMs, deadlineMs, hasOldNames } = options;
    const run = serviceOptions(call, { limits, timeoutMs, deadlineMs, confirmMs: 1 });
    const result = await runVerb(check, call.members, { ...run, earlier: this.earlier });
    this.earlier = samplesOf(result.members, result.timeMs);
    const seconds = (performance.now() - startedAt) / 1000;
    const text = [
      opsToProm(result),
      hasOldNames ? oldNames(result) : '',
      familyText({
        name: 'zkops_scrape_duration_seconds',
        type: 'gauge',
        help: 'How long asking all members took.',
        samples: [{ suffix: '', labels: '', value: seconds }],
      }),
    ].join('');
    this.last = { text, at: performance.now() };
    return text;
  }
}

/** Every number of mntr under its name, unless it is a new name, too. */
function oldNames(result: OpsResult): string {
  const known = new Set(
    [...opsToProm(result).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name),
  );
  const lines = new Map<string, string[]>();
  for (const member of result.members) {
    for (const [key, text] of metricsOf(member)?.values ?? []) {
      const value = parseJavaNumber(text);
      const name = `zk_${key}`;
      const isPlain = /^[a-z][a-z0-9_]*$/.test(key) && !key.endsWith('_per_namespace');
      if (value === undefined || !isPlain || known.has(name)) continue;
      const line = `${name}{server="${escapeLabel(member.server)}"} ${value}\n`;
      lines.set(name, [...(lines.get(name) ?? []), line]);
    }
  }
  return [...lines]
    .map(([name, samples]) => `# TYPE ${name} untyped\n${samples.join('')}`)
    .join('');
}

const DEFAULT_LISTEN = '127.0.0.1:9141';
const DEFAULT_MIN_AGE_MS = 1000;

function documentOf(text: string): Report {
  const verdict = concludeFrom([], '');
  return { columns: [], rows: [], document: text, finish: () => ({ verdict }) };
}

function listenAddress(call: TaskCall): { readonly host: string; readonly port: number } {
  try {
    return parseListenAddress(call.text('listen') ?? DEFAULT_LISTEN);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--listen: ${why}`, undefined, { cause });
  }
}

async function exporter(call: TaskCall): Promise<Report> {
  const file = call.text('limits');
  const limits = readLimits(file === undefined ? {} : { limits: file });
  if (call.has('rules')) return documentOf(rulesText(limits));
  if (call.has('dashboard')) return documentOf(dashboardText(limits));
  const scraper = new Scraper(call, {
    limits,
    timeoutMs: timeoutOf(call),
    deadlineMs: call.number('deadline') ?? 10_000,
    minAgeMs: call.number('min-age') ?? DEFAULT_MIN_AGE_MS,
    hasOldNames: call.has('old-names'),
  });
  if (call.has('once')) return documentOf(await scraper.scrape());
  if (call.text('out') !== undefined) throw new UsageError('--out: needs --once');
  const endpoint = await serveMetrics(listenAddress(call), () => scraper.scrape());
  async function* rows(): AsyncGenerator<ReportRow[], void, undefined> {
    try {
      yield [[endpoint.url, call.members.length]];
      if (!call.signal.aborted) await once(call.signal, 'abort');
    } finally {
      await endpoint.close();
    }
  }
  return {
    columns: [
      { title: 'LISTENING AT', key: 'url' },
      { title: 'MEMBERS', key: 'members' },
    ],
    rows: rows(),
    isEndless: true,
    isPlain: true,
    isService: true,
    finish: () => ({ verdict: concludeFrom([], 'stopped') }),
  };
}

export const exporterTask: Task = {
  name: 'exporter',
  options: [
    ['--listen <host:port>', 'address and port for /metrics', 'text', DEFAULT_LISTEN],
    ['--once', 'print the metrics and exit'],
    ['--rules', 'print alert rules for Prometheus, and query no member'],
    ['--dashboard', 'print a dashboard for Grafana, and query no member'],
    ['--limits <file>', 'file of limits: [warn] and [crit], name = limit'],
    ['--old-names', "also serve the metrics under mntr's own names"],
    ['--min-age <time>', 'minimum time between two queries', 'ms', DEFAULT_MIN_AGE_MS],
    ...TIME_OPTIONS,
  ],
  hasMembers: true,
  changesEnsemble: false,
  isListing: true,
  run: exporter,
};
