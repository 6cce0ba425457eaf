const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "Sat Nov 21 07:20:43 UTC 2026", in the local zone; out of range, the number. */
export function formatJavaDate(time: bigint): string {
  const date = new Date(Number(time));
  if (Number.isNaN(date.getTime())) return String(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  const day = `${DAYS[date.getDay()]} ${MONTHS[date.getMonth()]} ${two(date.getDate())}`;
  return `${day} ${clock} ${zoneName(date)} ${String(date.getFullYear()).padStart(4, '0')}`;
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
