import { openPager, type Pager } from '../../commands/terminal/pager.js';
import { safeText } from '../../protocol/sanitize.js';
import type { Scrollback } from './scrollback.js';

/** Lends the terminal to other programs. Output waits meanwhile. */
export class LentTerminal {
  readonly #scrollback: Scrollback;
  readonly #onChange: () => void;
  #isLent = false;

  constructor(scrollback: Scrollback, onChange: () => void) {
    this.#scrollback = scrollback;
    this.#onChange = onChange;
  }

  get isLent(): boolean {
    return this.#isLent;
  }

  async lend(use: () => Promise<void>): Promise<void> {
    await this.#scrollback.drained();
    this.#show(true);
    try {
      await use();
    } finally {
      this.#show(false);
    }
  }

  /** For a stop of the program, so it does not wait for output. */
  release(use: () => void): void {
    // The program that has the terminal handles it.
    if (this.#isLent) {
      use();
      return;
    }
    this.#show(true);
    try {
      use();
    } finally {
      this.#show(false);
    }
  }

  async openPager(command: string, signal: AbortSignal): Promise<Pager> {
    await this.#scrollback.drained();
    this.#show(true);
    const pager = await openPager(command, signal);
    const left = pager.left.finally(() => this.#show(false));
    return { ...pager, write: (text) => pager.write(safeText(text)), left };
  }

  #show(isLent: boolean): void {
    this.#isLent = isLent;
    this.#onChange();
  }
}
