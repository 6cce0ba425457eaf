/** What a history must not show. Each judge returns one sentence for each problem. */
import type { Done, Event, History, Hold, Put } from './history.js';

/** Finds moments with more than `limit` holders. */
export function judgeHolds(history: History, what: string, limit = 1): string[] {
  const holds = history.filter((event): event is Hold => isOf(event, 'hold', what));
  const current: Hold[] = [];
  const problems: string[] = [];
  for (const hold of holds.toSorted((a, b) => a.begin - b.begin)) {
    const still = current.filter(({ end }) => end > hold.begin);
    current.splice(0, current.length, ...still, hold);
    if (current.length <= limit) continue;
    problems.push(
      `${what}: ${current.length} holders at ${hold.begin.toFixed(3)} (limit ${limit})`,
    );
  }
  return problems;
}

/**
 * Finds acknowledged items that are gone, items that nobody wrote or that were deleted, and items
 * that are there twice.
 * @param repeats the number of repetitions that a retry of the client explains
 */
export function judgeItems(history: History, what: string, repeats = 0): string[] {
  const puts = history.filter((event): event is Put => isOf(event, 'put', what));
  const found = history
    .filter((event): event is Done => isOf(event, 'done', what))
    .map(({ item }) => item);
  const known = new Set(puts.map(({ item }) => item));
  const done = new Set(found);
  const gone = history.filter((event): event is Put => isOf(event, 'gone', what));
  const mayBeGone = new Set(gone.map(({ item }) => item));
  const lost = puts.filter(({ item, isSure }) => isSure && !done.has(item) && !mayBeGone.has(item));
  const back = gone.filter(({ item, isSure }) => isSure && done.has(item));
  const twice = found.length - done.size;
  return [
    ...lost.map(({ item }) => `${what}: ${item} is lost`),
    ...back.map(({ item }) => `${what}: ${item} is back`),
    ...[...done].filter((item) => !known.has(item)).map((item) => `${what}: nobody wrote ${item}`),
    ...(twice > repeats ? [`${what}: ${twice} items twice (limit ${repeats})`] : []),
  ];
}

/**
 * Compares a counter with the additions.
 * @param repeats the number of further additions that a retry of the client explains
 */
export function judgeCounter(history: History, what: string, repeats = 0): string[] {
  const adds = history.filter((event) => isOf(event, 'add', what) || isOf(event, 'hold', what));
  const sure = adds.filter((event) => !('isSure' in event) || event.isSure).length;
  const values = history.filter((event) => isOf(event, 'value', what));
  const most = adds.length + repeats;
  if (values.length === 0) return [`${what}: nobody read its value`];
  return values.flatMap((event) => {
    const value = 'value' in event ? event.value : Number.NaN;
    const isRight = value >= sure && value <= most;
    return isRight ? [] : [`${what}: the value is ${value} (expected ${sure} to ${most})`];
  });
}

/** The longest time without any of these events. */
export function longestPauseMs(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return sorted.reduce((most, at, i) => Math.max(most, at - (sorted[i - 1] ?? at)), 0);
}

/** Whether a duration exceeds that of Apache's by more than two runs of one server differ. */
export const isWorse = (oursMs: number, apacheMs: number): boolean =>
  oursMs > 1.5 * apacheMs + 2000;

function isOf(event: Event, op: Event['op'], what: string): boolean {
  return event.op === op && 'what' in event && event.what === what;
}
