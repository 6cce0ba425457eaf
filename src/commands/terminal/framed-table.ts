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
  table.push(...rows.map((row) => [...row]));
  return `${table.toString()}\n`;
}
