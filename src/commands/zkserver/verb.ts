import type { CallOption } from '../program/command-line.js';
import type { EnsembleScreen } from './ensemble-screen.js';

/** As in zkserver(8). Errors of the server have further statuses. */
export const Exit = {
  OK: 0,
  /** Not running, already running, or an unexpected error. */
  FAILED: 1,
  /** An invalid command line or zoo.cfg. */
  USAGE: 2,
  /** The data directory cannot be used. */
  DATA_DIR: 4,
} as const;

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
  readonly force?: true;
  readonly unit?: true;
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
  /** Writes one line, and adds the newline. */
  writeError(line: string): void;
  /** Undefined without a terminal on stderr. */
  readonly openScreen?: () => Promise<EnsembleScreen>;
}

export interface ServerVerb {
  readonly name: string;
  readonly summary: string;
  /** In commander's form. */
  readonly args: readonly string[];
  readonly options: readonly CallOption[];
  run(args: VerbArguments, io: VerbIo): Promise<number>;
}

/** Arguments of verbs about one server; by default that of zkServer.sh (script-environment.ts). */
export const TARGET_ARGS = ['[zoo.cfg|port]', '[datadir]'] as const;

/** What to do if the files of a server belong to another user. */
export const OTHER_USER = 'run this as root, or as the user of the server';

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
