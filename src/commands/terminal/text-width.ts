// The width of a text on a terminal, by grapheme: one visible character may have many code points
// (a family emoji) and two columns (a Chinese character). Widths follow Unicode's East Asian Width
// and emoji presentation, as in Ink's layout.

// Only the table: `string-width` creates a segmenter at load, which delays each start.
import { eastAsianWidth } from 'get-east-asian-width';
import { safeLine } from '../../protocol/sanitize.js';

/** Created on first use, because that takes longer than drawing a prompt. */
let madeSegmenter: Intl.Segmenter | undefined;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// Functions, because patterns with Unicode properties compile slowly, and few texts need them.
const visible = (): RegExp =>
  /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/u;
/** After the first character of a grapheme: these take separate columns, the others none. */
const advancing = (): RegExp => /[\p{Spacing_Mark}\uff00-\uffef\u1100-\u115f\ua960-\ua97c]/u;
const emoji = (): RegExp =>
  /^(?:\p{RI}\p{RI}|(?!\p{RI})\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\d#*]\ufe0f?\u20e3)/u;
const pictograph = (): RegExp => /\p{Extended_Pictographic}/u;

function segmenter(): Intl.Segmenter {
  madeSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return madeSegmenter;
}

export function graphemes(text: string): readonly string[] {
  if (PRINTABLE_ASCII.test(text)) return [...text];
  const found: string[] = [];
  let at = 0;
  let length = PART;
  // The time of V8 for a text is quadratic in its length, so each step takes a part of it.
  while (at < text.length) {
    const segments = segmenter().segment(text.slice(at, at + length));
    const part = Array.from(segments, ({ segment }) => segment);
    // The last one may go on after the part; so may the one before half a surrogate pair.
    if (at + length < text.length) part.splice(-2);
    length = part.length === 0 ? length * 2 : PART;
    for (const grapheme of part) {
      found.push(grapheme);
      at += grapheme.length;
    }
  }
  return found;
}

/** In UTF-16 units. */
const PART = 256;

/** The start of the grapheme before `offset`; 0 at the start. Offsets count UTF-16 units. */
export function previousBoundary(text: string, offset: number): number {
  return offset <= 0
    ? 0
    : (segmenter()
        .segment(text)
        .containing(offset - 1)?.index ?? 0);
}

/** The end of the grapheme at `offset`; the text's length at the end. */
export function nextBoundary(text: string, offset: number): number {
  const found = segmenter().segment(text).containing(offset);
  return found === undefined ? text.length : found.index + found.segment.length;
}

/** As Ink counts them: mostly 0, 1, or 2. */
export function graphemeWidth(grapheme: string): number {
  const start = grapheme.search(visible());
  if (start === -1) return 0;
  if (isEmoji(grapheme)) return 2;
  const [base = '', ...others] = grapheme.slice(start);
  const wide = [base, ...others.filter((each) => advancing().test(each))];
  return wide.reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0);
}

/** The columns of a text without line breaks. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The text, or its head and an ellipsis, in at most `columns`. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let head = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    head += grapheme;
  }
  return columns <= 0 ? '' : `${head}…`;
}

/**
 * Breaks a text between words, but not inside brackets. Lines after the first start with `indent`.
 * A word longer than a line gets a line of its own.
 */
export function wrap(text: string, columns: number, indent = '  '): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:\[[^[\]]*\]|\S)+/g) ?? []) {
    if (line === '') line = word;
    else if (textWidth(line) + 1 + textWidth(word) <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join('\n');
}

const JOINERS = /[\u200d\ufe0f]/gu;

/** Removes control characters from a grapheme; an emoji keeps its joiners. */
export function drawable(grapheme: string): string {
  if (!isEmoji(grapheme)) return safeLine(grapheme);
  return safeLine(grapheme.replace(JOINERS, '')) === grapheme.replace(JOINERS, '')
    ? grapheme
    : safeLine(grapheme);
}

function isEmoji(grapheme: string): boolean {
  if (PRINTABLE_ASCII.test(grapheme)) return false;
  return emoji().test(grapheme) || isJoined(grapheme);
}

/** Whether a zero-width joiner stands between two pictographs. */
function isJoined(grapheme: string): boolean {
  const parts = grapheme.split('\u200d');
  return parts.length > 1 && parts.filter((part) => pictograph().test(part)).length > 1;
}
