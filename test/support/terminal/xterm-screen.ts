import { EventEmitter } from 'node:events';
import headless from '@xterm/headless';
import * as assert from 'uvu/assert';
import { waitFor } from '../wait-for.js';

/**
 * A terminal emulator in this process, for tests that do not need a real terminal (terminal.ts).
 */
export class XtermScreen {
  private readonly terminal: headless.Terminal;
  private readonly output: EventEmitter;

  constructor(columns: number, rows: number) {
    // Line feeds also return the cursor, as on a tty.
    const asTty = { convertEol: true, allowProposedApi: true };
    this.terminal = new headless.Terminal({ cols: columns, rows, ...asTty });
    this.output = new EventEmitter();
    Object.assign(this.output, { isTTY: true, columns, rows });
    Object.assign(this.output, { write: (text: string) => this.terminal.write(text) });
  }

  /** The output stream for Ink. */
  get stdout(): NodeJS.WriteStream {
    return this.output as NodeJS.WriteStream;
  }

  /** Resolves when it is on the screen. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.terminal.write(text, resolve));
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    Object.assign(this.output, { columns, rows });
    this.output.emit('resize');
  }

  /** All rows, including the scrollback, without trailing blanks and blank rows at the end. */
  rows(): readonly string[] {
    const { active } = this.terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, at) =>
      (active.getLine(at)?.translateToString(true) ?? '').trimEnd(),
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  /** Counted from the first of all rows. */
  cursor(): { readonly x: number; readonly y: number } {
    const { cursorX, cursorY, baseY } = this.terminal.buffer.active;
    return { x: cursorX, y: baseY + cursorY };
  }

  /** Waits until `count` rows match. */
  async hasRow(pattern: RegExp, count = 1): Promise<void> {
    const isThere = () => this.rows().filter((row) => pattern.test(row)).length === count;
    await waitFor('the rows', isThere, 5000).catch(() => {
      throw new Error(`no ${count} rows like ${pattern}, but:\n${this.rows().join('\n')}`);
    });
  }

  /** Waits until the rows match these patterns, one each. */
  async shows(expected: readonly (string | RegExp)[]): Promise<void> {
    const isLike = (row: string | undefined, like: string | RegExp) =>
      typeof like === 'string' ? row === like : like.test(row ?? '');
    const isShown = () => {
      const rows = this.rows();
      return (
        rows.length === expected.length && expected.every((like, at) => isLike(rows[at], like))
      );
    };
    await waitFor('the screen', isShown, 5000).catch(() => {
      assert.equal(this.rows(), expected);
      throw new Error(`the screen came late`);
    });
  }
}
