import { escapeOf } from '../../../protocol/sanitize.js';

export const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** A function, because a pattern with Unicode properties compiles slowly. */
const needsQuotes = (): RegExp => /[\s;'"\\*?[{\p{Cc}]|^[#@|-]|^$/u;

/** Quotes a word if needed, so that it parses as exactly `text` and not as a pattern. */
export function quoteWord(text: string): string {
  if (!needsQuotes().test(text)) return text;
  if (!/['\p{Cc}]/u.test(text)) return `'${text}'`;
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, (char) => {
    const simple = Object.entries(ESCAPES).find(([, value]) => value === char)?.[0];
    return simple === undefined ? escapeOf(char) : `\\${simple}`;
  });
  return `"${escaped}"`;
}
