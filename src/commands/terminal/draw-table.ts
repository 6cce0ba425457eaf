import { textWidth } from './text-width.js';

export interface TableCell {
  readonly text: string;
  readonly isRight: boolean;
  readonly paint?: (text: string) => string;
}

export const GAP = 2;

/** Rows under a heading, two blanks between the columns, no lines, nothing behind the last. */
export function drawTable(
  titles: readonly TableCell[],
  rows: readonly (readonly TableCell[])[],
): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, at) =>
    lines.reduce((most, line) => Math.max(most, textWidth(line[at]?.text ?? '')), 0),
  );
  return lines.map((line) => drawLine(line, widths)).join('');
}

export function drawLine(cells: readonly TableCell[], widths: readonly number[]): string {
  const drawn = cells.map(({ text, isRight, paint }, at) => {
    const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - textWidth(text)));
    const painted = paint === undefined ? text : paint(text);
    return isRight ? blanks + painted : painted + blanks;
  });
  return `${drawn.join(' '.repeat(GAP)).trimEnd()}\n`;
}
