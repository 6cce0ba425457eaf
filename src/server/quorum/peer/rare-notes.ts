/** Notes for the operator that a stranger can provoke: only so many of a kind a minute. */
const WINDOW_MS = 60_000;
const MAX_KINDS = 100;

interface NoteHost {
  readonly nowMs: number;
  note(message: string): void;
}

export class RareNotes {
  private readonly host: NoteHost;
  private readonly windows = new Map<string, { sinceMs: number; said: number; left: number }>();

  constructor(host: NoteHost) {
    this.host = host;
  }

  /** @param burst how many of this kind are said before the rest are only counted */
  say(kind: string, message: string, burst = 1): void {
    const { nowMs } = this.host;
    let window = this.windows.get(kind);
    let suffix = '';
    if (window === undefined || nowMs - window.sinceMs >= WINDOW_MS) {
      if (window !== undefined && window.left > 0) suffix = ` (and ${window.left} more before)`;
      if (this.windows.size >= MAX_KINDS) this.windows.clear();
      window = { sinceMs: nowMs, said: 0, left: 0 };
      this.windows.set(kind, window);
    }
    if (window.said >= burst) {
      window.left++;
      return;
    }
    window.said++;
    this.host.note(message + suffix);
  }
}
