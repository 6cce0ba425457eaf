import { drawTable, tableWidth } from '../../terminal/draw-table.js';
import { bar } from '../../terminal/progress-line.js';
import type { Column, Row } from './result.js';

/** No borders: a heading and one line for each row; "" without rows. Drops columns to fit. */
export function alignedRows(
  columns: readonly Column[],
  rows: readonly Row[],
  isTerminal: boolean,
  width = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return '';
  return drawFitting(columns, rows, width, (left) => draw(left, rows, isTerminal));
}

/** The table with the columns that fit. @param draw with these columns */
export function drawFitting(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
  draw: (columns: readonly Column[]) => string,
): string {
  for (let left = columns; ; ) {
    const table = draw(left);
    const dropped = tableWidth(table) <= width ? undefined : leastOf(left, rows);
    if (dropped === undefined) return table;
    left = left.filter((column) => column !== dropped);
  }
}

/** Columns without a value first, then those of the highest rank. */
function leastOf(columns: readonly Column[], rows: readonly Row[]): Column | undefined {
  const ranked = columns.filter(({ rank }) => rank !== undefined);
  const empty = ranked.find(({ name }) => rows.every((row) => (row[name] ?? null) === null));
  return empty ?? ranked.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0))[0];
}

function draw(columns: readonly Column[], rows: readonly Row[], isTerminal: boolean): string {
  return drawTable(
    columns.map((column) => ({ text: titleOf(column), isRight: column.isRight === true })),
    rows.map((row) =>
      columns.map((column) => ({
        text: cellOf(column, row, isTerminal),
        isRight: column.isRight === true,
      })),
    ),
  );
}

export function titleOf({ name, title }: Column): string {
  return title ?? name.toUpperCase();
}

/** On a terminal, a percentage also has a bar. */
export function cellOf({ name, isPercent }: Column, row: Row, isTerminal: boolean): string {
  const value = row[name];
  if (isPercent !== true || typeof value !== 'number') return cellText(value);
  return isTerminal ? `${bar(value / 100, 10)} ${value} %` : `${value} %`;
}

function cellText(value: Row[string] | undefined): string {
  return value === null || value === undefined ? '-' : String(value);
}
