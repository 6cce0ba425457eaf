/** In ms. */
const EVERY_MS = 1000;

/** How much of its data a start has read. Tells it about once a second, so never of a short one. */
export class LoadProgress {
  private readonly total: number;
  private readonly onPercent: (percent: number) => void;
  private readonly clock: () => number;
  /** Bytes read so far; a damaged snapshot, too, so it may exceed the total. */
  private done = 0;
  /** When to tell it next, on the clock. */
  private dueMs: number;

  /** @param total bytes of the files to read */
  constructor(
    total: number,
    onPercent: (percent: number) => void,
    clock: () => number = () => performance.now(),
  ) {
    this.total = total;
    this.onPercent = onPercent;
    this.clock = clock;
    this.dueMs = clock() + EVERY_MS;
  }

  readonly read = (bytes: number): void => {
    this.done += bytes;
    const nowMs = this.clock();
    if (nowMs < this.dueMs) return;
    this.dueMs = nowMs + EVERY_MS;
    this.onPercent(Math.min(99, Math.floor((100 * this.done) / Math.max(this.total, 1))));
  };
}
