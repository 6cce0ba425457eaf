import { type LineFault, parseLine, type Statement } from './language/parse-line.js';

/** A statement or fault, with the source text for error messages. */
export type ScriptItem =
  | { readonly kind: 'statement'; readonly statement: Statement; readonly source: ScriptText }
  | { readonly kind: 'fault'; readonly fault: LineFault; readonly source: ScriptText };

/** The offsets of statements and faults refer to its text. */
export interface ScriptText {
  /** Undefined for -c, which needs no line numbers. */
  readonly file: string | undefined;
  readonly firstLine: number;
  readonly text: string;
}

/** A fault anywhere in the script prevents all statements from running. */
export async function* wholeScript(
  texts: readonly string[],
  file: string | undefined,
): AsyncGenerator<ScriptItem> {
  const parts = texts.map((text) => ({ source: { file, firstLine: 1, text }, ...parseLine(text) }));
  for (const { fault, source } of parts) {
    if (fault === undefined) continue;
    yield { kind: 'fault', fault, source };
    return;
  }
  for (const { statements, source } of parts) {
    for (const statement of statements) yield { kind: 'statement', statement, source };
  }
}

/**
 * Each line of a stream runs when it is complete, so that a program can control zksh through pipes.
 * After a fault, parsing continues with the next line, for --keep-going.
 */
export async function* streamedScript(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<ScriptItem> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines = new LineBuffer(file);
  for await (const chunk of chunks) {
    const text = decode(() => decoder.decode(chunk, { stream: true }));
    if (text === undefined) return yield notUtf8(file, lines.firstLine);
    lines.add(text);
    if (text.includes('\n')) yield* lines.take(false);
  }
  const tail = decode(() => decoder.decode());
  if (tail === undefined) return yield notUtf8(file, lines.firstLine);
  lines.add(tail);
  yield* lines.take(true);
}

/** The part of a script that was received but has not run. */
class LineBuffer {
  firstLine = 1;
  private readonly file: string;
  private rest = '';

  constructor(file: string) {
    this.file = file;
  }

  add(text: string): void {
    this.rest += text;
  }

  /** Takes complete lines, or all text at the end. Statements with open quotes wait for more. */
  *take(isEnd: boolean): Generator<ScriptItem> {
    for (;;) {
      const length = isEnd ? this.rest.length : this.rest.lastIndexOf('\n') + 1;
      const source = {
        file: this.file,
        firstLine: this.firstLine,
        text: this.rest.slice(0, length),
      };
      const { statements, fault, consumed } = parseLine(source.text);
      const before = fault === undefined ? length : consumed;
      for (const statement of statements) {
        if (statement.start < before) yield { kind: 'statement', statement, source };
      }
      if (fault === undefined || (fault.isIncomplete && !isEnd)) return this.drop(before);
      yield { kind: 'fault', fault, source };
      const newline = fault.isIncomplete ? -1 : source.text.indexOf('\n', fault.start);
      this.drop(newline === -1 ? length : newline + 1);
    }
  }

  private drop(length: number): void {
    this.firstLine += countLines(this.rest, length);
    this.rest = this.rest.slice(length);
  }
}

function decode(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The text of a script, or a fault for invalid UTF-8. */
export function decodeScript(bytes: Buffer, file: string): string | ScriptItem {
  const text = decode(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  return text ?? notUtf8(file, 1);
}

function notUtf8(file: string, firstLine: number): ScriptItem {
  const fault = {
    message: 'script is not UTF-8 text',
    hint: 'write other bytes as \\xHH in double quotes, or read them from a file: set /a @file',
    start: 0,
    end: 0,
    isIncomplete: false,
  };
  return { kind: 'fault', fault, source: { file, firstLine, text: '' } };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Line numbers start at 1. */
export function lineOf(source: ScriptText, offset: number): number {
  return source.firstLine + countLines(source.text, offset);
}
