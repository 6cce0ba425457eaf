/** Columns of a character, roughly: East Asian wide ones and emoji take two, marks none. */
export function widthOf(char: string): number {
  if (/\p{M}/u.test(char)) return 0;
  const code = char.codePointAt(0) ?? 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return isWide ? 2 : 1;
}

/** Columns of a text on one line. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += widthOf(char);
  return width;
}
