/** Tells the same thing once a minute at most: what fails again and again must not fill a log. */
const TELL_EVERY_MS = 60_000;
const MAX_KINDS = 100;

export class Seldom {
  private readonly tell: (message: string) => void;
  /** When each kind was told last. */
  private readonly toldMs = new Map<string, number>();

  constructor(tell: (message: string) => void) {
    this.tell = tell;
  }

  /** @param kind what makes two messages the same */
  say(message: string, kind = message): void {
    const nowMs = performance.now();
    if (nowMs - (this.toldMs.get(kind) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    if (this.toldMs.size >= MAX_KINDS) this.toldMs.clear();
    this.toldMs.set(kind, nowMs);
    this.tell(message);
  }
}
