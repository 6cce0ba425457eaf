import { shortNumber } from '../../commands/ensemble/format.js';
import type { Span, Tone } from '../terminal/theme.js';

const BARS = ' ▁▂▃▄▅▆▇█';
const LABEL = 8;

export interface ChartOptions {
  readonly title: string;
  readonly tone: Tone;
  readonly columns: number;
  /** The rows of the bars; a blank row and the title come before them. */
  readonly height: number;
}

/** Bars over time, the newest at the right, with the highest shown value and 0 at the left. */
export function chartRows(
  values: readonly (number | undefined)[],
  { title, tone, columns, height }: ChartOptions,
): readonly (readonly Span[])[] {
  const width = Math.max(1, columns - LABEL - 1);
  const shown = values.slice(-width);
  const highest = Math.max(0, ...shown.map((value) => value ?? 0));
  const bars = Array.from({ length: height }, (_, row) => {
    const label = row === 0 ? shortNumber(highest) : row === height - 1 ? '0' : '';
    const below = height - 1 - row;
    const text = shown.map((value) => barOf(((value ?? 0) / (highest || 1)) * height - below));
    return [
      { text: `${label.padStart(LABEL)} `, tone: 'dim' as const },
      { text: text.join('').padStart(width), tone },
    ];
  });
  return [[], [{ text: title, tone: 'command' }], ...bars];
}

/** @param share of this row: at most 0 is empty, 1 and more is full */
function barOf(share: number): string {
  const at = Math.max(0, Math.min(BARS.length - 1, Math.round(share * (BARS.length - 1))));
  return BARS[at] ?? ' ';
}
