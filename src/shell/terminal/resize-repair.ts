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
  const above = sum(widths.slice(0, cursor.y).map((width) => folded(width, columns)));
  const up = above + Math.floor(cursor.x / columns);
  const all = sum(widths.map((width) => folded(width, columns)));
  const down = widths.length;
  return [
    moveUp(up),
    '\r',
    // Row by row: tmux keeps what is erased from the top of the screen to its end in its
    // scrollback.
    '\x1b[2K\x1b[1B'.repeat(all - 1),
    '\x1b[2K',
    moveUp(all - 1),
    '\n'.repeat(down),
    moveUp(down - cursor.y),
    `\x1b[${cursor.x + 1}G`,
  ].join('');
}

function moveUp(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function folded(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
