import { textWidth } from './text-width.js';

const GAP = 2;

/** Names in as many columns as fit, sorted downwards as by ls(1). */
export function columnsOf(names: readonly string[], width: number): string {
  const widths = names.map(textWidth);
  // A large count cannot fit: each column takes at least one character and the gap.
  let count = Math.max(1, Math.min(names.length, Math.floor((width + GAP) / (1 + GAP))));
  while (count > 1 && !fits(widths, count, width)) count--;
  const rows = Math.ceil(names.length / count);
  const spans = spansOf(widths, rows);
  return Array.from({ length: rows }, (_, row) => {
    const cells = spans.map((span, column) => {
      const at = column * rows + row;
      const name = names[at] ?? '';
      return name + ' '.repeat(span + GAP - (widths[at] ?? 0));
    });
    return `${cells.join('').trimEnd()}\n`;
  }).join('');
}

function fits(widths: readonly number[], count: number, width: number): boolean {
  const spans = spansOf(widths, Math.ceil(widths.length / count));
  return spans.reduce((sum, span) => sum + span + GAP, -GAP) <= width;
}

function spansOf(widths: readonly number[], rows: number): number[] {
  const spans: number[] = [];
  for (const [at, width] of widths.entries()) {
    const column = Math.floor(at / rows);
    spans[column] = Math.max(spans[column] ?? 0, width);
  }
  return spans;
}
