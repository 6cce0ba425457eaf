/** DESIGN: the exit codes of zksh, which zksh(1) documents. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  connection: 3,
  noNode: 4,
  nodeExists: 5,
  notEmpty: 6,
  badVersion: 7,
  noAuth: 8,
  partial: 9,
  unknownCommand: 127,
  interrupted: 130,
  /** As a shell reports a program that SIGPIPE ended. */
  readerGone: 141,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Offsets into a line as typed, in UTF-16 units; `end` is after the last one. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** An error of a command in all its renderings; error-report.ts makes one of anything thrown. */
export interface ErrorReport {
  /** For programs: ZooKeeper's name ("NONODE"), or one of ours ("USAGE", "UNKNOWNCOMMAND"). */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What happened, for people; no full stop at its end. */
  readonly sentence: string;
  readonly path?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Where in the line, for a caret. */
  readonly place?: Place;
  /** Where in a script; lines count from 1. */
  readonly location?: { readonly file: string; readonly line: number };
}

export interface CommandErrorOptions {
  readonly code: string;
  readonly exitCode?: ExitCode;
  readonly path?: string;
  readonly hint?: string | undefined;
  readonly place?: Place | undefined;
  readonly cause?: unknown;
}

/** What a command throws when the fault is not the server's; `message` is the sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly place: Place | undefined;

  constructor(sentence: string, options: CommandErrorOptions) {
    super(sentence, { cause: options.cause });
    this.code = options.code;
    this.exitCode = options.exitCode ?? ExitCode.failed;
    this.path = options.path;
    this.hint = options.hint;
    this.place = options.place;
  }
}

/** A line that is wrong before anything was sent; exit code 2. */
export function usageError(
  sentence: string,
  place: Place | undefined,
  hint?: string,
): CommandError {
  return new CommandError(sentence, { code: 'USAGE', exitCode: ExitCode.usage, place, hint });
}

/** For a command that ran another one, to fail as that did. */
export function errorOf({ sentence, ...report }: ErrorReport): CommandError {
  return new CommandError(sentence, report);
}

export function notConnected(): CommandError {
  const [hint, exitCode] = ['connect HOST:PORT opens a session', ExitCode.connection];
  return new CommandError('not connected', { code: 'NOTCONNECTED', exitCode, hint });
}
