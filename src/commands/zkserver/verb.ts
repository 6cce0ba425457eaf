/** The declaration of a verb of zkserver; cli.ts lists all verbs. */
import type { CallOption } from '../program/command-line.js';
import type { EnsembleScreen } from './ensemble-screen.js';

/** The exit statuses of zkserver, as in zkserver(8); errors of the server have further ones. */
export const Exit = {
  OK: 0,
  /** Not running, already running, or an unexpected error. */
  FAILED: 1,
  /** An invalid command line or zoo.cfg. */
  USAGE: 2,
  /** The data directory cannot be used. */
  DATA_DIR: 4,
} as const;

/** The words after the verb. */
export interface VerbArguments {
  /** A zoo.cfg, or a port and a folder. */
  readonly operands: readonly string[];
  /** -D name=value, by name. */
  readonly properties: Readonly<Record<string, string>>;
  /** Options other than -D, as the verb declares them. */
  readonly options: VerbOptions;
}

export interface VerbOptions {
  readonly myid?: number;
  readonly force?: true;
  readonly servers?: string;
  readonly clientPort?: number;
  readonly size?: number;
  readonly observers?: number;
  readonly basePort?: number;
  readonly dir?: string;
}

export interface VerbIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  writeOut(text: string): void;
  /** One line for the operator; the newline is added. */
  writeError(line: string): void;
  /** Shows an ensemble on the terminal of stderr; undefined without a terminal. */
  readonly openScreen?: () => Promise<EnsembleScreen>;
}

export interface ServerVerb {
  readonly name: string;
  readonly summary: string;
  /** As commander writes them. */
  readonly args: readonly string[];
  /** Options other than -D. */
  readonly options: readonly CallOption[];
  /** Resolves to the exit status. */
  run(args: VerbArguments, io: VerbIo): Promise<number>;
}

/** A zoo.cfg, or a port and a data directory. */
export const TARGET_ARGS = ['<zoo.cfg|port>', '[datadir]'] as const;

/** An error for the user; `lines` are its text. */
export class VerbError extends Error {
  override readonly name = 'VerbError';
  readonly lines: readonly string[];
  readonly exitCode: number;

  constructor(exitCode: number, ...lines: string[]) {
    super(lines.join('\n'));
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

export function usageError(message: string): VerbError {
  return new VerbError(Exit.USAGE, `zkserver: ${message}; see zkserver --help`);
}
