import { textWidth, truncate } from '../../commands/terminal/text-width.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { Span } from '../terminal/theme.js';

const GAP = '  ';

/** Equal columns, filled from top to bottom. If names do not fit, the last row has their number. */
export function menuRows(
  names: readonly string[],
  columns: number,
  maxRows: number,
): readonly Span[][] {
  return menuLines(names, columns, maxRows).map((text) => [{ text, tone: 'plain' }]);
}

function menuLines(names: readonly string[], columns: number, maxRows: number): readonly string[] {
  if (names.length === 0 || maxRows < 1) return [];
  // More names never fit.
  const shown = names.slice(0, columns * maxRows).map((name) => truncate(drawn(name), columns));
  const width = shown.reduce((widest, name) => Math.max(widest, textWidth(name)), 1);
  const across = Math.max(1, Math.floor((columns + GAP.length) / (width + GAP.length)));
  const fitting = across * maxRows;
  if (names.length > fitting) {
    const kept = across * (maxRows - 1);
    const rest = `… and ${names.length - kept} more`;
    return [...grid(shown.slice(0, kept), width, across), truncate(rest, columns)];
  }
  return grid(shown, width, across);
}

function grid(names: readonly string[], width: number, across: number): readonly string[] {
  const down = Math.ceil(names.length / across);
  return Array.from({ length: down }, (_, row) =>
    names
      .filter((_name, index) => index % down === row)
      .map((name) => name + ' '.repeat(width - textWidth(name)))
      .join(GAP)
      .trimEnd(),
  );
}

function drawn(name: string): string {
  return safeLine(name);
}
