// Rates per second, from two polls. zkops never resets counters, because other programs read them,
// too.

import { countersSince, type Sample } from './sample.js';

export interface Rates {
  /** Packets received from clients and probes. */
  readonly requestsPerSecond: number | undefined;
  /** Txns by the zxid: every member reports those of the whole ensemble. */
  readonly writesPerSecond: number | undefined;
  /** The mean of reads and writes between the polls. */
  readonly latencyMs: number | undefined;
  /** For servers that count operations (3.10): `create`, `get_data`. */
  readonly operationsPerSecond: Readonly<Record<string, number>>;
}

export const OPERATION_PREFIX = 'op_count_';

/** Undefined without elapsed time. A counter that decreased was reset, so its rate is unknown. */
export function ratesOf(now: Sample, before: Sample | undefined): Rates | undefined {
  const seconds = before === undefined ? 0 : (now.timeMs - before.timeMs) / 1000;
  if (before === undefined || seconds <= 0) return undefined;
  const counters = countersSince(before, now.uptimeMs);
  const grown = (name: string): number | undefined => {
    const [to, from] = [now.counters[name], counters[name]];
    return to === undefined || from === undefined || to < from ? undefined : to - from;
  };
  const perSecond = (name: string) => rounded(divide(grown(name), seconds));
  const sum = (part: 'sum' | 'cnt') =>
    add(grown(`${part}_updatelatency`), grown(`${part}_readlatency`));
  const operations = Object.keys(now.counters).flatMap((name) => {
    const value = name.startsWith(OPERATION_PREFIX) ? perSecond(name) : undefined;
    return value === undefined || value === 0
      ? []
      : [[name.slice(OPERATION_PREFIX.length), value] as const];
  });
  return {
    requestsPerSecond: perSecond('packets_received'),
    writesPerSecond: rounded(divide(txns(now.zxid, before.zxid), seconds)),
    latencyMs: rounded(divide(sum('sum'), sum('cnt'))),
    operationsPerSecond: Object.fromEntries(operations),
  };
}

function txns(now: bigint | undefined, before: bigint | undefined): number | undefined {
  if (now === undefined || before === undefined || now < before) return undefined;
  return now >> 32n === before >> 32n ? Number(now - before) : undefined;
}

function add(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

function divide(value: number | undefined, by: number | undefined): number | undefined {
  return value === undefined || !by ? undefined : value / by;
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toFixed(2));
}
