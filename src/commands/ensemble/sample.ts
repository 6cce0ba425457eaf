export interface Sample {
  /** In ms since 1970. */
  readonly timeMs: number;
  /** Counters, `cnt_…` and `sum_…` of summaries, by their names in mntr without `zk_`. */
  readonly counters: Readonly<Record<string, number>>;
  readonly zxid: bigint | undefined;
  readonly uptimeMs: number | undefined;
}

/** Undefined after a restart, because counters then start at zero. */
export function countersSince(
  before: Sample | undefined,
  uptimeMs: number | undefined,
): Readonly<Record<string, number>> {
  if (before === undefined) return {};
  const isRestarted =
    uptimeMs !== undefined && before.uptimeMs !== undefined && uptimeMs < before.uptimeMs;
  return isRestarted ? {} : before.counters;
}
