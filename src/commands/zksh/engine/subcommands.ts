import { CommandError, type Place, usageError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import { suggestWord } from '../../program/suggest-word.js';
import type { Token } from '../language/parse-line.js';
import {
  type Command,
  type CommandDeclaration,
  type CommandFamily,
  type CommandTable,
  subcommandWords,
  type Verb,
} from './command.js';
import { helpOf } from './help-text.js';
import { HELP_OPTION, rolesOf } from './word-role.js';

type FamilyDeclaration = Pick<CommandDeclaration, 'name' | 'group' | 'summary' | 'description'>;

/** Options of any subcommand may precede the subcommand. */
export function defineFamily(
  family: FamilyDeclaration & { readonly subcommands: readonly Command[] },
): CommandFamily {
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

export interface Call {
  readonly command: Verb;
  readonly name: readonly Token[];
  readonly words: readonly Token[];
}

/** @returns the family itself if its subcommand is missing or unknown */
export function callOf(verb: Verb, [first, ...words]: readonly Token[]): Call {
  const name = first === undefined ? [] : [first];
  const at = subcommandAt(verb, words);
  const word = words[at];
  const command = verb.subcommands?.find((each) => each.name === `${verb.name} ${word?.text}`);
  if (command === undefined || word === undefined) return { command: verb, name, words };
  return { command, name: [...name, word], words: words.toSpliced(at, 1) };
}

/** -1 without a subcommand. */
function subcommandAt(verb: Verb, words: readonly Token[]): number {
  if (verb.subcommands === undefined) return -1;
  return rolesOf(verb, words).words.findIndex(
    (role) => role.role === 'value' && role.spec === verb.args['subcommand'],
  );
}

/** With --help, a call that prints the help. */
export function toRun(call: Call): Call {
  const { words: roles } = rolesOf(call.command, call.words);
  const words = call.words.filter(
    ({ text }, at) => text === '--help' && roles[at]?.role === 'option',
  );
  if (words.length === 0) return call;
  const { name, group, summary } = call.command;
  const command: Command = {
    name,
    group,
    summary,
    options: { help: HELP_OPTION },
    args: {},
    examples: [],
    isLocal: true,
    run: async () => helpOf(call.command),
  };
  return { ...call, command, words: words.slice(0, 1) };
}

export async function findCall(
  words: readonly Token[],
  commands: CommandTable,
): Promise<Call | undefined> {
  const verb = await commands.find(words[0]?.text ?? '');
  return verb && toRun(callOf(verb, words));
}

export async function requireCall(words: readonly Token[], commands: CommandTable): Promise<Call> {
  const call = await findCall(words, commands);
  if (call !== undefined) return call;
  const [name] = words;
  const suggestion = commands.suggest(name?.text ?? '');
  throw new CommandError(`unknown command: "${name?.text}"`, {
    code: 'UNKNOWNCOMMAND',
    exitCode: ExitCode.unknownCommand,
    place: name,
    hint:
      suggestion === undefined ? 'run help to list the commands' : `did you mean ${suggestion}?`,
  });
}

/** Fails for a family without a valid subcommand, at the end of the given place. */
export function commandOf({ command, words }: Call, { end }: Place): Command {
  if (command.subcommands === undefined) return command;
  const wrong = words[subcommandAt(command, words)];
  const choices = subcommandWords(command);
  const expected = `(expected ${choices.join(', ').replace(/, (?=[^,]*$)/, ' or ')})`;
  if (wrong === undefined) {
    throw usageError(`${command.name}: missing subcommand ${expected}`, {
      start: end,
      end: end + 1,
    });
  }
  const suggestion = suggestWord(wrong.text, choices);
  throw usageError(
    `${command.name}: unknown subcommand: "${wrong.text}" ${expected}`,
    wrong,
    suggestion === undefined ? `run help ${command.name}` : `did you mean ${suggestion}?`,
  );
}
