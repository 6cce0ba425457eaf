const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** One word of a POSIX shell, quoted if needed: the shell changes and runs nothing of it. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
