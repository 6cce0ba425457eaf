import type { Progress } from './engine/command.js';

const REDRAW_MS = 100;
const CLEAR = '\r\x1b[2K';
const BAR_LENGTH = 20;

export interface ProgressWriter {
  write(text: string): unknown;
}

/** How far a long command is, on one line of a terminal that is drawn over and over. */
export class ProgressLine {
  readonly #stream: ProgressWriter;
  readonly #now: () => number;
  #startedMs: number | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  /** @param now milliseconds of a clock that never goes back */
  constructor(stream: ProgressWriter, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  /** Undefined ends the job. */
  show(state: Progress | undefined): void {
    if (state === undefined) {
      this.clear();
      this.#startedMs = undefined;
      return;
    }
    const now = this.#now();
    this.#startedMs ??= now;
    // A job that is over at once shows nothing.
    if (now - this.#startedMs < REDRAW_MS || now - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = now;
    this.#isDrawn = true;
    this.#stream.write(`${CLEAR}${progressText(state, now - this.#startedMs)}`);
  }

  /** Takes the line off the screen, before anything else is written there. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write(CLEAR);
    this.#isDrawn = false;
  }
}

/** "dumped 1200 of 4800 [#####-----] 25 %, 600/s, 6 s left". */
export function progressText({ done, count, total }: Progress, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (count * 1000) / elapsedMs : 0;
  const speed = `${Math.round(rate)}/s`;
  if (total === undefined || total < count) return `${done} ${count}, ${speed}`;
  const share = total === 0 ? 1 : count / total;
  const filled = Math.round(share * BAR_LENGTH);
  const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_LENGTH - filled)}`;
  const left = rate > 0 ? `, ${timeLeft((total - count) / rate)} left` : '';
  return `${done} ${count} of ${total} [${bar}] ${Math.floor(share * 100)} %, ${speed}${left}`;
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
