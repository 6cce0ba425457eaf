// How wide a text is on a terminal, by grapheme: what a person sees as one character may be many
// code points (a family emoji) and two columns (a Chinese character). The widths are those of
// Unicode's East Asian Width (Wide and Fullwidth) and of emoji presentation, which terminals and
// Ink's own layout follow.

import { safeLine, safeText } from '../../commands/terminal/sanitize.js';

/** Made when there is more than ASCII: it takes longer to make than a prompt to draw. */
let madeSegmenter: Intl.Segmenter | undefined;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const VISIBLE =
  /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\d#*]\ufe0f?\u20e3)/u;
const JOINED_EMOJI = /\p{Extended_Pictographic}.*\u200d.*\p{Extended_Pictographic}/u;

/** First and last code points of the wide blocks outside of the emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

function segmenter(): Intl.Segmenter {
  madeSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return madeSegmenter;
}

/** The graphemes of a text, in order. */
export function graphemes(text: string): readonly string[] {
  if (PRINTABLE_ASCII.test(text)) return [...text];
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/** Where the grapheme before `offset` begins; 0 at the start. Offsets count UTF-16 units. */
export function previousBoundary(text: string, offset: number): number {
  return offset <= 0
    ? 0
    : (segmenter()
        .segment(text)
        .containing(offset - 1)?.index ?? 0);
}

/** Where the grapheme at `offset` ends; the text's length at the end. */
export function nextBoundary(text: string, offset: number): number {
  const found = segmenter().segment(text).containing(offset);
  return found === undefined ? text.length : found.index + found.segment.length;
}

/** The columns of one grapheme: 0, 1 or 2. */
export function graphemeWidth(grapheme: string): number {
  const base = VISIBLE.exec(grapheme)?.[0];
  if (base === undefined) return 0;
  if (EMOJI.test(grapheme) || JOINED_EMOJI.test(grapheme)) return 2;
  const code = base.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
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

const JOINERS = /[\u200d\ufe0f]/gu;

/** A grapheme as it may be drawn; an emoji keeps what joins its parts. */
export function drawable(grapheme: string): string {
  if (!graphemeIsEmoji(grapheme)) return safeLine(grapheme);
  return safeLine(grapheme.replace(JOINERS, '')) === grapheme.replace(JOINERS, '')
    ? grapheme
    : safeLine(grapheme);
}

function graphemeIsEmoji(grapheme: string): boolean {
  return !PRINTABLE_ASCII.test(grapheme) && (EMOJI.test(grapheme) || JOINED_EMOJI.test(grapheme));
}

/** Text of several lines as it may be written to a terminal. */
export function printable(text: string): string {
  return safeText(text);
}
