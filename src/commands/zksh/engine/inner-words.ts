import type { CommandDeclaration } from '../../machine/declaration.js';
import { rolesOf } from '../../machine/word-role.js';
import type { Token } from '../language/parse-line.js';

/** `ls /` in `time ls /`; empty for other commands. @param words after the name */
export function innerWords(command: CommandDeclaration, words: readonly Token[]): readonly Token[] {
  const { words: roles } = rolesOf(command, words);
  const at = roles.findIndex((role) => role.role === 'value' && role.spec.kind === 'word');
  return at === -1 ? [] : words.slice(at);
}
