import { openPager, type Pager } from '../../commands/terminal/pager.js';
import { safeText } from '../../protocol/sanitize.js';
import type { Scrollback } from './scrollback.js';

/** Lends the terminal to other programs. Output waits meanwhile. */
export class LentTerminal {
  private readonly scrollback: Scrollback;
  private readonly onChange: () => void;
  private isAway = false;

  constructor(scrollback: Scrollback, onChange: () => void) {
    this.scrollback = scrollback;
    this.onChange = onChange;
  }

  get isLent(): boolean {
    return this.isAway;
  }

  async lend(use: () => Promise<void>): Promise<void> {
    await this.scrollback.drained();
    this.show(true);
    try {
      await use();
    } finally {
      this.show(false);
    }
  }

  /** For a stop of the program, so it does not wait for output. */
  release(use: () => void): void {
    // The program that has the terminal handles it.
    if (this.isAway) {
      use();
      return;
    }
    this.show(true);
    try {
      use();
    } finally {
      this.show(false);
    }
  }

  async openPager(command: string, signal: AbortSignal): Promise<Pager> {
    await this.scrollback.drained();
    this.show(true);
    const pager = await openPager(command, signal);
    const left = pager.left.finally(() => this.show(false));
    return { ...pager, write: (text) => pager.write(safeText(text)), left };
  }

  private show(isLent: boolean): void {
    this.isAway = isLent;
    this.onChange();
  }
}
