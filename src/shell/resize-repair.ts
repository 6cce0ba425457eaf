// A terminal that becomes narrower folds the rows that stand on it, the live ones too, and Ink then
// erases as many rows as it drew, not as many as there are now: the rest would stay as debris.
// Terminals that cut rows instead of folding them (plain xterm) may lose a row or two above.

/** What Ink drew last. */
export interface Frame {
  /** The columns each row took. */
  readonly widths: readonly number[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/**
 * What to write before Ink hears of the new width: it erases the folded rows, makes room for as
 * many as Ink believes in, and puts the cursor where Ink believes it to be.
 */
export function repairAfterResize({ widths, cursor }: Frame, columns: number): string {
  const above = widths.slice(0, cursor.y).reduce((sum, width) => sum + folded(width, columns), 0);
  const up = above + Math.floor(cursor.x / columns);
  const down = widths.length;
  return [
    up > 0 ? `\x1b[${up}A` : '',
    '\r\x1b[J',
    '\n'.repeat(down),
    `\x1b[${down - cursor.y}A`,
    `\x1b[${cursor.x + 1}G`,
  ].join('');
}

function folded(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
