// What stands in the pane above the line while watches go on beside it: their latest rows, with a
// title. Pure; when the last watch ends, the rows go to the scrollback and the pane is no more.

import { textWidth, truncate } from '../commands/terminal/text-width.js';
import { safeLine } from '../protocol/sanitize.js';
import type { Span, Tone } from './terminal/theme.js';

export interface WatchPane {
  /** "/app -R", as the watches are called in the title; none when there is no pane. */
  readonly watches: readonly string[];
  /** Oldest first. */
  readonly rows: readonly Span[];
  /** Rows that gave way to newer ones. */
  readonly dropped: number;
  readonly changes: number;
  /** How many rows the view is above the newest. */
  readonly scroll: number;
}

export const NO_PANE: WatchPane = { watches: [], rows: [], dropped: 0, changes: 0, scroll: 0 };

/** Kept to look back at. */
const MAX_ROWS = 2000;
/** By a key. */
const SCROLL_ROWS = 5;

export function beginWatch(pane: WatchPane, name: string): WatchPane {
  return { ...pane, watches: [...pane.watches, name] };
}

export function endWatch(pane: WatchPane, name: string): WatchPane {
  return { ...pane, watches: pane.watches.filter((other) => other !== name) };
}

export function tellWatch(pane: WatchPane, rows: readonly Span[], changes: number): WatchPane {
  const all = [...pane.rows, ...rows];
  const kept = all.slice(-MAX_ROWS);
  return {
    ...pane,
    rows: kept,
    dropped: pane.dropped + all.length - kept.length,
    changes: pane.changes + changes,
    // Who looks back goes on seeing the same rows.
    scroll: pane.scroll === 0 ? 0 : Math.min(pane.scroll + rows.length, kept.length),
  };
}

/** @param step 1 to look further back, -1 for the way to the newest */
export function scrollPane(pane: WatchPane, step: 1 | -1): WatchPane {
  const scroll = pane.scroll + step * SCROLL_ROWS;
  return { ...pane, scroll: Math.max(0, Math.min(scroll, pane.rows.length - 1)) };
}

/** All rows, for the scrollback. */
export function leftovers(pane: WatchPane): readonly Span[] {
  const { dropped, rows } = pane;
  if (dropped === 0) return rows;
  return [{ text: `… ${dropped} earlier rows were not kept`, tone: 'dim' }, ...rows];
}

/** How many rows it takes, of the `maxRows` that it may have. */
export function paneHeight(pane: WatchPane, maxRows: number): number {
  return pane.watches.length === 0 ? 0 : Math.max(0, Math.min(pane.rows.length + 1, maxRows));
}

/** The title and the rows in view, each at most `columns` wide; as many as `height` says. */
export function paneRows(pane: WatchPane, columns: number, height: number): readonly Span[][] {
  if (height < 1) return [];
  const end = Math.max(pane.rows.length - pane.scroll, height - 1);
  const shown = pane.rows.slice(end - (height - 1), end);
  const isBack = end < pane.rows.length;
  const hidden = pane.rows.length > shown.length;
  const hint = isBack ? 'PageDown goes on' : hidden ? 'PageUp looks back' : '';
  const changes = pane.changes === 1 ? '1 change' : `${pane.changes} changes`;
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

/** The text of a change as rows, old values and new ones in their colours. */
export function rowsOf(text: string): readonly Span[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((row) => ({
      text: row,
      tone: row.startsWith('  ') ? (TONES[row[2] ?? ''] ?? 'plain') : 'event',
    }));
}
