/** The exit statuses of zksh, documented in zksh(1). */
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
  /** 128 + SIGPIPE, as a shell reports it. */
  readerGone: 141,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Offsets into a line as typed, in UTF-16 units; `end` is after the last one. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** An error of a command; error-report.ts builds one from any error. */
export interface ErrorReport {
  /** ZooKeeper's name ("NONODE"), or one of zksh ("USAGE", "UNKNOWNCOMMAND"). */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Without a period. */
  readonly sentence: string;
  readonly path?: string;
  readonly hint?: string;
  readonly place?: Place;
  /** Lines start at 1. */
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

/** An error of a command that does not come from the server. */
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

/** An invalid line, found before the shell sent anything; exit status 2. */
export function usageError(
  sentence: string,
  place: Place | undefined,
  hint?: string,
): CommandError {
  return new CommandError(sentence, { code: 'USAGE', exitCode: ExitCode.usage, place, hint });
}

export function errorOf({ sentence, ...report }: ErrorReport): CommandError {
  return new CommandError(sentence, report);
}

export function notConnected(): CommandError {
  const [hint, exitCode] = ['run connect HOST:PORT to open a session', ExitCode.connection];
  return new CommandError('not connected', { code: 'NOTCONNECTED', exitCode, hint });
}
