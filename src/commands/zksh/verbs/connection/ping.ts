import { setTimeout } from 'node:timers/promises';
import { meanOf, percentile } from '../../../ensemble/percentile.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const ping = defineCommand({
  name: 'ping',
  group: 'session',
  summary: 'Measure the round-trip time to the server',
  description:
    'Sends exists requests for the root, which the server answers without the leader. Times are in milliseconds. --histogram prints the distribution instead of each time.',
  options: {
    count: {
      letter: 'c',
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'the number of requests; default 5',
    },
    every: {
      kind: 'duration',
      valueName: 'TIME',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'pause between requests: 50ms, 1s; default 200ms',
    },
    histogram: { letter: 'H', summary: 'print a histogram instead of each time' },
  },
  args: {},
  examples: [
    { line: 'ping -c 20 --every 0', summary: 'Send twenty requests without a pause' },
    { line: 'ping -c 1000 --every 0 -H', summary: 'Show the distribution of 1000 requests' },
  ],
  async run(context, { options }): Promise<Result> {
    const { count = 5, every = 200, histogram: isHistogram } = options;
    const { client, signal, session } = context;
    const times: number[] = [];
    try {
      for (let round = 0; round < count; round++) {
        if (round > 0 && every > 0) await setTimeout(every, undefined, { signal });
        signal.throwIfAborted();
        const start = performance.now();
        await client.exists('/');
        const elapsedMs = milliseconds(performance.now() - start);
        times.push(elapsedMs);
        if (isHistogram) {
          context.progress?.({ done: 'answered', count: times.length, total: count });
          continue;
        }
        const server = client.server ?? session.target;
        const text = `${server} answered in ${elapsedMs} ms`;
        await context.emit({ kind: 'message', text, fields: { server, elapsedMs } });
      }
    } finally {
      context.progress?.(undefined);
    }
    if (isHistogram) await context.emit(histogramOf(times));
    return summaryOf(times);
  },
});

function summaryOf(times: readonly number[]): Result {
  const sorted = times.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  const avg = milliseconds(meanOf(sorted));
  const [p50, p95, p99] = [
    percentile(sorted, 0.5),
    percentile(sorted, 0.95),
    percentile(sorted, 0.99),
  ];
  return {
    kind: 'message',
    text: `${times.length} answered, min/avg/max ${min}/${avg}/${max} ms, p50/p95/p99 ${p50}/${p95}/${p99} ms`,
    fields: {
      count: times.length,
      minMs: min,
      avgMs: avg,
      maxMs: max,
      p50Ms: p50,
      p95Ms: p95,
      p99Ms: p99,
    },
  };
}

const BAR_LENGTH = 40;

/** Bounds are 1, 2, and 5 times powers of ten. */
export function histogramOf(times: readonly number[]): Result {
  const counts = new Map<number, number>();
  for (const time of times) {
    const bound = boundOf(time);
    counts.set(bound, (counts.get(bound) ?? 0) + 1);
  }
  const [first = 0, last = 0] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  const buckets: { readonly upToMs: number; readonly count: number }[] = [];
  // Include empty buckets between others.
  for (let bound = first; bound <= last; bound = boundOf(bound * 1.01)) {
    buckets.push({ upToMs: bound, count: counts.get(bound) ?? 0 });
  }
  const most = Math.max(...counts.values());
  const lines = buckets.map(({ upToMs, count }) => {
    const bar = '#'.repeat(Math.ceil((count / most) * BAR_LENGTH));
    return `<= ${`${upToMs}`.padStart(6)} ms  ${`${count}`.padStart(8)}  ${bar}`.trimEnd();
  });
  return { kind: 'message', text: lines.join('\n'), fields: { buckets } };
}

/** The lowest bound that is not less than the time. */
function boundOf(time: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(time, 0.001)));
  const factor = [1, 2, 5].find((each) => time <= each * power * 1.000001) ?? 10;
  return milliseconds(factor * power);
}

function milliseconds(time: number): number {
  return Number(time.toFixed(3));
}
