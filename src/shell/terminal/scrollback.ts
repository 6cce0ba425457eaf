// The output above the prompt, written once and kept by the terminal. It uses Ink's stdout writer,
// not <Static>, which lays out every line (15 times slower for 20,000 lines), breaks long lines,
// drops tabs and trailing blanks, and keeps all output in memory.

export type WriteAbove = (text: string) => void;

/** The maximum output per turn of the event loop, so that keys are handled in between. */
const SLICE_LENGTH = 32 * 1024;
/** Writers wait while more output is pending. */
const ROOMY_LENGTH = 4 * SLICE_LENGTH;

const CLEAR_SCREEN = '\x1b[2J\x1b[H';

export class Scrollback {
  private write: WriteAbove | undefined;
  private pending: string[] = [];
  private pendingLength = 0;
  private isScheduled = false;
  private waiting: { readonly atMost: number; readonly resolve: () => void }[] = [];

  /** @returns a function that detaches it; later output waits for the next screen */
  attach(write: WriteAbove): () => void {
    this.write = write;
    this.schedule();
    return () => {
      if (this.write === write) this.write = undefined;
    };
  }

  push(text: string): void {
    if (text === '') return;
    for (const slice of slices(text.endsWith('\n') ? text : `${text}\n`)) {
      this.pending.push(slice);
      this.pendingLength += slice.length;
    }
    this.schedule();
  }

  /** Backpressure for long results. */
  roomy(): Promise<void> {
    return this.until(ROOMY_LENGTH);
  }

  drained(): Promise<void> {
    return this.until(0);
  }

  drop(): number {
    const lines = this.pending.reduce((sum, slice) => sum + slice.split('\n').length - 1, 0);
    this.pending = [];
    this.pendingLength = 0;
    this.wake();
    return lines;
  }

  clearScreen(): void {
    this.write?.(CLEAR_SCREEN);
  }

  private until(atMost: number): Promise<void> {
    if (this.pendingLength <= atMost) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ atMost, resolve }));
  }

  private schedule(): void {
    if (this.isScheduled || this.write === undefined || this.pending.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.writeSlice();
      this.schedule();
    });
  }

  private writeSlice(): void {
    const batch: string[] = [];
    let length = 0;
    while (length < SLICE_LENGTH) {
      const next = this.pending.shift();
      if (next === undefined) break;
      batch.push(next);
      length += next.length;
    }
    this.pendingLength -= length;
    if (batch.length > 0) this.write?.(batch.join(''));
    this.wake();
  }

  private wake(): void {
    const isDue = ({ atMost }: { atMost: number }) => this.pendingLength <= atMost;
    const due = this.waiting.filter(isDue);
    this.waiting = this.waiting.filter((waiter) => !isDue(waiter));
    for (const { resolve } of due) resolve();
  }
}

/** Never splits a line. */
function* slices(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start + SLICE_LENGTH);
    const cut = end === -1 ? text.length : end + 1;
    yield text.slice(start, cut);
    start = cut;
  }
}
