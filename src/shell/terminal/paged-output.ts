// What a command prints, until it is known whether it fits on the screen: if it does, or comes
// slowly, it goes where all goes; if it does not, a pager has it, and what follows.
import type { Pager } from '../../commands/terminal/pager.js';
import { textWidth } from '../../commands/terminal/text-width.js';

/** What has not become long by then is shown, and so is what comes after it, as it comes. */
const HOLD_MS = 300;
/** A pager that took more than this is there, so that nobody has to show it instead. */
const MAX_KEPT_LENGTH = 256 * 1024;
/** The line and the bottom line, which stand below a result. */
const OWN_ROWS = 2;

export interface PagedOutputParts {
  show(text: string): void;
  /** Of the terminal, as it is now. */
  size(): { readonly rows: number; readonly columns: number };
  /** Has the terminal until it is left; undefined where nothing is paged. */
  readonly open: (() => Promise<Pager>) | undefined;
  /** The pager was left while there was more to come. */
  onLeft(): void;
}

export class PagedOutput {
  readonly #parts: PagedOutputParts;
  #held: string[] = [];
  #heldRows = 0;
  #isDirect: boolean;
  #timer: NodeJS.Timeout | undefined;
  #pager: Promise<Pager> | undefined;
  #left: Promise<void> = Promise.resolve();
  #isComplete = false;
  /** What the pager was given, as long as it may not be there at all. */
  #kept: string[] = [];
  #keptLength = 0;

  constructor(parts: PagedOutputParts) {
    this.#parts = parts;
    this.#isDirect = parts.open === undefined;
  }

  /** Resolves when there is room for more. @param text whole lines, the last without its end */
  write(text: string): Promise<void> | void {
    const { open, show, size } = this.#parts;
    if (this.#pager !== undefined) return this.#toPager(this.#pager, text);
    if (this.#isDirect || open === undefined) return show(text);
    const { rows, columns } = size();
    this.#held.push(text);
    this.#heldRows += rowsOf(text, columns);
    this.#timer ??= setTimeout(() => this.release(), HOLD_MS);
    if (this.#heldRows <= rows - OWN_ROWS) return;
    const held = this.#takeHeld();
    this.#isComplete = false;
    this.#pager = open();
    this.#left = this.#heedLeaving(this.#pager);
    return this.#toPager(this.#pager, held);
  }

  /** Shows what is held, and all that comes until `finish`, at once: somebody waits for it. */
  release(): void {
    const held = this.#takeHeld();
    this.#isDirect = true;
    if (held !== '') this.#parts.show(held);
  }

  /** The result is complete: shows it, or waits until its pager is left. */
  async finish(): Promise<void> {
    this.#isComplete = true;
    if (this.#pager === undefined) this.release();
    else (await this.#pager).end();
    await this.#left;
    this.#pager = undefined;
    this.#isDirect = this.#parts.open === undefined;
  }

  async #heedLeaving(opened: Promise<Pager>): Promise<void> {
    const isShown = await (await opened).left;
    if (!isShown) {
      this.#pager = undefined;
      this.#isDirect = true;
      for (const text of this.#kept) this.#parts.show(text);
    } else if (!this.#isComplete) {
      this.#parts.onLeft();
    }
    this.#kept = [];
    this.#keptLength = 0;
  }

  #takeHeld(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held.join('\n');
    this.#held = [];
    this.#heldRows = 0;
    return held;
  }

  async #toPager(opened: Promise<Pager>, text: string): Promise<void> {
    this.#keptLength += text.length;
    if (this.#keptLength > MAX_KEPT_LENGTH) this.#kept = [];
    else this.#kept.push(text);
    const pager = await opened;
    await pager.write(`${text}\n`);
  }
}

/** How many rows of a terminal a text takes. */
function rowsOf(text: string, columns: number): number {
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}
