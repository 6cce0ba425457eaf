import Table from 'cli-table3';

export interface TableCell {
  readonly text: string;
  readonly isRight: boolean;
  readonly paint?: (text: string) => string;
}

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

/** Breaks at blanks; lines after the first are set in. A word longer than a line stands alone. */
export function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
