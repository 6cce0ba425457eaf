import type { CommandDeclaration } from '../commands/command.js';
import { parseLine, type Statement } from '../commands/parse-line.js';
import { suggestCommand } from '../commands/registry.js';

/** The commands of the shell, for the parts that look at a line without running it. */
export interface Vocabulary {
  /** Names and aliases, in the order of help. */
  readonly words: readonly string[];
  /** The command of a name or alias; undefined when there is none. */
  find(word: string): CommandDeclaration | undefined;
}

export function makeVocabulary(commands: readonly CommandDeclaration[]): Vocabulary {
  const byWord = new Map<string, CommandDeclaration>();
  for (const command of commands) {
    for (const word of [command.name, ...(command.aliases ?? [])]) byWord.set(word, command);
  }
  return { words: [...byWord.keys()], find: (word) => byWord.get(word) };
}

/**
 * May the history keep this line? Not when a command in it takes a secret, nor when its command
 * is such a command's name typed wrong; nor when the line begins with a blank, as in other shells.
 */
export function isStorable(line: string, vocabulary: Vocabulary): boolean {
  if (/^\s/.test(line)) return false;
  return !parseLine(line).statements.some((statement) => hasSecret(statement, vocabulary));
}

function hasSecret({ tokens }: Statement, vocabulary: Vocabulary): boolean {
  const word = tokens[0]?.text ?? '';
  const command = vocabulary.find(word) ?? vocabulary.find(suggestCommand(word) ?? '');
  if (command === undefined) return false;
  const specs = [...Object.values(command.args), ...Object.values(command.options)];
  return specs.some((spec) => spec.kind === 'secret');
}
