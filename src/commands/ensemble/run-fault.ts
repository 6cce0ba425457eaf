import { EXIT_CODES } from './exit-codes.js';

/** This machine could not do the task. The exit status is unknown (3). */
export class RunFault extends Error {
  override readonly name = 'RunFault';
  readonly code = 'ERUN';
  readonly exitCode = EXIT_CODES.unknown;
}
