// The command line of a program with verbs: zkops and zkserver. zksh has its own, because a word of
// its line may be a server, but parses, completes, and explains options with the same parts.
import { CommandError, usageError } from '../program/command-error.js';
import { ExitCode, type ExitStatuses } from '../program/exit-status.js';
import { packageVersion } from '../program/package-version.js';
import { suggestWord } from '../program/suggest-word.js';
import { COMPLETION_SHELLS, completionShell } from './completion-shells.js';
import type { CommandDeclaration, ParsedArguments } from './declaration.js';
import { type Environment, wordsOfEnvironment } from './environment.js';
import { commandHelp, programHelp, statusHelp } from './help-text.js';
import { parseArguments } from './parse-arguments.js';
import { type Call, callOf, commandOf, helpWords } from './subcommands.js';
import { tokensOf } from './word-role.js';

/** A verb that returns the exit status. */
export interface ProgramCommand extends CommandDeclaration {
  readonly subcommands?: never;
  run(parsed: ParsedArguments): Promise<number>;
}

/** Verbs under one name: `snap top`, `snap dump`. */
export interface ProgramFamily extends CommandDeclaration {
  readonly subcommands: readonly ProgramCommand[];
}

export type ProgramVerb = ProgramCommand | ProgramFamily;

/** A verb loads on demand, because a check every minute should not pay for the others. */
export interface ProgramEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<ProgramVerb>;
}

export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly exitStatus: ExitStatuses;
  readonly entries: readonly ProgramEntry[];
  /** If the command line has one of these options, the environment sets none of them. */
  readonly exclusive?: readonly string[];
}

export interface ProgramIo {
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Where ZKOPS_TIMEOUT is the default of --timeout; undefined reads no variables. */
  readonly env?: Environment | undefined;
}

const VERSION = ['-V', '--version'];
const HELP = ['-h', '--help'];

/** Returns the exit status. @throws CommandError USAGE, and the error of the verb */
export async function runProgram(
  program: Program,
  words: readonly string[],
  io: ProgramIo,
): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined) {
    io.writeError(helpOf(program));
    return ExitCode.usage;
  }
  if (VERSION.includes(first)) return print(io, `${program.name} ${packageVersion()}\n`);
  if (HELP.includes(first) || (first === 'help' && rest.length === 0)) {
    return print(io, helpOf(program));
  }
  if (first === 'completion' && !rest.some((word) => HELP.includes(word))) {
    const shell = completionShell(rest);
    const { completionScript } = await import('./completion-script.js');
    return print(io, completionScript(program.name, shell));
  }
  const isHelp = first === 'help';
  const call = await findCall(program, isHelp ? rest : words);
  const help = () =>
    `${commandHelp(call.command, program.name)}\n\n${statusHelp(program.exitStatus)}\n`;
  if (isHelp || helpWords(call, HELP).length > 0) return print(io, help());
  if (call.command.subcommands !== undefined && call.words.length === 0) {
    io.writeError(help());
    return ExitCode.usage;
  }
  return run(program, call, io);
}

function helpOf(program: Program): string {
  return programHelp(program, [...program.entries, COMPLETION]);
}

function print(io: ProgramIo, text: string): number {
  io.writeOut(text);
  return ExitCode.ok;
}

async function run(program: Program, call: Call<ProgramVerb>, io: ProgramIo): Promise<number> {
  const command = commandOf(call, { start: 0, end: 0 });
  const typed = parseArguments(command, call.words);
  const isTyped = (option: string) => typed.tokens[option] !== undefined;
  const exclusive = program.exclusive?.some(isTyped) === true ? program.exclusive : [];
  const isTaken = (option: string) => isTyped(option) || exclusive.includes(option);
  const words = wordsOfEnvironment(program.name, command, isTaken, io.env ?? {});
  const isSame = words.length === 0;
  const parsed = isSame ? typed : parseArguments(command, [...tokensOf(words), ...call.words]);
  return command.run(parsed);
}

/** @throws CommandError USAGE for an unknown verb */
export async function findCall(
  program: Program,
  words: readonly string[],
): Promise<Call<ProgramVerb>> {
  const [first = ''] = words;
  const entry = program.entries.find(({ name }) => name === first);
  if (entry !== undefined) return callOf<ProgramVerb>(await entry.load(), tokensOf(words));
  if (first === 'completion') return callOf<ProgramVerb>(COMPLETION, tokensOf(words));
  const kind = first.startsWith('-') ? `unknown option: ${first}` : `unknown command: "${first}"`;
  const names = program.entries.map(({ name }) => name);
  const suggestion = first.startsWith('-') ? undefined : suggestWord(first, names);
  const hint = suggestion === undefined ? undefined : `did you mean ${suggestion}?`;
  throw usageError(kind, undefined, { hint });
}

/** Every program has it; runProgram prints the script. */
export const COMPLETION: ProgramFamily = {
  name: 'completion',
  summary: 'Print a completion script for a shell',
  options: {},
  subcommands: [],
  args: { shell: { kind: 'text', choices: COMPLETION_SHELLS, summary: 'the shell' } },
  examples: [],
};

/** The usage of a verb with many options is longer than a screen, so the hint names the help. */
export function withShortHint(program: string, error: CommandError): CommandError {
  const { code, hint, message, exitCode } = error;
  if (hint?.startsWith('usage: ') !== true) return error;
  const instead = `${program} --help explains the options`;
  return new CommandError(message, { code, exitCode, hint: instead, cause: error });
}
