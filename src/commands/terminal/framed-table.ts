import Table from 'cli-table3';
import { drawTable } from './draw-table.js';

/** A longer list is easier to read, search, and copy without frames, and draws at once. */
const MOST_ROWS = 1000;

/** Rows in a frame, under a heading. A cell may have several lines. */
export function framedTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length > MOST_ROWS) return unframed(titles, rows);
  const table = new Table({
    head: [...titles],
    // Without colors, and without lines between rows.
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return `${table.toString()}\n`;
}

function unframed(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((text) => ({ text, isRight: false }));
  return drawTable(cells(titles), rows.map(cells));
}
