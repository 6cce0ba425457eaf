import type { ArgumentSpecs, OptionSpecs } from '../machine/declaration.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
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

export interface VerbIo {
  readonly env: Readonly<Record<string, string | undefined>>;
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
  run(args: VerbArguments, io: VerbIo): Promise<number>;
}

/** Arguments of verbs about one server; by default that of zkServer.sh (script-environment.ts). */
export const TARGET_ARGS: ArgumentSpecs = {
  'zoo.cfg|port': { kind: 'file', isOptional: true, summary: 'a zoo.cfg, or a port for clients' },
  datadir: { kind: 'folder', isOptional: true, summary: 'after a port: the folder of the data' },
};

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
