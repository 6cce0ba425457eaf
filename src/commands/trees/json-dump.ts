import type { DumpPiece, DumpSyntax, DumpText } from './dump-syntax.js';
import { type LineFields, parseDumpLine } from './znode-record.js';

/**
 * One document: the fields of the head, "znodes" with one element per line, and "end".
 *
 *     {"zkshDump":1,"root":"/app",…,"znodes":[
 *     {"path":"","data":"x",…}
 *     ,{"path":"/a",…}
 *     ],"end":{"znodes":2,…}}
 */
export const jsonText: DumpText = {
  head: (fields) => `${JSON.stringify(fields).slice(0, -1)},"znodes":[`,
  record: (fields, isFirst) => `${isFirst ? '' : ','}${JSON.stringify(fields)}`,
  end: ({ end: _, ...fields }) => `],"end":${JSON.stringify(fields)}}`,
};

export const jsonSyntax: DumpSyntax = {
  split: splitElements,
  parse: parseDumpLine,
  parseEnd: (tail) => {
    const fields = /"end"\s*:\s*(\{[^{}]*\})\s*\}\s*$/.exec(tail)?.[1];
    if (fields !== undefined) return parseDumpLine(endText(JSON.parse(fields) as LineFields));
    // A closed document of another program counts as complete.
    return /\]\s*\}\s*$/.test(tail) ? parseDumpLine(endText({})) : undefined;
  },
};

const MAX_OUTER_LENGTH = 1024 * 1024;
/** Room for `"znodes": [`, with some blanks. */
const OPENING_LENGTH = 100;

function endText(fields: LineFields): string {
  return JSON.stringify({ ...fields, end: true });
}

/** Keeps the rest of the document in memory. */
async function* splitElements(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<DumpPiece> {
  const scanner = new ElementScanner(maxLength);
  for await (const chunk of chunks) yield* scanner.scan(chunk);
  const { number, end, isOver } = scanner;
  if (!isOver) yield { text: '', number, end, isWhole: false };
}

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Nesting depth: 0 outside, 1 in the document, 2 between elements, 3 and more in an element. */
const IN_DOCUMENT = 1;
const BETWEEN = 2;

class ElementScanner {
  private readonly maxLength: number;
  /** The bytes of the text outside of "znodes". */
  private readonly outer: number[] = [];
  private element: Buffer[] = [];
  private elementLength = 0;
  private elementNumber = 1;
  private depth = 0;
  private isInArray = false;
  private isInString = false;
  private isEscaped = false;
  private isCommaDue = false;
  isOver = false;
  number = 1;
  /** The offset of the current byte. */
  end = 0;

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  /** Yields the pieces that end in this chunk. @throws RangeError */
  *scan(chunk: Buffer): Generator<DumpPiece> {
    const base = this.end;
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) this.number++;
      const [before, wasInArray] = [this.depth, this.isInArray];
      this.count(byte);
      if (!wasInArray) {
        this.addOuter(byte);
        this.end = base + at + 1;
        if (this.opensArray(byte, before)) yield this.headPiece();
        else if (this.depth === 0 && before === 1) yield this.endPiece();
        start = at + 1;
      } else if (before === BETWEEN) {
        start = at;
        this.between(byte);
      } else if (this.depth === BETWEEN) {
        this.end = base + at + 1;
        yield this.elementPiece(chunk.subarray(start, at + 1));
        start = at + 1;
      }
    }
    this.end = base + chunk.length;
    if (this.isInArray && this.depth > BETWEEN) this.keep(chunk.subarray(start));
  }

  private count(byte: number): void {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = false;
    } else if (byte === QUOTE) this.isInString = true;
    else if (OPENING.has(byte)) this.depth++;
    else if (CLOSING.has(byte)) this.depth--;
  }

  private addOuter(byte: number): void {
    if (this.isOver && !BLANK.has(byte)) throw new RangeError('unexpected text after the end');
    this.outer.push(byte);
    if (this.outer.length > MAX_OUTER_LENGTH) {
      throw new RangeError('more than 1 MiB of text outside "znodes"');
    }
  }

  private opensArray(byte: number, before: number): boolean {
    if (byte !== 0x5b || before !== IN_DOCUMENT || this.isInString) return false;
    // A document may have a bracket in each byte, so the test reads only the end.
    const end = Buffer.from(this.outer.slice(-OPENING_LENGTH)).toString('latin1');
    this.isInArray = /"znodes"\s*:\s*\[$/.test(end);
    return this.isInArray;
  }

  /** Accepts blanks, a comma, and the closing bracket between two elements. */
  private between(byte: number): void {
    if (BLANK.has(byte)) return;
    if (this.depth === IN_DOCUMENT) {
      this.isInArray = false;
      this.outer.push(0x5d);
    } else if (byte === COMMA && this.isCommaDue) this.isCommaDue = false;
    else if (byte === 0x7b && !this.isCommaDue) this.elementNumber = this.number;
    else throw new RangeError('"znodes" has an element that is not an object');
  }

  private keep(bytes: Buffer): void {
    this.element.push(bytes);
    this.elementLength += bytes.length;
    if (this.elementLength > this.maxLength) {
      throw new RangeError('element is too large for a znode');
    }
  }

  private elementPiece(last: Buffer): DumpPiece {
    const text = Buffer.concat([...this.element, last]).toString();
    this.element = [];
    this.elementLength = 0;
    this.isCommaDue = true;
    return { text, number: this.elementNumber, end: this.end, isWhole: true };
  }

  private headPiece(): DumpPiece {
    const text = `${this.outerText()}]}`;
    return { text, number: 1, end: this.end, isWhole: true };
  }

  /** A closed document is complete, with or without "end". */
  private endPiece(): DumpPiece {
    this.isOver = true;
    let fields: { readonly end?: LineFields };
    try {
      fields = JSON.parse(this.outerText()) as typeof fields;
    } catch {
      throw new RangeError('not JSON');
    }
    const text = endText(typeof fields.end === 'object' ? fields.end : {});
    return { text, number: this.number, end: this.end, isWhole: true };
  }

  private outerText(): string {
    return Buffer.from(this.outer).toString();
  }
}
