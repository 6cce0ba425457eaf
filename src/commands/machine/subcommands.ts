import { type Place, usageError } from '../program/command-error.js';
import { suggestWord } from '../program/suggest-word.js';
import type { Token } from '../zksh/language/parse-line.js';
import { type CommandDeclaration, subcommandWords } from './declaration.js';
import { rolesOf } from './word-role.js';

type Family<Sub> = CommandDeclaration & { readonly subcommands: readonly Sub[] };

/** Commands under one name. Options of any subcommand may precede the subcommand. */
export function defineFamily<
  Sub extends CommandDeclaration,
  Own extends Pick<CommandDeclaration, 'name' | 'summary'>,
>(family: Own & { readonly subcommands: readonly Sub[] }): Own & Family<Sub> {
  const siblings = family.subcommands;
  const choices = subcommandWords(family);
  return {
    ...family,
    subcommands: siblings.map((command) => ({ ...command, siblings })),
    options: Object.assign({}, ...siblings.map(({ options }) => options)),
    args: { subcommand: { kind: 'text', choices, summary: 'the subcommand' } },
    examples: [],
  };
}

/** A command, or a family of them. */
type Callable<V> = Omit<CommandDeclaration, 'subcommands'> & {
  readonly subcommands?: readonly V[] | undefined;
};

export interface Call<V> {
  readonly command: V;
  readonly name: readonly Token[];
  readonly words: readonly Token[];
}

/** @returns the family itself if its subcommand is missing or unknown */
export function callOf<V extends Callable<V>>(
  verb: V,
  [first, ...words]: readonly Token[],
): Call<V> {
  const name = first === undefined ? [] : [first];
  const at = subcommandAt(verb, words);
  const word = words[at];
  const command = verb.subcommands?.find((each) => each.name === `${verb.name} ${word?.text}`);
  if (command === undefined || word === undefined) return { command: verb, name, words };
  return { command, name: [...name, word], words: words.toSpliced(at, 1) };
}

/** -1 without a subcommand. */
function subcommandAt(verb: Callable<unknown>, words: readonly Token[]): number {
  if (verb.subcommands === undefined) return -1;
  return rolesOf(verb, words).words.findIndex(
    (role) => role.role === 'value' && role.spec === verb.args['subcommand'],
  );
}

/** The words of a call that ask for its help; empty for other calls. */
export function helpWords(
  { command, words }: Call<CommandDeclaration>,
  flags: readonly string[] = ['--help'],
): readonly Token[] {
  const { words: roles } = rolesOf(command, words);
  return words.filter(({ text }, at) => flags.includes(text) && roles[at]?.role === 'option');
}

/** Fails for a family without a valid subcommand, at the end of the given place. */
export function commandOf<V extends Callable<V>>(
  { command, words }: Call<V>,
  { end }: Place,
): Extract<V, { readonly subcommands?: never }> {
  // Only a family has subcommands.
  if (command.subcommands === undefined) {
    return command as Extract<V, { readonly subcommands?: never }>;
  }
  const wrong = words[subcommandAt(command, words)];
  const choices = subcommandWords({ name: command.name, subcommands: command.subcommands });
  const expected = `(expected ${choices.join(', ').replace(/, (?=[^,]*$)/, ' or ')})`;
  if (wrong === undefined) {
    throw usageError(`${command.name}: missing subcommand ${expected}`, {
      start: end,
      end: end + 1,
    });
  }
  const suggestion = suggestWord(wrong.text, choices);
  throw usageError(`${command.name}: unknown subcommand: "${wrong.text}" ${expected}`, wrong, {
    hint: suggestion === undefined ? `run help ${command.name}` : `did you mean ${suggestion}?`,
  });
}
