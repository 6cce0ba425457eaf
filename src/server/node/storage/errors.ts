/** The exit statuses of a server process, as in zkserver.8. */
export const ExitCode = {
  OK: 0,
  /** A broken invariant or an unexpected error. */
  UNEXPECTED: 1,
  USAGE: 64,
  /** Unreadable (a corrupt log, no usable snapshot), or of another ensemble. */
  DATA: 3,
  /** Used by another server, or no permission. */
  DATA_DIR: 4,
  BIND: 5,
  DISK: 6,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A server that cannot start or continue; the message is a sentence for the operator. */
export class ServerError extends Error {
  override readonly name: string = 'ServerError';
  readonly code: string;
  /** The exit status of zkserver for this error. */
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
      `${folder}: cannot write the transaction log: ${why}. The server stops, because it can acknowledge no more writes: free or repair the disk, then start it again`,
      cause,
    );
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function isForbidden(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'EACCES';
}

export function unusable(message: string, cause?: unknown): ServerError {
  return new ServerError('EDATA', ExitCode.DATA, message, cause);
}

export function corrupt(path: string, offset: number, reason: string): ServerError {
  return unusable(
    `${path}: corrupt at offset ${offset}: ${reason}. Acknowledged writes may be lost, so the server does not start: restore the file from a copy, or, if an ensemble has the data, run zkserver set-aside`,
  );
}
