import { safeLine } from '../../../protocol/sanitize.js';

export const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

const NEEDS_QUOTES = /[\s;'"\\*?[{]|^[#@|-]|^$/;

/**
 * Quotes a word if needed, so that it parses as exactly `text` and not as a pattern. Output for a
 * terminal shows the result unchanged, so a user can paste it.
 */
export function quoteWord(text: string): string {
  const isPrintable = safeLine(text) === text;
  if (isPrintable && !NEEDS_QUOTES.test(text)) return text;
  if (isPrintable && !text.includes("'")) return `'${text}'`;
  const escaped = text.replace(/./gsu, (char, at: number) =>
    // A backslash before `u{` would look like an escape of safeLine().
    char === '\\' && text.startsWith('u{', at + 1) ? '\\x5c' : escapeInQuotes(char),
  );
  return `"${escaped}"`;
}

function escapeInQuotes(char: string): string {
  if (char === '\\' || char === '"') return `\\${char}`;
  return safeLine(char) === char ? char : escapeHidden(char);
}

/** `\n`, or the form with four digits for each unit, which safeLine() leaves as it is. */
function escapeHidden(char: string): string {
  const simple = Object.entries(ESCAPES).find(([, value]) => value === char)?.[0];
  if (simple !== undefined) return `\\${simple}`;
  return Array.from({ length: char.length }, (_, at) => {
    return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/**
 * Without quotes, which a file after @ must not have. A newline after a backslash would be lost,
 * and the word would name another file.
 */
export function spellBare(text: string): string {
  return text.replace(/[;'"\\ ]|[^\x21-\x7e]/gsu, (char) =>
    safeLine(char) === char ? (/[\s;'"\\]/.test(char) ? `\\${char}` : char) : escapeHidden(char),
  );
}
