import type { HistoryFile } from './line/history.js';
import type { ShellEvent } from './shell-state.js';

/** Between the shell's state and the history file; without a file nothing is kept. */
export class HistoryKeeper {
  readonly #file: HistoryFile | undefined;
  readonly #dispatch: (event: ShellEvent) => void;
  #hasFailed = false;

  constructor(file: HistoryFile | undefined, dispatch: (event: ShellEvent) => void) {
    this.#file = file;
    this.#dispatch = dispatch;
  }

  async load(): Promise<void> {
    try {
      const entries = await this.#file?.load();
      if (entries !== undefined) this.#dispatch({ type: 'history', entries });
    } catch (error) {
      this.#fail(error);
    }
  }

  async store(line: string): Promise<void> {
    try {
      await this.#file?.append(line);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Said once: a history that cannot be kept must not be in the way of every command. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    const text = `the history is not kept: ${reason}`;
    this.#dispatch({ type: 'output', spans: [{ text, tone: 'busy' }] });
  }
}
