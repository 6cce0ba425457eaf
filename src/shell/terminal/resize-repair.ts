// A terminal that becomes narrower wraps its rows, but Ink erases only as many rows as it drew, and
// the others would stay visible. Terminals that cut rows instead of wrapping them (plain xterm) may
// lose a row or two above.

/** The last frame of Ink. */
export interface Frame {
  /** The width of each row in columns. */
  readonly widths: readonly number[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/**
 * The escape sequences to write before Ink handles the new width: they erase the wrapped rows, make
 * room for the rows that Ink expects, and move the cursor to the position that Ink expects.
 */
export function repairAfterResize({ widths, cursor }: Frame, columns: number): string {
  const above = sum(widths.slice(0, cursor.y).map((width) => folded(width, columns)));
  const up = above + Math.floor(cursor.x / columns);
  const all = sum(widths.map((width) => folded(width, columns)));
  const down = widths.length;
  return [
    moveUp(up),
    '\r',
    // Erase row by row: tmux would copy a screen that is erased from its top to the scrollback.
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
