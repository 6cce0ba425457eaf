// A terminal that becomes narrower wraps its rows, but Ink erases only as many rows as it drew. A
// terminal that cuts rows instead (plain xterm) may lose one or two rows above.

export interface Frame {
  /** In columns. */
  readonly widths: readonly number[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/**
 * Escape sequences to write before Ink handles the new width: they erase the wrapped rows, and move
 * the cursor and the room for rows to where Ink expects them.
 */
export function repairAfterResize({ widths, cursor }: Frame, columns: number): string {
  const above = sum(widths.slice(0, cursor.y).map((width) => folded(width, columns)));
  const up = above + Math.floor(cursor.x / columns);
  const all = sum(widths.map((width) => folded(width, columns)));
  const down = widths.length;
  return [
    moveUp(up),
    '\r',
    // Erase row by row: tmux copies a screen that is erased from its top to the scrollback.
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
