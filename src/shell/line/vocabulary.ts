import type { Aliases } from '../../commands/zksh/engine/aliases.js';
import type { Command, CommandDeclaration } from '../../commands/zksh/engine/command.js';
import { innerWords } from '../../commands/zksh/engine/inner-words.js';
import { isHistoryReference } from '../../commands/zksh/language/history-reference.js';
import { parseLine, type Statement, type Token } from '../../commands/zksh/language/parse-line.js';
import { suggestCommand } from '../../commands/zksh/running/registry.js';
import { isOptionLike, rolesOf } from './word-role.js';

/** What is known of a command without running it. */
export type KnownCommand = Omit<Command, 'run'>;

/** The commands of the shell, for the parts that look at a line without running it. */
export interface Vocabulary {
  /** Names and aliases, in the order of help. */
  readonly words: readonly string[];
  /** The command of a name or alias; undefined when there is none. */
  find(word: string): KnownCommand | undefined;
}

/** @param aliases as they are at the time; a name is read as the command that it begins with */
export function makeVocabulary(
  commands: readonly KnownCommand[],
  aliases: Aliases = new Map(),
): Vocabulary {
  const byWord = new Map<string, KnownCommand>();
  for (const command of commands) {
    for (const word of [command.name, ...(command.aliases ?? [])]) byWord.set(word, command);
  }
  const known = [...byWord.keys()];
  return {
    get words() {
      return aliases.size === 0 ? known : [...known, ...aliases.keys()];
    },
    find: (word) => byWord.get(word) ?? byWord.get(commandOf(word, aliases)),
  };
}

/** What the last command of an alias is called, to which the words behind it belong. */
function commandOf(word: string, aliases: Aliases): string {
  let name = word;
  for (const _ of aliases) {
    const line = aliases.get(name);
    if (line === undefined) break;
    name = parseLine(line).statements.at(-1)?.tokens[0]?.text ?? '';
  }
  return name;
}

/**
 * May the history keep this line? Not when a command in it takes a secret, nor when its command
 * is such a command's name typed wrong; not with a password in a server list or in the clear in an
 * ACL; nor when the line begins with a blank, as in other shells, or stands for an earlier one.
 */
export function isStorable(line: string, vocabulary: Vocabulary): boolean {
  if (/^\s/.test(line) || isHistoryReference(line)) return false;
  return !parseLine(line).statements.some((statement) => hasSecret(statement, vocabulary));
}

/** A digest as the server keeps it: SHA-1 in base64. Anything else may be a password. */
const CLEAR_DIGEST = /(?:^|,)digest:[^:,]*:(?![A-Za-z0-9+/]{27}=(?::|$))[^:,]/;
const SERVERS_WITH_PASSWORD = /^(?:\w+:\/\/)?[^/\s]*:[^/\s]*@/;

function hasSecret(statement: Statement, vocabulary: Vocabulary): boolean {
  const [name, ...words] = statement.tokens;
  if (words.some(({ text }) => CLEAR_DIGEST.test(text))) return true;
  const command = meant(name, vocabulary);
  const inner = innerWords(command, words);
  if (inner.length > 0 && hasSecret({ ...statement, tokens: inner }, vocabulary)) return true;
  if (command?.name === 'alias')
    return words.some(({ text }) => !isStorable(text.trim(), vocabulary));
  if (command === undefined) return words.some((word) => takesSecret(meant(word, vocabulary)));
  if (takesSecret(command) || mayGiveSecretOption(command, words)) return true;
  const { words: roles } = rolesOf(command, words);
  return roles.some((role, index) => {
    if (role.role !== 'value') return false;
    const { kind } = role.spec;
    const text = words[index]?.text ?? '';
    // A command that runs another: the other one counts.
    if (kind === 'command' && command.name !== 'help') return takesSecret(vocabulary.find(text));
    return kind === 'target' && SERVERS_WITH_PASSWORD.test(text);
  });
}

function meant(word: Token | undefined, vocabulary: Vocabulary): CommandDeclaration | undefined {
  const text = word?.text ?? '';
  return vocabulary.find(text) ?? vocabulary.find(suggestCommand(text) ?? '');
}

function takesSecret(command: CommandDeclaration | undefined): boolean {
  return Object.values(command?.args ?? {}).some(({ kind }) => kind === 'secret');
}

/** One that is spelt wrong is an option too. */
function mayGiveSecretOption(command: CommandDeclaration, words: readonly Token[]): boolean {
  const options = Object.entries(command.options);
  if (!options.some(([, { kind }]) => kind === 'secret')) return false;
  const harmless = new Set(
    options
      .filter(([, { kind }]) => kind !== 'secret')
      .flatMap(([option, { letter }]) => [`--${option}`, `-${letter ?? option}`]),
  );
  return words.some(
    (word) => isOptionLike(word) && !harmless.has(word.text.split('=', 1)[0] ?? ''),
  );
}
