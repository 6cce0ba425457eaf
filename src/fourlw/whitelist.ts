/** The words that a server executes. */
export type Whitelist = ReadonlySet<string>;

/** Every word that the server knows, the byte sequence of a telnet client among them. */
export const KNOWN_WORDS: readonly string[] =
  'conf cons crst dirs dump envi gtmk ruok stmk srst srvr stat wchc wchp wchs mntr isro hash'
    .split(' ')
    .concat('telnet close');

/**
 * Reads the value of `4lw.commands.whitelist`: a comma list, `*` for every word. Without one only
 * `srvr` is allowed. Apache's servers ask each other `srvr`, and `isro` in read-only mode, so these
 * are added to every list (FourLetterCommands.isEnabled).
 */
export function parseWhitelist(
  text: string | undefined,
  isReadOnlyModeEnabled: boolean,
): Whitelist {
  const listed = (text ?? '').split(',').map((word) => word.trim());
  const words = new Set(listed.filter((word) => word !== '' && word !== '*'));
  if (listed.includes('*')) for (const word of KNOWN_WORDS) words.add(word);
  if (isReadOnlyModeEnabled) words.add('isro');
  words.add('srvr');
  return words;
}

export function isAllowed(word: string, whitelist: Whitelist): boolean {
  return whitelist.has(word);
}

/** The answer to a word that the server knows and does not allow. */
export function notExecuted(word: string): string {
  return `${word} is not executed because it is not in the whitelist.\n`;
}
