import Table from 'cli-table3';

export interface TableCell {
  readonly text: string;
  readonly isRight: boolean;
  readonly paint?: (text: string) => string;
}

/** Blanks between two columns. */
export const GAP = 2;
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/** Rows under a heading, two blanks between the columns, no lines, nothing behind the last. */
export function drawTable(
  titles: readonly TableCell[],
  rows: readonly (readonly TableCell[])[],
): string {
  const drawn = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: titles.map(({ isRight }) => (isRight ? 'right' : 'left')),
  });
  const painted = ({ text, paint }: TableCell) => (paint === undefined ? text : paint(text));
  for (const row of [titles, ...rows]) drawn.push(row.map(painted));
  return drawn
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
