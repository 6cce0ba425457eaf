/** A log that neither strangers nor repeated errors can fill: a few lines per kind and minute. */
const WINDOW_MS = 60_000;
const MAX_KINDS = 100;

export class RateLimitedLog {
  private readonly write: (message: string) => void;
  private readonly nowMs: () => number;
  private readonly windows = new Map<string, { sinceMs: number; written: number; left: number }>();

  /** @param nowMs a clock that never goes back */
  constructor(write: (message: string) => void, nowMs: () => number) {
    this.write = write;
    this.nowMs = nowMs;
  }

  /**
   * @param kind messages of the same kind share a limit
   * @param burst messages of this kind in a minute; the next one then reports how many were dropped
   */
  say(message: string, kind = message, burst = 1): void {
    const nowMs = this.nowMs();
    let window = this.windows.get(kind);
    let suffix = '';
    if (window === undefined || nowMs - window.sinceMs >= WINDOW_MS) {
      if (window !== undefined && window.left > 0) suffix = ` (and ${window.left} more before)`;
      if (this.windows.size >= MAX_KINDS) this.windows.clear();
      window = { sinceMs: nowMs, written: 0, left: 0 };
      this.windows.set(kind, window);
    }
    if (window.written >= burst) {
      window.left++;
      return;
    }
    window.written++;
    this.write(message + suffix);
  }
}
