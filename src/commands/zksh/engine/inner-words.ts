import type { Token } from '../language/parse-line.js';
import type { CommandDeclaration } from './command.js';

/**
 * Of a command that runs another one (`time ls /`): the words of that one. Empty for any other,
 * and where it has not begun.
 * @param words those behind the command's name
 */
export function innerWords(
  command: CommandDeclaration | undefined,
  words: readonly Token[],
): readonly Token[] {
  const specs = Object.values(command?.args ?? {});
  let before = specs.findIndex(({ kind }) => kind === 'word');
  if (before === -1) return [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.isQuoted || !/^-[^\d.]/.test(word.text)) {
      if (before-- === 0) return words.slice(at);
    } else if (word.text === '--') {
      return words.slice(at + 1 + before);
    } else if (command?.options[word.text.slice(2)]?.kind !== undefined) {
      at++;
    }
  }
  return [];
}
