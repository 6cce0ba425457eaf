const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export const DURATION_FORM = 'a number and ms, s, m, h, d, or w: 500ms, 60s, 5m';

/** `2s`, in the largest unit that needs no fraction. */
export function formatDuration(ms: number): string {
  const [unit = 'ms', unitMs = 1] =
    Object.entries(UNITS_MS).findLast(([, each]) => ms > 0 && ms % each === 0) ?? [];
  return `${ms / unitMs}${unit}`;
}

/** `500ms` to `1w` in ms; undefined for other text. @param bareMs ms of a number without a unit */
export function parseDuration(text: string, bareMs?: number): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,15})([a-z]*)$/.exec(text) ?? [];
  const unitMs = unit === '' ? bareMs : UNITS_MS[unit];
  if (digits === '' || unitMs === undefined) return undefined;
  const ms = Number(digits) * unitMs;
  return Number.isSafeInteger(ms) ? ms : undefined;
}
