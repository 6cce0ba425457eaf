import type { CommandDeclaration } from '../../machine/declaration.js';
import { commandHelp } from '../../machine/help-text.js';
import { type Call, callOf, helpWords } from '../../machine/subcommands.js';
import { HELP_OPTION } from '../../machine/word-role.js';
import { CommandError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Result } from '../../results/result.js';
import type { Token } from '../language/parse-line.js';
import type { Command, CommandTable, Verb } from './command.js';

/** With --help, a call that prints the help. */
export function toRun(call: Call<Verb>): Call<Verb> {
  const words = helpWords(call);
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
): Promise<Call<Verb> | undefined> {
  const verb = await commands.find(words[0]?.text ?? '');
  return verb && toRun(callOf(verb, words));
}

export async function requireCall(
  words: readonly Token[],
  commands: CommandTable,
): Promise<Call<Verb>> {
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

export function helpOf(command: CommandDeclaration): Result {
  return { kind: 'message', text: commandHelp(command), fields: helpFields(command) };
}

export function helpFields(command: CommandDeclaration): Record<string, unknown> {
  const { name, aliases, summary, description, options, args, examples, subcommands } = command;
  const common = { name, aliases, summary, description };
  if (subcommands !== undefined) return { ...common, subcommands: subcommands.map(helpFields) };
  return { ...common, options, args, examples };
}
