/**
 * "2026-11-21T07:20:43.000Z", the one form of dates, or the number if it is out of range. Undefined
 * for 0: the root, which no txn created, is not of 1970.
 */
export function isoTime(ms: bigint): string | undefined {
  if (ms === 0n) return undefined;
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
