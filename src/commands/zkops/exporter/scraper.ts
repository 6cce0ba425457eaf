// One poll for each scrape. Concurrent scrapes share a poll, and a scrape within `minAgeMs` gets
// the previous one. So members are not asked more often than configured.

import { parseJavaNumber } from '../../../fourlw/base/java-number.js';
import { metricsOf } from '../../ensemble/member.js';
import type { Sample } from '../../ensemble/sample.js';
import type { LimitChange } from '../../ensemble/verdict/limits.js';
import { samplesOf } from '../../ensemble/verdict/measure.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import { runVerb } from '../../ensemble/verdict/run.js';
import { membersToProm } from '../../results/prom.js';
import { escapeLabel, familyText } from '../../results/prom-metrics.js';
import { serviceOptions } from '../calls/service-options.js';
import type { TaskCall } from '../calls/task.js';
import { check } from '../verbs/check.js';

export interface ScrapeOptions {
  readonly limits: readonly LimitChange[];
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly minAgeMs: number;
  /** Also exports mntr's names, for dashboards of other exporters. */
  readonly hasOldNames: boolean;
}

export class Scraper {
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
      membersToProm(result),
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
    [...membersToProm(result).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name),
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
