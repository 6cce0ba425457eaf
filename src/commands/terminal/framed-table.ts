import Table from 'cli-table3';

/** Rows in a frame, under a heading. A cell may have several lines. */
export function framedTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const table = new Table({
    head: [...titles],
    // Without colors, and without lines between rows.
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) for (const line of linesOf(row)) table.push(line);
  return `${table.toString()}\n`;
}

/** A row for each line: the time of cli-table3 for a cell is quadratic in its lines. */
function linesOf(row: readonly string[]): string[][] {
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ''));
}
