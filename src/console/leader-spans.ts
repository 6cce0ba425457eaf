import type { TrendPoint } from '../commands/ensemble/verdict/result.js';

export interface LeaderSpan {
  /** In seconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Null while no member led. */
  readonly server: string | null;
}

interface Pace {
  readonly intervalMs: number;
  readonly deadlineMs: number;
}

/** Who led from when until when. A span ends early where polls are missing: nobody looked then. */
export function leaderSpans(
  points: readonly TrendPoint[],
  { intervalMs, deadlineMs }: Pace,
): readonly LeaderSpan[] {
  const maxGap = (2 * (intervalMs + deadlineMs)) / 1000;
  const spans: { from: number; to: number; server: string | null }[] = [];
  for (const { time, leader: server } of points) {
    const at = Date.parse(time) / 1000;
    if (server === undefined) continue;
    const last = spans.at(-1);
    const isNext = last !== undefined && at - last.to <= maxGap;
    if (isNext) last.to = at;
    if (!isNext || last.server !== server) spans.push({ from: at, to: at, server });
  }
  return spans;
}
