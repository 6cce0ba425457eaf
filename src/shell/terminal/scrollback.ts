// What stands above the prompt. Written once and never drawn again: the terminal keeps it.
//
// It goes through Ink's stdout writer and not through <Static>, which lays out every line (15 times
// the time for 20,000 lines), breaks long ones for good so that they no longer copy as one, drops
// tabs and blanks at line ends, and keeps all it ever showed in memory.

/** Writes whole lines above what Ink draws. */
export type WriteAbove = (text: string) => void;

/** As much as is written in one turn of the event loop, so that keys are heard in between. */
const SLICE_LENGTH = 32 * 1024;
/** Who waits for room waits until no more than this is pending. */
const ROOMY_LENGTH = 4 * SLICE_LENGTH;

const CLEAR_SCREEN = '\x1b[2J\x1b[H';

export class Scrollback {
  #write: WriteAbove | undefined;
  /** Whole lines each. */
  #pending: string[] = [];
  #pendingLength = 0;
  #isScheduled = false;
  #waiting: { readonly atMost: number; readonly resolve: () => void }[] = [];

  /**
   * From now on there is a screen; what came before is shown first.
   * @returns a function that takes it away: what comes then waits for the next one
   */
  attach(write: WriteAbove): () => void {
    this.#write = write;
    this.#schedule();
    return () => {
      if (this.#write === write) this.#write = undefined;
    };
  }

  /** @param text lines; the last one may lack its line end */
  push(text: string): void {
    if (text === '') return;
    for (const slice of slices(text.endsWith('\n') ? text : `${text}\n`)) {
      this.#pending.push(slice);
      this.#pendingLength += slice.length;
    }
    this.#schedule();
  }

  /** Resolves when there is room for more: a long result waits here instead of piling up. */
  roomy(): Promise<void> {
    return this.#until(ROOMY_LENGTH);
  }

  /** Resolves when everything pushed so far was written or dropped. */
  drained(): Promise<void> {
    return this.#until(0);
  }

  /** Forgets what was not written yet. @returns how many lines that were */
  drop(): number {
    const lines = this.#pending.reduce((sum, slice) => sum + slice.split('\n').length - 1, 0);
    this.#pending = [];
    this.#pendingLength = 0;
    this.#wake();
    return lines;
  }

  clearScreen(): void {
    this.#write?.(CLEAR_SCREEN);
  }

  #until(atMost: number): Promise<void> {
    if (this.#pendingLength <= atMost) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ atMost, resolve }));
  }

  #schedule(): void {
    if (this.#isScheduled || this.#write === undefined || this.#pending.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#writeSlice();
      this.#schedule();
    });
  }

  #writeSlice(): void {
    const batch: string[] = [];
    let length = 0;
    while (length < SLICE_LENGTH) {
      const next = this.#pending.shift();
      if (next === undefined) break;
      batch.push(next);
      length += next.length;
    }
    this.#pendingLength -= length;
    if (batch.length > 0) this.#write?.(batch.join(''));
    this.#wake();
  }

  #wake(): void {
    const isDue = ({ atMost }: { atMost: number }) => this.#pendingLength <= atMost;
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((waiter) => !isDue(waiter));
    for (const { resolve } of due) resolve();
  }
}

/** Cuts at line ends; a single line is never cut, however long. */
function* slices(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start + SLICE_LENGTH);
    const cut = end === -1 ? text.length : end + 1;
    yield text.slice(start, cut);
    start = cut;
  }
}
