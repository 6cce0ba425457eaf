import type { Token } from '../language/parse-line.js';
import type { CommandDeclaration } from './command.js';
import { rolesOf } from './word-role.js';

/**
 * Of a command that runs another one (`time ls /`): the words of that one. Empty for any other,
 * and where it has not begun.
 * @param words those behind the command's name
 */
export function innerWords(command: CommandDeclaration, words: readonly Token[]): readonly Token[] {
  const { words: roles } = rolesOf(command, words);
  const at = roles.findIndex((role) => role.role === 'value' && role.spec.kind === 'word');
  return at === -1 ? [] : words.slice(at);
}
