import type { Column, Row } from '../result.js';
import { textWidth } from './width.js';

const GAP = '  ';

/** A heading and a line a row, blanks between the columns; "" without rows. */
export function alignedRows(columns: readonly Column[], rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => columns.map(({ name }) => cellText(row[name])));
  const lines = [columns.map(titleOf), ...cells];
  const widths = columns.map((_, at) =>
    Math.max(...lines.map((line) => textWidth(line[at] ?? ''))),
  );
  const draw = (line: readonly string[]) =>
    columns
      .map(({ isRight }, at) => {
        const text = line[at] ?? '';
        const blanks = ' '.repeat((widths[at] ?? 0) - textWidth(text));
        return isRight === true ? blanks + text : text + blanks;
      })
      .join(GAP)
      .trimEnd();
  return lines.map((line) => `${draw(line)}\n`).join('');
}

export function titleOf({ name, title }: Column): string {
  return title ?? name.toUpperCase();
}

export function cellText(value: Row[string] | undefined): string {
  return value === null || value === undefined ? '-' : String(value);
}
