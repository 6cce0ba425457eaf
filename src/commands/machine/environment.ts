// ZKSH_TIMEOUT is the default of --timeout of zksh, ZKOPS_TIMEOUT of zkops, and so on.
import { CommandError, usageError } from '../program/command-error.js';
import type { CommandDeclaration, OptionSpec } from './declaration.js';
import { parseArguments } from './parse-arguments.js';
import { tokensOf } from './word-role.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `ZKOPS_FAIL_ON` of `fail-on`. */
export function variableOf(program: string, option: string): string {
  return `${program}_${option}`.replaceAll('-', '_').toUpperCase();
}

/**
 * Words such as `--timeout=2s` for the variables that are set. An empty variable counts as unset.
 * @param isTaken options that the command line decides
 * @throws CommandError USAGE that names the variable
 */
export function wordsOfEnvironment(
  program: string,
  { options }: Pick<CommandDeclaration, 'options'>,
  isTaken: (option: string) => boolean,
  env: Environment,
): readonly string[] {
  return Object.entries(options).flatMap(([option, spec]) => {
    const variable = variableOf(program, option);
    const text = isTaken(option) ? undefined : env[variable] || undefined;
    if (text === undefined) return [];
    if (spec.kind === undefined) return isOn(variable, text) ? [`--${option}`] : [];
    const word = `--${option}=${text}`;
    checkVariable(variable, word, { [option]: spec });
    return [word];
  });
}

const SWITCH: Readonly<Record<string, boolean>> = { 1: true, true: true, 0: false, false: false };

function isOn(variable: string, text: string): boolean {
  const is = SWITCH[text.toLowerCase()];
  if (is !== undefined) return is;
  throw usageError(`${variable}: invalid value: "${text}" (expected 1, 0, true, or false)`);
}

function checkVariable(
  variable: string,
  word: string,
  options: Readonly<Record<string, OptionSpec>>,
): void {
  try {
    const declaration = { name: variable, summary: '', options, args: {}, examples: [] };
    parseArguments(declaration, tokensOf([word]));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const why = error.message.replace(/^--[a-z-]+: /, '');
    throw usageError(`${variable}: ${why}`, undefined, { hint: error.hint, cause: error });
  }
}
