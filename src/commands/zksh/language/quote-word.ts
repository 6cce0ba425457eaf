import { escapeOf } from '../../../protocol/sanitize.js';

/** What stands behind a backslash, and what for. */
export const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

const NEEDS_QUOTES = /[\s;'"\\*?[{\p{Cc}]|^[#@|-]|^$/u;

/** The word as it must be typed to be read as `text`, and as no pattern; bare when it can be. */
export function quoteWord(text: string): string {
  if (!NEEDS_QUOTES.test(text)) return text;
  if (!/['\p{Cc}]/u.test(text)) return `'${text}'`;
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, (char) => {
    const simple = Object.entries(ESCAPES).find(([, value]) => value === char)?.[0];
    return simple === undefined ? escapeOf(char) : `\\${simple}`;
  });
  return `"${escaped}"`;
}
