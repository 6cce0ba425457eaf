/** Control, format and separator characters, which hide, reverse or forge text on a terminal. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Writes them as `\uXXXX`, which JSON reads back as what they were. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (char) => char.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
