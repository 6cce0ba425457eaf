const REDRAW_MS = 100;
const CLEAR = '\r\x1b[2K';
const BAR_LENGTH = 20;

export interface Progress {
  /** "walked", "written", or the name of a share. */
  readonly done: string;
  readonly count: number;
  readonly total?: number;
  /** The units are bytes or ms, so only the share is shown. */
  readonly isShare?: boolean;
}

export interface ProgressWriter {
  write(text: string): unknown;
}

export class ProgressLine {
  private readonly stream: ProgressWriter;
  private readonly now: () => number;
  private readonly showAfterMs: number;
  private startedMs: number | undefined;
  private drawnMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  /** @param now ms of a monotonic clock */
  constructor(stream: ProgressWriter, now: () => number, showAfterMs = REDRAW_MS) {
    this.stream = stream;
    this.now = now;
    this.showAfterMs = showAfterMs;
  }

  /** Undefined ends the job. */
  show(state: Progress | undefined): void {
    if (state === undefined) {
      this.clear();
      this.startedMs = undefined;
      return;
    }
    const now = this.now();
    this.startedMs ??= now;
    // A short job shows nothing.
    if (now - this.startedMs < this.showAfterMs || now - this.drawnMs < REDRAW_MS) return;
    this.drawnMs = now;
    this.isDrawn = true;
    this.stream.write(`${CLEAR}${progressText(state, now - this.startedMs)}`);
  }

  /** Call this before other output. */
  clear(): void {
    if (this.isDrawn) this.stream.write(CLEAR);
    this.isDrawn = false;
  }
}

/** "dumped 1200 of 4800 [#####-----] 25 %, 600/s, 6 s left". */
export function progressText(state: Progress, elapsedMs: number): string {
  const { done, count, total = 0, isShare } = state;
  const share = total > 0 ? count / total : 0;
  const shown = `[${bar(share, BAR_LENGTH)}] ${Math.floor(Math.min(1, share) * 100)} %`;
  if (isShare === true) return `${done} ${shown}`;
  const rate = elapsedMs > 0 ? (count * 1000) / elapsedMs : 0;
  const speed = `${Math.round(rate)}/s`;
  if (total < Math.max(1, count)) return `${done} ${count}, ${speed}`;
  const left = rate > 0 ? `, ${timeLeft((total - count) / rate)} left` : '';
  return `${done} ${count} of ${total} ${shown}, ${speed}${left}`;
}

/** "####------"; never longer than `length`. */
export function bar(share: number, length: number): string {
  const filled = Math.round(Math.min(1, share) * length);
  return `${'#'.repeat(filled)}${'-'.repeat(length - filled)}`;
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
