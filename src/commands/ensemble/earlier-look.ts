/** The values of an earlier look at a member that rates need. */
export interface EarlierLook {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Counters, `cnt_…` and `sum_…` of summaries, by their names in mntr without `zk_`. */
  readonly counters: Readonly<Record<string, number>>;
  readonly zxid: bigint | undefined;
  readonly uptimeMs: number | undefined;
}

/** The earlier counters, unless the server restarted: then they began at zero again. */
export function countersSince(
  before: EarlierLook | undefined,
  uptimeMs: number | undefined,
): Readonly<Record<string, number>> {
  if (before === undefined) return {};
  const isRestarted =
    uptimeMs !== undefined && before.uptimeMs !== undefined && uptimeMs < before.uptimeMs;
  return isRestarted ? {} : before.counters;
}
