/** "2026-11-21T07:20:43.000Z", or a number out of range. Undefined for 0, the time of the root. */
export function isoTime(ms: bigint | number): string | undefined {
  if (Number(ms) === 0) return undefined;
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
