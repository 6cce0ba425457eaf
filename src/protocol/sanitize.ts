/**
 * Text of others as a terminal or a log may get it. What moves the cursor, changes the order of
 * characters or shows nothing becomes `\u{202e}`, so that no name can pose as another one, forge a
 * line or give the terminal an order. A backslash before `u{` is escaped too, so that the escape
 * itself cannot be forged.
 */

/** Controls, format and bidi characters, lone surrogates, separators, and all that is ignored. */
const HIDDEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;
const IN_A_LINE = new RegExp(String.raw`[${HIDDEN}]|\\(?=u\{)`, 'gu');
const IN_TEXT = new RegExp(String.raw`(?![\n\t])[${HIDDEN}]`, 'gu');
const CONTROLS = /\p{Cc}|\\(?=u\{)/gu;
const ESCAPED_IN_JSON = new RegExp(String.raw`(?![\n])[${HIDDEN}]`, 'gu');

/** As zksh reads it back. */
export function escapeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** One line: a name, a path, a cell, a sentence. Line breaks and tabs are escaped too. */
export function safeLine(text: string): string {
  return text.replace(IN_A_LINE, escapeOf);
}

/** Several lines: a value, an answer. Line breaks and tabs stay. */
export function safeText(text: string): string {
  return text.replace(IN_TEXT, escapeOf);
}

/** One line for a program: exact, but for controls, which could forge a line or a field. */
export function plainLine(text: string): string {
  return text.replace(CONTROLS, escapeOf);
}

/** JSON that says the same, and can be shown on a terminal: its syntax has only `\u202e`. */
export function safeJson(json: string): string {
  return json.replace(ESCAPED_IN_JSON, (char) =>
    Array.from({ length: char.length }, (_, at) => {
      return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
