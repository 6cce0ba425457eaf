import { EXIT_CODES } from './exit-codes.js';

/** This machine could not do the task; the exit status says unknown. */
export class RunFault extends Error {
  override readonly name = 'RunFault';
  readonly code = 'ERUN';
  readonly exitCode = EXIT_CODES.unknown;
}
