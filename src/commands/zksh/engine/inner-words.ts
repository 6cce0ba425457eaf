import type { Token } from '../language/parse-line.js';
import type { CommandDeclaration } from './command.js';
import { rolesOf } from './word-role.js';

/** Of `time ls /`, these are `ls /`; empty for other commands. @param words after the name */
export function innerWords(command: CommandDeclaration, words: readonly Token[]): readonly Token[] {
  const { words: roles } = rolesOf(command, words);
  const at = roles.findIndex((role) => role.role === 'value' && role.spec.kind === 'word');
  return at === -1 ? [] : words.slice(at);
}
