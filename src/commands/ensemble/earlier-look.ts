/** What an earlier look saw of a member, as far as figures grow from it. */
export interface EarlierLook {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Counters, `cnt_…` and `sum_…` of summaries, by their names in mntr without `zk_`. */
  readonly counters: Readonly<Record<string, number>>;
  readonly zxid: bigint | undefined;
  readonly uptimeMs: number | undefined;
}

/** Its counters, unless the server was started anew since: then they began at zero again. */
export function countersSince(
  before: EarlierLook | undefined,
  uptimeMs: number | undefined,
): Readonly<Record<string, number>> {
  if (before === undefined) return {};
  const isRestarted =
    uptimeMs !== undefined && before.uptimeMs !== undefined && uptimeMs < before.uptimeMs;
  return isRestarted ? {} : before.counters;
}
