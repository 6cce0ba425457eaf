const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * As Java's Date.toString. Servers always show UTC, so that machines do not differ.
 * @param epochMs in another zone, with its offset added
 */
export function formatJavaDate(epochMs: number, zone = 'UTC'): string {
  const date = new Date(epochMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${day} ${time} ${zone} ${String(date.getUTCFullYear()).padStart(4, '0')}`;
}
