import { formatJavaDate } from '../../fourlw/base/java-date.js';

/** "Sat Nov 21 07:20:43 UTC 2026", in the local zone; out of range, the number. */
export function formatLocalDate(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return formatJavaDate(date.getTime() - date.getTimezoneOffset() * 60_000, zoneName(date));
}

// Each locale has short zone names for its region, and "GMT+1" for others.
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA'];

function zoneName(date: Date): string {
  // Intl takes milliseconds to load, and most servers use UTC.
  if (date.getTimezoneOffset() === 0 && date.toString().includes('Coordinated Universal Time')) {
    return 'UTC';
  }
  let name = 'GMT';
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(date);
    name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? name;
    if (!/^GMT[+-]/.test(name)) break;
  }
  return name;
}
