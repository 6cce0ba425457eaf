const BARS = '▁▂▃▄▅▆▇█';

/** The newest at the right, missing values blank. Scaled from zero to the highest shown value. */
export function sparkline(values: readonly (number | undefined)[], columns: number): string {
  const shown = columns <= 0 ? [] : values.slice(-columns);
  const highest = Math.max(0, ...shown.map((value) => value ?? 0));
  const bars = shown.map((value) => {
    if (value === undefined) return ' ';
    const at = highest === 0 ? 0 : Math.round((value / highest) * (BARS.length - 1));
    return BARS[Math.max(0, at)] ?? ' ';
  });
  return bars.join('').padStart(Math.max(0, columns));
}
