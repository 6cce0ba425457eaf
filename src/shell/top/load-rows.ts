// `top --by`: who loads the members, in the place of the table of members.

import { shortBytes, shortCount, shortNumber } from '../../commands/ensemble/format.js';
import { parsedOf } from '../../commands/ensemble/member.js';
import { shortNames } from '../../commands/terminal/short-names.js';
import { textWidth } from '../../commands/terminal/text-width.js';
import type { LoadFigures } from '../../fourlw/base/load-view.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { Span } from '../terminal/theme.js';
import type { TopState } from './top-state.js';

/** The figures of one name, of all members together. */
export interface LoadSum extends LoadFigures {
  readonly name: string;
  /** The member with most of its requests. */
  readonly at: string;
}

const GAP = 2;
const MIN_NAME = 12;
const SORTS: Readonly<Record<string, keyof LoadFigures>> = {
  requests_per_second: 'requestsPerSecond',
  bytes_per_second: 'bytesPerSecond',
  watch_count: 'watches',
};

/** From the largest; without a sort column by requests, then bytes. */
export function loadSums({ result, by, filter, sort, isReversed }: TopState): readonly LoadSum[] {
  const sums = new Map<string, LoadSum & { readonly most: number }>();
  for (const member of result?.members ?? []) {
    for (const row of parsedOf(member, 'load')?.rows ?? []) {
      if (row.by !== by) continue;
      const known = sums.get(row.name);
      const isMost = row.requestsPerSecond >= (known?.most ?? 0);
      sums.set(row.name, {
        name: row.name,
        requestsPerSecond: (known?.requestsPerSecond ?? 0) + row.requestsPerSecond,
        bytesPerSecond: (known?.bytesPerSecond ?? 0) + row.bytesPerSecond,
        watches: (known?.watches ?? 0) + row.watches,
        at: isMost || known === undefined ? member.server : known.at,
        most: Math.max(known?.most ?? 0, row.requestsPerSecond),
      });
    }
  }
  const wanted = filter.toLowerCase();
  const shown = [...sums.values()].filter(({ name }) => name.toLowerCase().includes(wanted));
  const key = SORTS[sort ?? ''] ?? 'requestsPerSecond';
  const sign = isReversed ? -1 : 1;
  return shown.sort((a, b) => sign * (b[key] - a[key] || b.bytesPerSecond - a.bytesPerSecond));
}

/** The same form as the table of members. */
export function loadTable(state: TopState, width: number) {
  const sums = loadSums(state);
  const all = sums.reduce((most, { requestsPerSecond }) => Math.max(most, requestsPerSecond), 0);
  const total = Math.max(all, totalOf(state));
  const cells = sums.map((row) => [
    shortNumber(row.requestsPerSecond),
    total === 0 ? '-' : `${Math.round((100 * row.requestsPerSecond) / total)} %`,
    shortBytes(row.bytesPerSecond),
    shortCount(row.watches),
    safeLine(row.at),
  ]);
  const titles = ['REQ/s', 'SHARE', 'BYTES/s', 'WATCH', 'MOST AT'];
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => textWidth(row[at] ?? ''))),
  );
  // The member is the first to go where the terminal is narrow.
  const used = (count: number) => widths.slice(0, count).reduce((sum, one) => sum + one + GAP, 0);
  const columns = width - used(titles.length) >= MIN_NAME ? titles.length : titles.length - 1;
  const heading = (state.by ?? '').toUpperCase();
  const room = Math.max(MIN_NAME, width - used(columns));
  const names = shortNames(
    sums.map(({ name }) => safeLine(name)),
    room,
  );
  const nameWidth = Math.max(heading.length, ...names.map(textWidth));
  const line = (name: string, row: readonly string[]) =>
    `${name}${' '.repeat(Math.max(0, nameWidth - textWidth(name)))}${row
      .slice(0, columns)
      .map((text, at) => `${' '.repeat(GAP)}${pad(text, widths[at] ?? 0, at)}`)
      .join('')}`;
  const spans = (text: string, tone: Span['tone']): readonly Span[] => [{ text, tone }];
  return {
    titles: spans(line(heading, titles), 'command'),
    rows: sums.map((_, at) => spans(line(names[at] ?? '', cells[at] ?? []), 'plain')),
  };
}

/** The last column is a name. */
function pad(text: string, width: number, at: number): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return at === 4 ? text + blanks : blanks + text;
}

function totalOf({ result }: TopState): number {
  return (result?.members ?? []).reduce(
    (sum, member) => sum + (parsedOf(member, 'load')?.total.requestsPerSecond ?? 0),
    0,
  );
}
