// The pane of background watches above the line. When the last watch ends, the pane closes and its
// rows move to the scrollback.

import { counted } from '../commands/program/counted.js';
import { textWidth, truncate } from '../commands/terminal/text-width.js';
import { safeLine } from '../protocol/sanitize.js';
import type { Span, Tone } from './terminal/theme.js';

export interface WatchPane {
  /** Names such as "/app -R"; empty without a pane. */
  readonly watches: readonly string[];
  readonly rows: readonly Span[];
  readonly dropped: number;
  readonly changes: number;
  /** Rows between the view and the newest row. */
  readonly scroll: number;
}

export const NO_PANE: WatchPane = { watches: [], rows: [], dropped: 0, changes: 0, scroll: 0 };

const MAX_ROWS = 2000;
const SCROLL_ROWS = 5;

export function beginWatch(pane: WatchPane, name: string): WatchPane {
  return { ...pane, watches: [...pane.watches, name] };
}

export function endWatch(pane: WatchPane, name: string): WatchPane {
  return { ...pane, watches: pane.watches.filter((other) => other !== name) };
}

export function addWatchRows(pane: WatchPane, rows: readonly Span[], changes: number): WatchPane {
  const all = [...pane.rows, ...rows];
  const kept = all.slice(-MAX_ROWS);
  return {
    ...pane,
    rows: kept,
    dropped: pane.dropped + all.length - kept.length,
    changes: pane.changes + changes,
    // While scrolled back, keep the same rows in view.
    scroll: pane.scroll === 0 ? 0 : Math.min(pane.scroll + rows.length, kept.length),
  };
}

/** @param step 1 toward older rows, -1 toward newer ones */
export function scrollPane(pane: WatchPane, step: 1 | -1): WatchPane {
  const scroll = pane.scroll + step * SCROLL_ROWS;
  return { ...pane, scroll: Math.max(0, Math.min(scroll, pane.rows.length - 1)) };
}

export function leftovers(pane: WatchPane): readonly Span[] {
  const { dropped, rows } = pane;
  if (dropped === 0) return rows;
  return [{ text: `… ${dropped} earlier rows dropped`, tone: 'dim' }, ...rows];
}

export function paneHeight(pane: WatchPane, maxRows: number): number {
  return pane.watches.length === 0 ? 0 : Math.max(0, Math.min(pane.rows.length + 1, maxRows));
}

export function paneRows(pane: WatchPane, columns: number, height: number): readonly Span[][] {
  if (height < 1) return [];
  const end = Math.max(pane.rows.length - pane.scroll, height - 1);
  const shown = pane.rows.slice(end - (height - 1), end);
  const isBack = end < pane.rows.length;
  const hidden = pane.rows.length > shown.length;
  const hint = isBack ? 'PageDown scrolls down' : hidden ? 'PageUp scrolls up' : '';
  const changes = counted(pane.changes, 'change');
  const title = [`watching ${pane.watches.join(', ')}`, changes, hint].filter(Boolean).join(' · ');
  return [
    [{ text: rule(title, columns), tone: isBack ? 'busy' : 'dim' }],
    ...shown.map(({ text, tone }): Span[] => [{ text: truncate(drawn(text), columns), tone }]),
  ];
}

function rule(title: string, columns: number): string {
  const text = truncate(`── ${drawn(title)} `, columns);
  return text + '─'.repeat(Math.max(0, columns - textWidth(text)));
}

function drawn(text: string): string {
  return safeLine(text.replaceAll('\t', '  '));
}

const TONES: Readonly<Record<string, Tone>> = { '-': 'bad', '+': 'good', '…': 'dim', ' ': 'dim' };

/** @param time shown before each event */
export function rowsOf(text: string, time?: string): readonly Span[] {
  const start = time === undefined ? '' : `${time} `;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((row) =>
      row.startsWith('  ')
        ? { text: row, tone: TONES[row[2] ?? ''] ?? 'plain' }
        : { text: `${start}${row}`, tone: 'event' },
    );
}
