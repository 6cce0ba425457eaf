import { textWidth } from './text-width.js';

export interface TableCell {
  readonly text: string;
  readonly isRight: boolean;
  readonly paint?: (text: string) => string;
}

export const GAP = 2;

/** Rows under a heading: two blanks between columns, no lines, no trailing blanks. */
export function drawTable(
  titles: readonly TableCell[],
  rows: readonly (readonly TableCell[])[],
): string {
  const lines = [titles, ...rows];
  const widths = columnWidths(lines);
  return lines.map((line) => drawLine(line, widths)).join('');
}

export function columnWidths(lines: readonly (readonly TableCell[])[]): number[] {
  const columns = lines[0] ?? [];
  return columns.map((_, at) =>
    lines.reduce((most, line) => Math.max(most, textWidth(line[at]?.text ?? '')), 0),
  );
}

/** Without colors. */
export function tableWidth(table: string): number {
  return table.split('\n').reduce((most, line) => Math.max(most, textWidth(line)), 0);
}

export function drawLine(cells: readonly TableCell[], widths: readonly number[]): string {
  return `${alignCells(cells, widths).join(' '.repeat(GAP)).trimEnd()}\n`;
}

function alignCells(cells: readonly TableCell[], widths: readonly number[]): string[] {
  return cells.map(({ text, isRight, paint }, at) => {
    const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - textWidth(text)));
    const painted = paint === undefined ? text : paint(text);
    return isRight ? blanks + painted : painted + blanks;
  });
}
