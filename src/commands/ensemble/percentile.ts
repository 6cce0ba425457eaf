/** Nearest rank. `sorted` is ascending and not empty. */
export function percentile(sorted: readonly number[], share: number): number {
  const at = Math.max(0, Math.ceil(sorted.length * share) - 1);
  return sorted[at] ?? Number.NaN;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
