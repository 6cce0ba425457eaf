import { type EXIT_BAD_HOSTS_FILE, EXIT_USAGE } from './exit-codes.js';

/** `exitCode` is 64, or 65 for a bad hosts file. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'EUSAGE';
  readonly exitCode: typeof EXIT_USAGE | typeof EXIT_BAD_HOSTS_FILE;

  constructor(
    message: string,
    exitCode: typeof EXIT_USAGE | typeof EXIT_BAD_HOSTS_FILE = EXIT_USAGE,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
