/**
 * Foreign text for a terminal or a log. Characters that move the cursor, reorder text, or are
 * invisible become `\u{202e}`: a name cannot imitate another one, forge a line, or control the
 * terminal. A backslash before `u{` is escaped, too, so that the escape cannot be forged.
 */

/** Control, format, and bidi characters, lone surrogates, separators, and ignorable characters. */
const HIDDEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;
const IN_A_LINE = new RegExp(String.raw`[${HIDDEN}]|\\(?=u\{)`, 'gu');
const IN_TEXT = new RegExp(String.raw`(?![\n\t])[${HIDDEN}]`, 'gu');
const CONTROLS = /\p{Cc}|\\(?=u\{)/gu;
const ESCAPED_IN_JSON = new RegExp(String.raw`(?![\n])[${HIDDEN}]`, 'gu');

/** zksh can parse it. */
export function escapeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** One line, such as a name, a path, or a cell. Escapes line breaks and tabs, too. */
export function safeLine(text: string): string {
  return text.replace(IN_A_LINE, escapeOf);
}

/** Several lines, such as a value or an answer. Keeps line breaks and tabs. */
export function safeText(text: string): string {
  return text.replace(IN_TEXT, escapeOf);
}

/** For programs: exact, except for control characters, which could forge a line or field. */
export function plainLine(text: string): string {
  return text.replace(CONTROLS, escapeOf);
}

/** Equivalent JSON that is safe for a terminal, with JSON's own escapes: `\u202e`. */
export function safeJson(json: string): string {
  return json.replace(ESCAPED_IN_JSON, (char) =>
    Array.from({ length: char.length }, (_, at) => {
      return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
