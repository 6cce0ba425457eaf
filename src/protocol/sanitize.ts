/**
 * Foreign text for a terminal or a log. Characters that move the cursor, reorder text, or are
 * invisible become `\u{202e}`: a name cannot imitate another one, forge a line, or control the
 * terminal. A backslash before `u{` is escaped, too, so that the escape cannot be forged.
 */

/** Most text is plain, and needs no pattern with Unicode properties, which compile slowly. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
const PLAIN_LINES = /^[\x20-\x7e\n\t]*$/;

/** Control, format, and bidi characters, lone surrogates, separators, and ignorable characters. */
const hidden = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\\(?=u\{)/gu;

/** zksh can parse it. */
function escapeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** One line, such as a name, a path, or a cell. Escapes line breaks and tabs, too. */
export function safeLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(hidden(), escapeOf);
}

/** Several lines, such as a value or an answer. Keeps line breaks and tabs. */
export function safeText(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  return text.replace(hidden(), (char) => ('\n\t\\'.includes(char) ? char : escapeOf(char)));
}

/** For programs: exact, except for control characters, which could forge a line or field. */
export function plainLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(/\p{Cc}|\\(?=u\{)/gu, escapeOf);
}

/** Equivalent JSON that is safe for a terminal, with JSON's own escapes: `\u202e`. */
export function safeJson(json: string): string {
  if (PLAIN_LINES.test(json) && !json.includes('\t')) return json;
  return json.replace(hidden(), (char) => ('\n\\'.includes(char) ? char : jsonEscapeOf(char)));
}

function jsonEscapeOf(char: string): string {
  return Array.from({ length: char.length }, (_, at) => {
    return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
