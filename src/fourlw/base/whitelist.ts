export type Whitelist = ReadonlySet<string>;

/** Apache's words, and those that only read. `csnp` and `rqld` must be named. */
export const KNOWN_WORDS: readonly string[] =
  'conf cons crst dirs dump envi gtmk ruok stmk srst srvr stat wchc wchp wchs mntr isro hash'
    .split(' ')
    .concat('load', 'apiv', 'ftfl', 'lgif', 'telnet close');

/**
 * Parses `4lw.commands.whitelist`: a list with commas, or `*`. The default is only `srvr`. Apache's
 * servers send each other `srvr`, and in read-only mode `isro`, so every list includes these
 * (FourLetterCommands.isEnabled).
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

export function notExecuted(word: string): string {
  return `${word} is not executed because it is not in the whitelist.\n`;
}
