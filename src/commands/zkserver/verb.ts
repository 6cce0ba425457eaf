import type { ArgumentSpecs, OptionSpecs } from '../machine/declaration.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import type { Result } from '../results/result.js';
import type { EnsembleScreen } from './ensemble-screen.js';

export interface VerbArguments {
  /** A zoo.cfg, or a port and a folder. */
  readonly operands: readonly string[];
  /** Set by -D, or by the environment of zkServer.sh. */
  readonly properties: Readonly<Record<string, string>>;
  /** Set by -D alone. */
  readonly ownProperties: Readonly<Record<string, string>>;
  /** Without -D. */
  readonly options: VerbOptions;
}

export interface VerbOptions {
  readonly myid?: number;
  readonly force?: boolean;
  readonly unit?: boolean;
  readonly servers?: string;
  readonly 'client-port'?: number;
  readonly size?: number;
  readonly observers?: number;
  readonly 'base-port'?: number;
  readonly dir?: string;
}

/** What a verb needs; the answer to a verb is its result. */
export interface VerbIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes before the end of a verb. */
  writeOut(text: string): void;
  /** Writes one line, and adds the newline. */
  writeError(line: string): void;
  /** Undefined without a terminal on stderr. */
  readonly openScreen?: () => Promise<EnsembleScreen>;
}

export interface ServerVerb {
  readonly name: string;
  readonly summary: string;
  readonly args: ArgumentSpecs;
  readonly options: OptionSpecs;
  run(args: VerbArguments, io: VerbIo): Promise<Result>;
}

/** Arguments of verbs about one server; by default that of zkServer.sh (script-environment.ts). */
export const TARGET_ARGS: ArgumentSpecs = {
  'zoo.cfg|port': { kind: 'file', isOptional: true, summary: 'a zoo.cfg, or a port for clients' },
  datadir: { kind: 'folder', isOptional: true, summary: 'after a port: the folder of the data' },
};

export async function printResult(result: Result, io: VerbIo): Promise<void> {
  // Most runs serve, and have nothing to print.
  if (result.kind === 'end') return;
  const { resultToText } = await import('../results/kinds.js');
  io.writeOut(resultToText(result, { isTerminal: false }).toString());
}

/** Lines that say what a verb did. */
export function said(...lines: readonly string[]): Result {
  const text = lines.join('\n');
  return { kind: 'message', text, fields: { message: text } };
}

/** What to do if the files of a server belong to another user. */
export const OTHER_USER = 'run this as root, or as the user of the server';

/** An error of a verb. @param text the sentence; further lines say what to do */
export function verbError(exitCode: number, text: string, hint?: string): CommandError {
  return new CommandError(text, { code: 'SERVER', exitCode, hint });
}

/** Lines of another source that name their own place, such as the errors of zoo.cfg. */
export function quotedError(exitCode: number, lines: readonly string[]): CommandError {
  return new CommandError(lines.join('\n'), { code: 'SERVER', exitCode, isQuoted: true });
}

export function usageError(message: string): CommandError {
  return verbError(ExitCode.usage, message, 'zkserver --help explains the options');
}
