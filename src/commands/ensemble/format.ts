// Short numbers for tables, with the unit in the heading or after the number.

/** `79.5M`: at most one decimal, in powers of 1000. */
export function shortCount(value: string | number | bigint): string {
  return shorten(Number(value), 1000, ['', 'k', 'M', 'G', 'T']);
}

/** `75.8M`: bytes in powers of 1024. */
export function shortBytes(value: string | number | bigint): string {
  return shorten(Number(value), 1024, ['B', 'K', 'M', 'G', 'T', 'P']);
}

function shorten(value: number, base: number, units: readonly string[]): string {
  if (!Number.isFinite(value)) return String(value);
  let size = value;
  let at = 0;
  // 999.95 would round to 1000.0
  while (Math.abs(size) >= base - 0.05 && at < units.length - 1) {
    size /= base;
    at += 1;
  }
  const isWhole = at === 0 || Math.abs(size) >= 100;
  const text = isWhole ? String(Math.round(size)) : String(Number(size.toFixed(1)));
  return `${text}${units[at] ?? ''}`;
}

/** `13m15s`, `2h05m`, `41d03h`: the two largest units of a time in ms. */
export function shortDuration(value: string | number | bigint): string {
  const seconds = Math.floor(Number(value) / 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  if (!Number.isFinite(seconds)) return String(value);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
  }
  return `${Math.floor(seconds / 86_400)}d${two(Math.floor((seconds % 86_400) / 3600))}h`;
}

/** At most two decimals, and fewer for large numbers. */
export function shortNumber(value: string | number | bigint): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  const decimals = Math.abs(number) >= 100 ? 0 : 2;
  return String(Number(number.toFixed(decimals)));
}
