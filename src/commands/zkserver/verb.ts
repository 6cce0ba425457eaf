/** The verbs of zkserver as data: one file a verb, gathered in cli.ts. */
import type { CallOption } from '../program/command-line.js';
import type { EnsembleScreen } from './ensemble-screen.js';

/** How zkserver ends; zkserver(8) lists the same, and the server's own faults bring theirs. */
export const Exit = {
  OK: 0,
  /** Not running, already running, or an error nobody expected. */
  FAILED: 1,
  /** A bad command line or a bad zoo.cfg. */
  USAGE: 2,
  /** The data directory cannot be used. */
  DATA_DIR: 4,
} as const;

/** What follows the verb on the command line. */
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
  /** Shows an ensemble on the terminal that stderr is; undefined where it is not one. */
  readonly openScreen?: () => Promise<EnsembleScreen>;
}

export interface ServerVerb {
  readonly name: string;
  readonly summary: string;
  /** As commander writes them. */
  readonly args: readonly string[];
  /** Options other than -D. */
  readonly options: readonly CallOption[];
  /** Resolves to the exit code. */
  run(args: VerbArguments, io: VerbIo): Promise<number>;
}

/** A zoo.cfg, or a port and a data directory. */
export const TARGET_ARGS = ['<zoo.cfg|port>', '[datadir]'] as const;

/** zkserver cannot do what it was told; `lines` say why. */
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
