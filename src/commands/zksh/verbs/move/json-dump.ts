import { type DumpPiece, type DumpSyntax, type DumpText, MAX_PIECE_LENGTH } from './dump-syntax.js';
import { type LineFields, parseDumpLine } from './znode-record.js';

/**
 * One document: the fields of the head, then "znodes" with an element a line, then "end".
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
    // Written by somebody else: closed is complete.
    return /\]\s*\}\s*$/.test(tail) ? parseDumpLine(endText({})) : undefined;
  },
};

const MAX_OUTER_LENGTH = 1024 * 1024;

function endText(fields: LineFields): string {
  return JSON.stringify({ ...fields, end: true });
}

/** The elements of "znodes" one by one, whatever blanks are between them; all else is kept. */
async function* splitElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<DumpPiece> {
  const scanner = new ElementScanner();
  for await (const chunk of chunks) yield* scanner.scan(chunk);
  const { number, end, isOver } = scanner;
  if (!isOver) yield { text: '', number, end, isWhole: false };
}

const [QUOTE, BACKSLASH, NEWLINE, COMMA] = [0x22, 0x5c, 0x0a, 0x2c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Depths: outside 0, in the document 1, between the elements 2, in one 3 and more. */
const IN_DOCUMENT = 1;
const BETWEEN = 2;

class ElementScanner {
  /** What is not in "znodes". */
  #outer = '';
  #element: Buffer[] = [];
  #elementLength = 0;
  #elementNumber = 1;
  #depth = 0;
  #isInArray = false;
  #isInString = false;
  #isEscaped = false;
  #isCommaDue = false;
  isOver = false;
  number = 1;
  /** Bytes before this chunk, and then before what is looked at. */
  end = 0;

  /** Pieces that end in the chunk. @throws RangeError */
  *scan(chunk: Buffer): Generator<DumpPiece> {
    const base = this.end;
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) this.number++;
      const [before, wasInArray] = [this.#depth, this.#isInArray];
      this.#count(byte);
      if (!wasInArray) {
        this.#addOuter(byte);
        this.end = base + at + 1;
        if (this.#opensArray(byte, before)) yield this.#headPiece();
        else if (this.#depth === 0 && before === 1) yield this.#endPiece();
        start = at + 1;
      } else if (before === BETWEEN) {
        start = at;
        this.#between(byte);
      } else if (this.#depth === BETWEEN) {
        this.end = base + at + 1;
        yield this.#elementPiece(chunk.subarray(start, at + 1));
        start = at + 1;
      }
    }
    this.end = base + chunk.length;
    if (this.#isInArray && this.#depth > BETWEEN) this.#keep(chunk.subarray(start));
  }

  #count(byte: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
    } else if (byte === QUOTE) this.#isInString = true;
    else if (OPENING.has(byte)) this.#depth++;
    else if (CLOSING.has(byte)) this.#depth--;
  }

  #addOuter(byte: number): void {
    if (this.isOver && !BLANK.has(byte)) throw new RangeError('there is more behind its end');
    this.#outer += String.fromCharCode(byte);
    if (this.#outer.length > MAX_OUTER_LENGTH) {
      throw new RangeError('there is more than a megabyte beside its "znodes"');
    }
  }

  #opensArray(byte: number, before: number): boolean {
    if (byte !== 0x5b || before !== IN_DOCUMENT || this.#isInString) return false;
    this.#isInArray = /"znodes"\s*:\s*\[$/.test(this.#outer);
    return this.#isInArray;
  }

  /** What may stand between two elements. */
  #between(byte: number): void {
    if (BLANK.has(byte)) return;
    if (this.#depth === IN_DOCUMENT) {
      this.#isInArray = false;
      this.#outer += ']';
    } else if (byte === COMMA && this.#isCommaDue) this.#isCommaDue = false;
    else if (byte === 0x7b && !this.#isCommaDue) this.#elementNumber = this.number;
    else throw new RangeError('"znodes" has what is no object');
  }

  #keep(bytes: Buffer): void {
    this.#element.push(bytes);
    this.#elementLength += bytes.length;
    if (this.#elementLength > MAX_PIECE_LENGTH) {
      throw new RangeError('an element is longer than any znode');
    }
  }

  #elementPiece(last: Buffer): DumpPiece {
    const text = Buffer.concat([...this.#element, last]).toString();
    this.#element = [];
    this.#elementLength = 0;
    this.#isCommaDue = true;
    return { text, number: this.#elementNumber, end: this.end, isWhole: true };
  }

  #headPiece(): DumpPiece {
    const text = `${this.#outerText()}]}`;
    return { text, number: 1, end: this.end, isWhole: true };
  }

  /** That the document is closed is its end, whether or not it says more of it. */
  #endPiece(): DumpPiece {
    this.isOver = true;
    let fields: { readonly end?: LineFields };
    try {
      fields = JSON.parse(this.#outerText()) as typeof fields;
    } catch {
      throw new RangeError('it is no JSON');
    }
    const text = endText(typeof fields.end === 'object' ? fields.end : {});
    return { text, number: this.number, end: this.end, isWhole: true };
  }

  #outerText(): string {
    return Buffer.from(this.#outer, 'latin1').toString();
  }
}
