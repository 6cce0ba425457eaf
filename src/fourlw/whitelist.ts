/** The words that a server executes. */
export type Whitelist = ReadonlySet<string>;

/** All known words, including the byte sequence of a telnet client. */
export const KNOWN_WORDS: readonly string[] =
  'conf cons crst dirs dump envi gtmk ruok stmk srst srvr stat wchc wchp wchs mntr isro hash'
    .split(' ')
    .concat('telnet close');

/**
 * Parses `4lw.commands.whitelist`: a comma list, or `*` for every word. By default only `srvr` is
 * allowed. Apache's servers send each other `srvr`, and `isro` in read-only mode, so every list
 * includes these (FourLetterCommands.isEnabled).
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

/** The answer to a known word that is not allowed. */
export function notExecuted(word: string): string {
  return `${word} is not executed because it is not in the whitelist.\n`;
}
