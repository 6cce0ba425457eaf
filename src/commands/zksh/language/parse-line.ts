// The parser of command lines, for the prompt, -c, and scripts.
//
//   create /a 'it''s'  # a comment     words are split by blanks, statements by ; and newline
//   'single'    every character stands for itself
//   "double"    escapes: \n \t \r \0 \\ \" \' \xHH (one byte) \uHHHH \u{H…} (one character)
//   bare        the same escapes, and \ before a blank or a sign for that sign itself
//   \newline    nothing: the line continues
//   |           where a word could begin: sh runs the rest of the line
//
// Adjacent quoted and bare parts form one word. Nothing is dropped silently: invalid escapes, and
// quotes that JSON would lose, are errors with a place.

import type { Place } from '../../program/command-error.js';
import { ESCAPES } from './quote-word.js';
import { WordBuilder } from './word-builder.js';

export interface Token extends Place {
  /** Without quotes. Invalid UTF-8 appears as U+FFFD. */
  readonly text: string;
  readonly bytes: Buffer;
  /** False if `\xHH` made invalid UTF-8, so that `text` is not exact. */
  readonly isText: boolean;
  /** It starts with a quote or escape, so it is never an option, comment, `@file`, or `-`. */
  readonly isQuoted: boolean;
  /** The word as a glob, with quoted pattern characters escaped; undefined if it is not a glob. */
  readonly pattern?: string;
  /** The quote that is still open at the end of the text, for completion. */
  readonly openQuote?: '"' | "'";
}

export interface Statement extends Place {
  /** Never empty; the first word names the command. */
  readonly tokens: readonly Token[];
  /** The shell command after `|`. Its place includes the `|`. */
  readonly pipe?: Pipe;
}

export interface Pipe extends Place {
  readonly text: string;
}

export interface LineFault extends Place {
  readonly message: string;
  readonly hint?: string;
  /** True if more text could complete it: an open quote, or a backslash at the end. */
  readonly isIncomplete: boolean;
}

export interface ParsedLine {
  /** With a fault, only the statements and words before it. */
  readonly statements: readonly Statement[];
  readonly fault?: LineFault;
  /** The start of an unfinished statement, or the length of the text. */
  readonly consumed: number;
}

class FaultSignal {
  readonly fault: LineFault;
  constructor(fault: LineFault) {
    this.fault = fault;
  }
}

