/** What several programs of the benchmarks do with their figures and arguments. */

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The number after a flag of the command line. */
export function numberAfter(args: readonly string[], flag: string, otherwise: number): number {
  const at = args.indexOf(flag);
  return at === -1 ? otherwise : Number(args[at + 1]);
}
