import type { CellValue } from '../../ensemble/verb.js';
import { drawTable, tableWidth } from '../../terminal/draw-table.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import { wrap } from '../../terminal/text-width.js';
import type { Grid } from '../calls/grid.js';
import type { OutputFormat } from '../calls/options.js';
import { cellText } from './ops-cells.js';
import { SCHEMA } from './ops-json.js';
import { gridToCsv, gridToPlain } from './ops-lines.js';

/** A list that is not about members: a table if it fits, or else one paragraph for each row. */
export function renderGrid(grid: Grid, output: OutputFormat, terminal: OpsTerminal): string {
  switch (output) {
    case 'csv':
      return gridToCsv(grid);
    case 'plain':
      return gridToPlain(grid);
    case 'json':
      return `${JSON.stringify({ schema: SCHEMA, rows: objectsOf(grid) }, null, 2)}\n`;
    case 'ndjson':
      return objectsOf(grid)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('');
    default:
      return toTable(grid, terminal);
  }
}

function objectsOf({ titles, rows }: Grid): readonly Record<string, CellValue | null>[] {
  const keys = titles.map((title) => title.replaceAll(' ', '_'));
  return rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at] ?? null])));
}

function toTable({ titles, rows }: Grid, { width }: OpsTerminal): string {
  const text = rows.map((row) => row.map((value) => (value === undefined ? '-' : cellText(value))));
  const cell = (value: string) => ({ text: value, isRight: false });
  const heading = titles.map((title) => cell(title.toUpperCase()));
  const table = drawTable(
    heading,
    text.map((row) => row.map(cell)),
  );
  if (tableWidth(table) <= width) return table;
  return text
    .map((row) =>
      row
        .map((value, at) => (at === 0 ? value : `  ${titles[at] ?? ''}: ${value}`))
        .filter((line) => !line.endsWith(': -'))
        .map((line) => `${wrap(line, width)}\n`)
        .join(''),
    )
    .join('\n');
}
