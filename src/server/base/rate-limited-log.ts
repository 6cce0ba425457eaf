/** A log that a stranger, or a fault that repeats, cannot fill: a few lines of a kind a minute. */
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
   * @param kind what makes two messages the same
   * @param burst how many of this kind are written in a minute; the next one then says how many
   * were left out
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
