import type { Token } from '../language/parse-line.js';
import type { CommandDeclaration } from './command.js';
import { rolesOf } from './word-role.js';

/**
 * The words of a nested command (`time ls /`); empty for other commands, and while it is missing.
 * @param words the words after the command's name
 */
export function innerWords(command: CommandDeclaration, words: readonly Token[]): readonly Token[] {
  const { words: roles } = rolesOf(command, words);
  const at = roles.findIndex((role) => role.role === 'value' && role.spec.kind === 'word');
  return at === -1 ? [] : words.slice(at);
}
