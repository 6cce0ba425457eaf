// Wraps the prompt and the text into terminal rows, and finds the cursor position.
import {
  drawable,
  graphemes,
  previousBoundary,
  textWidth,
} from '../../commands/terminal/text-width.js';
import type { Span, Tone } from './theme.js';

export interface Input {
  readonly prompt: readonly Span[];
  readonly text: readonly Span[];
  /** In UTF-16 units. */
  readonly cursor: number;
  /** The suggestion after the text. */
  readonly ghost: string;
}

export interface InputRows {
  readonly rows: readonly (readonly Span[])[];
  readonly cursor: { readonly x: number; readonly y: number };
}

const CONTINUATION: Span = { text: '> ', tone: 'dim' };

/** If more than `maxRows` rows are needed, returns those around the cursor. */
export function layOutInput(input: Input, columns: number, maxRows: number): InputRows {
  const { prompt, text, cursor } = visiblePart(input, columns * maxRows);
  const page = new Page(Math.max(columns, 4));
  for (const span of prompt) page.write(span.text, span.tone);
  let offset = 0;
  for (const span of text) {
    for (const grapheme of graphemes(span.text)) {
      if (offset >= cursor) page.markCursor(grapheme);
      page.writeGrapheme(grapheme, span.tone);
      offset += grapheme.length;
    }
  }
  page.markCursor(input.ghost);
  if (input.ghost !== '') page.write(input.ghost, 'ghost');
  return page.around(maxRows);
}

/** Lays out only the visible part, because a pasted text may be very long. */
function visiblePart(input: Input, cells: number): Omit<Input, 'ghost'> {
  const length = input.text.reduce((sum, span) => sum + span.text.length, 0);
  if (length <= cells * 4) return input;
  const whole = input.text.map((span) => span.text).join('');
  const from = previousBoundary(whole, Math.max(0, input.cursor - cells));
  const shown = whole.slice(from, input.cursor + cells);
  return {
    prompt: from === 0 ? input.prompt : [{ text: '…', tone: 'dim' }],
    text: [{ text: shown, tone: 'plain' }],
    cursor: input.cursor - from,
  };
}

class Page {
  private readonly columns: number;
  private readonly rows: Span[][] = [[]];
  private x = 0;
  private cursor: { x: number; y: number } | undefined;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string, tone: Tone): void {
    for (const grapheme of graphemes(text)) this.writeGrapheme(grapheme, tone);
  }

  writeGrapheme(grapheme: string, tone: Tone): void {
    if (grapheme === '\n') {
      this.breakRow();
      this.append(CONTINUATION.text, textWidth(CONTINUATION.text), CONTINUATION.tone);
      return;
    }
    const drawn = drawable(grapheme);
    const width = textWidth(drawn);
    if (this.x + width > this.columns) this.breakRow();
    this.append(drawn, width, tone);
  }

  markCursor(next: string): void {
    if (this.cursor !== undefined) return;
    const width = next === '' || next === '\n' ? 1 : textWidth(drawable(next));
    if (this.x + width > this.columns && next !== '\n') this.breakRow();
    this.cursor = { x: this.x, y: this.rows.length - 1 };
  }

  around(maxRows: number): InputRows {
    const cursor = this.cursor ?? { x: 0, y: 0 };
    const last = Math.max(0, this.rows.length - maxRows);
    const first = Math.min(last, Math.max(0, cursor.y - Math.floor(maxRows / 2)));
    return {
      rows: this.rows.slice(first, first + maxRows),
      cursor: { x: cursor.x, y: cursor.y - first },
    };
  }

  private breakRow(): void {
    this.rows.push([]);
    this.x = 0;
  }

  private append(text: string, width: number, tone: Tone): void {
    const row = this.rows.at(-1) ?? [];
    const last = row.at(-1);
    if (last?.tone === tone) row[row.length - 1] = { text: last.text + text, tone };
    else row.push({ text, tone });
    this.x += width;
  }
}
