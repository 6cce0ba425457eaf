/** How a server process ends, as zkserver.8 lists it. */
export const ExitCode = {
  OK: 0,
  /** A broken invariant or an error nobody expected. */
  UNEXPECTED: 1,
  USAGE: 2,
  /** The data cannot be read (a corrupt log, no usable snapshot), or is another ensemble's. */
  DATA: 3,
  /** The data directory cannot be used: another server has it, no permission. */
  DATA_DIR: 4,
  /** A port cannot be listened on. */
  BIND: 5,
  /** The log could not be written: nothing more can be acknowledged. */
  DISK: 6,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A server that cannot start or go on; the message is a sentence for the operator. */
export class ServerError extends Error {
  override readonly name: string = 'ServerError';
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.exitCode = exitCode;
  }
}

export class LogWriteError extends ServerError {
  override readonly name = 'LogWriteError';

  constructor(folder: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      'ELOGWRITE',
      ExitCode.DISK,
      `the transaction log in ${folder} could not be written (${why}): nothing more can be acknowledged, so the server stops`,
      cause,
    );
  }
}

/** Did a call on a file fail since there is no such file? */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function unusable(message: string, cause?: unknown): ServerError {
  return new ServerError('EDATA', ExitCode.DATA, message, cause);
}

export function corrupt(path: string, offset: number, reason: string): ServerError {
  return unusable(
    `${path}: corrupt at offset ${offset}: ${reason}. Acknowledged writes may lie there, so the server does not start without them: bring the file back from a copy, or move all files of version-2 away where an ensemble has the data`,
  );
}
