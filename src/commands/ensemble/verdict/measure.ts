// Reads the values that thresholds.ts names. Pure: the earlier poll is an argument.

import { metricOf, type ParsedMntr, summaryPart } from '../../../fourlw/mntr.js';
import { zxidCounter } from '../../../protocol/zxid.js';
import { type Member, metricsOf } from '../member.js';
import { OPERATION_PREFIX } from '../rates.js';
import { countersSince, type Sample } from '../sample.js';
import { lagOf, statusOf } from '../status.js';
import type { Reading } from './threshold.js';
import { THRESHOLDS } from './thresholds.js';

export interface MeasureContext {
  readonly members: readonly Member[];
  readonly timeMs: number;
  /** By `host:port`. */
  readonly earlier: ReadonlyMap<string, Sample>;
}

const ZXIDS_OF_AN_EPOCH = 2 ** 32;
const DAY_MS = 86_400_000;

/** Undefined if unknown, such as an increase after a restart or `srst`. */
export function measure(
  reading: Reading,
  member: Member,
  context: MeasureContext,
): number | undefined {
  const metrics = metricsOf(member);
  const earlier = context.earlier.get(member.server);
  const counters = countersSince(earlier, metrics && metricOf(metrics, 'uptime'));
  switch (reading.kind) {
    case 'gauge':
      return metrics && finite(metricOf(metrics, reading.key));
    case 'peak':
      return metrics && peakOf(metrics, reading.summary, counters);
    case 'ratio':
      return metrics && percent(metricOf(metrics, reading.key), metricOf(metrics, reading.of));
    case 'increase':
      return metrics && growth(metricOf(metrics, reading.key), counters[reading.key]);
    case 'mean':
      return metrics && meanOf(metrics, reading.summary, counters);
    case 'rate': {
      const seconds = earlier && (context.timeMs - earlier.timeMs) / 1000;
      const name = `sum_${reading.summary}`;
      const grown = metrics && growth(summaryPart(metrics, reading.summary, 'sum'), counters[name]);
      return grown !== undefined && seconds ? grown / seconds : undefined;
    }
    case 'p99':
      return metrics && finite(summaryPart(metrics, reading.summary, 'p99'));
    case 'lag': {
      const lag = lagOf(member, context.members);
      return lag === undefined ? undefined : Number(lag);
    }
    case 'zxid-used':
      return percent(counterOf(member), ZXIDS_OF_AN_EPOCH);
    case 'zxid-days':
      return daysLeft(member, earlier, context.timeMs);
    case 'certificate-days': {
      const until = member.certificateEndsMs;
      return until === undefined ? undefined : Math.floor((until - context.timeMs) / DAY_MS);
    }
  }
}

/**
 * Whether the member reports what the reading needs, even if a mean without events is unknown. True
 * without any mntr, because that is a finding of its own.
 */
export function hasFigure(reading: Reading, member: Member): boolean {
  const metrics = metricsOf(member);
  if (reading.kind === 'certificate-days') return member.certificateEndsMs !== undefined;
  if (metrics === undefined || !('key' in reading || 'summary' in reading)) return true;
  if ('key' in reading) {
    const keys = reading.kind === 'ratio' ? [reading.key, reading.of] : [reading.key];
    return keys.every((key) => (finite(metricOf(metrics, key)) ?? -1) >= 0);
  }
  const parts = ['sum', 'avg', 'p99', 'max'] as const;
  const isSummary = parts.some((part) => summaryPart(metrics, reading.summary, part) !== undefined);
  return isSummary || metricOf(metrics, `last_${reading.summary}`) !== undefined;
}

/** The values that the next poll needs. */
export function sampleOf(member: Member, timeMs: number): Sample {
  const metrics = metricsOf(member);
  const counters: Record<string, number> = {};
  for (const [name, value] of metrics === undefined ? [] : countersOf(metrics)) {
    if (value !== undefined && Number.isFinite(value)) counters[name] = value;
  }
  const { zxid } = statusOf(member);
  return { timeMs, counters, zxid, uptimeMs: metrics && metricOf(metrics, 'uptime') };
}

export function samplesOf(members: readonly Member[], timeMs: number): ReadonlyMap<string, Sample> {
  return new Map(members.map((member) => [member.server, sampleOf(member, timeMs)]));
}

type NamedValue = readonly [name: string, value: number | undefined];

/** Under the names of the default provider. */
function countersOf(metrics: ParsedMntr): readonly NamedValue[] {
  const operations = [...metrics.values.keys()].filter((key) => key.startsWith(OPERATION_PREFIX));
  const plain = ['packets_received', 'packets_sent', ...operations];
  const ofLimits = THRESHOLDS.flatMap(({ reading }): readonly NamedValue[] => {
    if (reading.kind === 'increase') return [[reading.key, metricOf(metrics, reading.key)]];
    if (reading.kind === 'peak') {
      const name = `max_${reading.summary}`;
      return [[name, metricOf(metrics, name)]];
    }
    if (reading.kind !== 'mean' && reading.kind !== 'rate') return [];
    return (['sum', 'cnt'] as const).map((part) => [
      `${part}_${reading.summary}`,
      summaryPart(metrics, reading.summary, part),
    ]);
  });
  return [
    ...plain.map((name): NamedValue => [name.replace(/_total$/, ''), metricOf(metrics, name)]),
    ...ofLimits,
  ];
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function percent(value: number | undefined, of: number | undefined): number | undefined {
  if (value === undefined || of === undefined || value < 0 || of <= 0) return undefined;
  return Number(((100 * value) / of).toFixed(1));
}

function growth(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || now < before) return undefined;
  return finite(now - before);
}

function peakOf(
  metrics: ParsedMntr,
  summary: string,
  counters: Sample['counters'],
): number | undefined {
  const [largest, last] = (['max', 'last'] as const).map((part) =>
    metricOf(metrics, `${part}_${summary}`),
  );
  const hasGrown = (growth(largest, counters[`max_${summary}`]) ?? 0) > 0;
  return finite(hasGrown ? largest : last);
}

function meanOf(
  metrics: ParsedMntr,
  summary: string,
  counters: Sample['counters'],
): number | undefined {
  const [sum, count] = (['sum', 'cnt'] as const).map((part) => {
    const now = summaryPart(metrics, summary, part);
    return growth(now, counters[`${part}_${summary}`]);
  });
  if (sum !== undefined && count !== undefined) return count === 0 ? undefined : sum / count;
  return finite(summaryPart(metrics, summary, 'avg'));
}

function counterOf(member: Member): number | undefined {
  const { zxid } = statusOf(member);
  return zxid === undefined ? undefined : zxidCounter(zxid);
}

function daysLeft(member: Member, earlier: Sample | undefined, timeMs: number): number | undefined {
  const { zxid } = statusOf(member);
  if (zxid === undefined || earlier?.zxid === undefined) return undefined;
  const txns = Number(zxid - earlier.zxid);
  const elapsedMs = timeMs - earlier.timeMs;
  // The counter restarts in a new epoch. Without a write, the rate is unknown.
  if (zxid >> 32n !== earlier.zxid >> 32n || txns <= 0 || elapsedMs <= 0) return undefined;
  const left = ZXIDS_OF_AN_EPOCH - zxidCounter(zxid);
  return Number((left / (txns / elapsedMs) / DAY_MS).toFixed(1));
}
