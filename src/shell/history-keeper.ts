import type { HistoryFile } from './line/history.js';
import type { ShellEvent } from './shell-state.js';

/** Without a file, nothing is stored. */
export class HistoryKeeper {
  private readonly file: HistoryFile | undefined;
  private readonly dispatch: (event: ShellEvent) => void;
  private hasFailed = false;

  constructor(file: HistoryFile | undefined, dispatch: (event: ShellEvent) => void) {
    this.file = file;
    this.dispatch = dispatch;
  }

  async load(): Promise<void> {
    try {
      const entries = await this.file?.load();
      if (entries !== undefined) this.dispatch({ type: 'history', entries });
    } catch (error) {
      this.fail(error);
    }
  }

  async store(line: string): Promise<void> {
    try {
      await this.file?.append(line);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Reports only the first failure. */
  private fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    const text = `history is not saved: ${reason}`;
    this.dispatch({ type: 'output', spans: [{ text, tone: 'busy' }] });
  }
}
