// Buffers output until it is clear whether it fits on the screen. Short or slow output is printed,
// long output goes to a pager.
import type { Pager } from '../../commands/terminal/pager.js';
import { textWidth } from '../../commands/terminal/text-width.js';

/** After this time, all output is printed. */
const HOLD_MS = 300;
/** A pager that has read more than this has started: no fallback is needed. */
const MAX_KEPT_LENGTH = 256 * 1024;
/** The prompt and the bottom line. */
const OWN_ROWS = 2;

export interface PagedOutputParts {
  show(text: string): void;
  size(): { readonly rows: number; readonly columns: number };
  /** Undefined if nothing is paged. */
  readonly open: (() => Promise<Pager>) | undefined;
  /** The user quit the pager before the output was complete. */
  onLeft(): void;
}

export class PagedOutput {
  private readonly parts: PagedOutputParts;
  private held: string[] = [];
  private heldRows = 0;
  private isDirect: boolean;
  private timer: NodeJS.Timeout | undefined;
  private pager: Promise<Pager> | undefined;
  private left: Promise<void> = Promise.resolve();
  private isComplete = false;
  /** The pager's input, until the pager has certainly started. */
  private kept: string[] = [];
  private keptLength = 0;

  constructor(parts: PagedOutputParts) {
    this.parts = parts;
    this.isDirect = parts.open === undefined;
  }

  /** Resolves when there is room for more. @param text complete lines without the last newline */
  write(text: string): Promise<void> | void {
    const { open, show, size } = this.parts;
    if (this.pager !== undefined) return this.toPager(this.pager, text);
    if (this.isDirect || open === undefined) return show(text);
    const { rows, columns } = size();
    this.held.push(text);
    this.heldRows += rowsOf(text, columns);
    this.timer ??= setTimeout(() => this.release(), HOLD_MS);
    if (this.heldRows <= rows - OWN_ROWS) return;
    const held = this.takeHeld();
    this.isComplete = false;
    this.pager = open();
    this.left = this.handleExit(this.pager);
    return this.toPager(this.pager, held);
  }

  /** Prints the buffered output, and all later output at once. */
  release(): void {
    const held = this.takeHeld();
    this.isDirect = true;
    if (held !== '') this.parts.show(held);
  }

  /** Prints the result, or waits for the end of the pager. */
  async finish(): Promise<void> {
    this.isComplete = true;
    if (this.pager === undefined) this.release();
    else (await this.pager).end();
    await this.left;
    this.pager = undefined;
    this.isDirect = this.parts.open === undefined;
  }

  private async handleExit(opened: Promise<Pager>): Promise<void> {
    const isShown = await (await opened).left;
    if (!isShown) {
      this.pager = undefined;
      this.isDirect = true;
      for (const text of this.kept) this.parts.show(text);
    } else if (!this.isComplete) {
      this.parts.onLeft();
    }
    this.kept = [];
    this.keptLength = 0;
  }

  private takeHeld(): string {
    clearTimeout(this.timer);
    this.timer = undefined;
    const held = this.held.join('\n');
    this.held = [];
    this.heldRows = 0;
    return held;
  }

  private async toPager(opened: Promise<Pager>, text: string): Promise<void> {
    this.keptLength += text.length;
    if (this.keptLength > MAX_KEPT_LENGTH) this.kept = [];
    else this.kept.push(text);
    const pager = await opened;
    await pager.write(`${text}\n`);
  }
}

function rowsOf(text: string, columns: number): number {
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}
