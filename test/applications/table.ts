import type { Outcome } from './application.js';

export const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** What happened, in one cell. */
export function cellOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '-';
  const { problems, counts, durations } = outcome;
  return [
    ...(problems.length > 0 ? [`${problems.length} PROBLEMS`] : []),
    ...Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`),
    ...Object.entries(durations).map(([what, ms]) => `${what} ${(ms / 1000).toFixed(1)} s`),
  ].join(', ');
}
