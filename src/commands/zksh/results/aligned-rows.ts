import { drawTable } from '../../terminal/draw-table.js';
import { bar } from '../../terminal/progress-line.js';
import type { Column, Row } from './result.js';

/** No borders: a heading and one line for each row; "" without rows. */
export function alignedRows(
  columns: readonly Column[],
  rows: readonly Row[],
  isTerminal: boolean,
): string {
  if (rows.length === 0) return '';
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
