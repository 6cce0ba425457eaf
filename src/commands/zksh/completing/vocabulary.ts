import type { CommandDeclaration } from '../../machine/declaration.js';
import { type Call, callOf } from '../../machine/subcommands.js';
import { isOptionLike, rolesOf } from '../../machine/word-role.js';
import { type Aliases, expandAliases } from '../engine/aliases.js';
import type { Verb } from '../engine/command.js';
import { toRun } from '../engine/find-call.js';
import { innerWords } from '../engine/inner-words.js';
import { isHistoryReference } from '../language/history-reference.js';
import { parseLine, type Statement, type Token } from '../language/parse-line.js';
import { suggestCommand } from '../running/registry.js';

export interface Vocabulary {
  /** With aliases, in the order of help. */
  readonly words: readonly string[];
  /** An alias counts as its last command. */
  find(word: string): Verb | undefined;
  /** Undefined if the first word is not a verb. */
  callOf(words: readonly Token[]): Call<Verb> | undefined;
}

export function makeVocabulary(
  commands: readonly Verb[],
  aliases: Aliases = new Map(),
): Vocabulary {
  const byWord = new Map<string, Verb>();
  for (const command of commands) {
    for (const word of [command.name, ...(command.aliases ?? [])]) byWord.set(word, command);
  }
  const known = [...byWord.keys()];
  const expand = (tokens: readonly Token[]) =>
    expandAliases([{ tokens, start: 0, end: 0 }], aliases).at(-1)?.tokens ?? [];
  const find = (tokens: readonly Token[]) => byWord.get(tokens[0]?.text ?? '');
  return {
    get words() {
      return aliases.size === 0 ? known : [...known, ...aliases.keys()];
    },
    find: (word) =>
      aliases.has(word)
        ? find(expand(parseLine(word).statements[0]?.tokens ?? []))
        : byWord.get(word),
    callOf(words) {
      const tokens = expand(words);
      const verb = find(tokens);
      return verb && toRun(callOf(verb, tokens));
    },
  };
}

/**
 * False if it starts with a blank, refers to the history, or may contain a secret: an argument of a
 * secret or misspelled command, or a password in a server list or ACL.
 */
export function isStorable(line: string, vocabulary: Vocabulary): boolean {
  if (/^\s/.test(line) || isHistoryReference(line)) return false;
  return !parseLine(line).statements.some((statement) => hasSecret(statement, vocabulary));
}

/** A stored digest is SHA-1 in base64; other text may be a password. */
const CLEAR_DIGEST = /(?:^|,)digest:[^:,]*:(?![A-Za-z0-9+/]{27}=(?::|$))[^:,]/;
const SERVERS_WITH_PASSWORD = /^(?:\w+:\/\/)?[^/\s:]*:[^/\s@]*@/;

function hasSecret(statement: Statement, vocabulary: Vocabulary): boolean {
  const [name, ...rest] = statement.tokens;
  if (rest.some(({ text }) => CLEAR_DIGEST.test(text))) return true;
  const verb = meant(name, vocabulary);
  if (verb === undefined) return rest.some((word) => takesSecret(meant(word, vocabulary)));
  if (takesSecret(verb) || mayGiveSecretOption(verb, rest)) return true;
  if (verb.name === 'alias') return rest.some(({ text }) => !isStorable(text.trim(), vocabulary));
  const { command, words } = callOf(verb, statement.tokens);
  const inner = innerWords(command, words);
  if (inner.length > 0 && hasSecret({ ...statement, tokens: inner }, vocabulary)) return true;
  const { words: roles } = rolesOf(command, words);
  return roles.some((role, index) => {
    if (role.role !== 'value') return false;
    const { kind } = role.spec;
    const text = words[index]?.text ?? '';
    return kind === 'target' && SERVERS_WITH_PASSWORD.test(text);
  });
}

function meant(word: Token | undefined, vocabulary: Vocabulary): Verb | undefined {
  const text = word?.text ?? '';
  return vocabulary.find(text) ?? vocabulary.find(suggestCommand(text) ?? '');
}

function takesSecret(verb: CommandDeclaration | undefined): boolean {
  const isSecret = Object.values(verb?.args ?? {}).some(({ kind }) => kind === 'secret');
  return isSecret || verb?.subcommands?.some(takesSecret) === true;
}

/** Misspelled options count as options, too. */
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