class LineParser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  parse(): ParsedLine {
    const statements: Statement[] = [];
    let tokens: Token[] = [];
    let consumed = 0;
    const finish = (pipe?: Pipe) => {
      const first = tokens[0];
      const last = tokens[tokens.length - 1];
      if (first !== undefined && last !== undefined) {
        const statement = { tokens, start: first.start, end: last.end };
        statements.push(pipe === undefined ? statement : { ...statement, pipe });
      }
      tokens = [];
    };
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at);
      if (char === ';' || char === '\n') {
        this.at++;
        finish();
        consumed = this.at;
      } else if (isBlank(char)) {
        this.at++;
      } else if (char === '#') {
        this.skipComment();
      } else {
        const fault = this.readPart(tokens, finish);
        if (fault !== undefined) {
          finish();
          return { statements, fault, consumed };
        }
      }
    }
    finish();
    return { statements, consumed: this.text.length };
  }

  private readPart(tokens: Token[], finish: (pipe: Pipe) => void): LineFault | undefined {
    if (this.isContinuation()) return this.catchFault(() => this.skipContinuation());
    if (this.text.charAt(this.at) !== '|') return this.readWord(tokens);
    const start = this.at;
    this.skipComment();
    const text = this.text.slice(start + 1, this.at).trim();
    const pipe = { text, start, end: this.at };
    const fault = pipeFault(pipe, tokens);
    if (fault === undefined) finish(pipe);
    return fault;
  }

  private skipComment(): void {
    const newline = this.text.indexOf('\n', this.at);
    this.at = newline === -1 ? this.text.length : newline;
  }

  private isContinuation(): boolean {
    return /^\\\r?\n/.test(this.text.slice(this.at, this.at + 3));
  }

  private skipContinuation(): void {
    const start = this.at;
    this.at = this.text.indexOf('\n', start) + 1;
    if (this.at === this.text.length) throw this.openBackslash(start);
  }

  private openBackslash(start: number): FaultSignal {
    return new FaultSignal({
      message: 'backslash at the end of input',
      start,
      end: start + 1,
      isIncomplete: true,
    });
  }

  private catchFault(read: () => void): LineFault | undefined {
    try {
      read();
      return undefined;
    } catch (error) {
      if (error instanceof FaultSignal) return error.fault;
      throw error;
    }
  }

  /** Adds a token, even if incomplete. */
  private readWord(tokens: Token[]): LineFault | undefined {
    const start = this.at;
    const word = new WordBuilder();
    const first = this.text.charAt(start);
    const isQuoted = first === '"' || first === "'" || first === '\\';
    const isJson = first === '{' || first === '[';
    let openQuote: '"' | "'" | undefined;
    const fault = this.catchFault(() => {
      for (let char = this.wordChar(); char !== ''; char = this.wordChar()) {
        if (char === '"' || char === "'") {
          if (isJson) throw this.jsonFault(start);
          openQuote = char;
          this.readQuoted(word, char);
          openQuote = undefined;
        } else {
          this.readBare(word, char);
        }
      }
    });
    const token = { ...word.build(), start, end: this.at, isQuoted };
    tokens.push(openQuote === undefined ? token : { ...token, openQuote });
    return fault;
  }

  /** "" at the end of the word. */
  private wordChar(): string {
    const char = this.text.charAt(this.at);
    return isBlank(char) || char === ';' || char === '\n' ? '' : char;
  }

  private readBare(word: WordBuilder, char: string): void {
    if (this.isContinuation()) {
      this.skipContinuation();
    } else if (char === '\\') {
      this.readEscape(word, true);
    } else {
      word.addText(char, true);
      this.at++;
    }
  }

  private readQuoted(word: WordBuilder, quote: '"' | "'"): void {
    const start = this.at++;
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at);
      if (char === quote) {
        this.at++;
        return;
      }
      if (char === '\\' && quote === '"') {
        if (this.isContinuation()) this.skipContinuation();
        else this.readEscape(word, false);
      } else {
        word.addText(char);
        this.at++;
      }
    }
    throw new FaultSignal({
      message: `unclosed quote: ${quote}`,
      start,
      end: start + 1,
      isIncomplete: true,
    });
  }

  private readEscape(word: WordBuilder, isBare: boolean): void {
    const start = this.at;
    const char = this.text.charAt(start + 1);
    if (char === '') {
      this.at++;
      throw this.openBackslash(start);
    }
    const simple = ESCAPES[char];
    if (simple !== undefined) {
      word.addText(simple);
      this.at += 2;
    } else if (char === 'x') {
      word.addByte(this.readHex(start, /^[0-9a-fA-F]{2}/, 'two hex digits'));
    } else if (char === 'u') {
      word.addText(this.readCharacter(start));
    } else if (isBare && !/[\p{L}\p{N}]/u.test(char)) {
      // The second half of a surrogate pair is the next bare character.
      word.addText(char);
      this.at += 2;
    } else {
      throw this.escapeFault(start, `invalid escape: \\${char}`);
    }
  }

  private readHex(start: number, digits: RegExp, expected: string): number {
    const match = digits.exec(this.text.slice(start + 2, start + 12));
    if (match === null) {
      throw this.escapeFault(start, `\\${this.text.charAt(start + 1)} expects ${expected}`);
    }
    this.at = start + 2 + match[0].length;
    return Number.parseInt(match[0].replace(/[{}]/g, ''), 16);
  }

  private readCharacter(start: number): string {
    const code = this.readHex(
      start,
      /^(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})/,
      'four hex digits, or one to six in braces',
    );
    if (isLowSurrogate(code) || code > 0x10ffff) {
      throw this.escapeFault(start, 'invalid character code');
    }
    if (!isHighSurrogate(code)) return String.fromCodePoint(code);
    const low = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.text.slice(this.at, this.at + 6));
    if (low?.[1] === undefined) throw this.escapeFault(start, 'incomplete surrogate pair');
    this.at += 6;
    return String.fromCharCode(code, Number.parseInt(low[1], 16));
  }

  private escapeFault(start: number, message: string): FaultSignal {
    this.at = Math.max(this.at, Math.min(start + 2, this.text.length));
    return new FaultSignal({
      message,
      hint: 'write \\\\ for a backslash, or use single quotes',
      start,
      end: this.at,
      isIncomplete: false,
    });
  }

  private jsonFault(start: number): FaultSignal {
    const at = this.at;
    return new FaultSignal({
      message: 'unquoted value would lose its inner quotes',
      hint: `quote the whole value: '${this.text.slice(start, start + 12)}…'`,
      start: at,
      end: at + 1,
      isIncomplete: false,
    });
  }
}

function pipeFault(pipe: Pipe, before: readonly Token[]): LineFault | undefined {
  if (before.length > 0 && pipe.text !== '') return undefined;
  return {
    message: `missing ${pipe.text === '' ? 'program after' : 'command before'} |`,
    hint: "use COMMAND | PROGRAM; quote a value that starts with |: '|'",
    start: pipe.start,
    end: pipe.start + 1,
    isIncomplete: false,
  };
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r';
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Never throws. */
export function parseLine(text: string): ParsedLine {
  return new LineParser(text).parse();
}
