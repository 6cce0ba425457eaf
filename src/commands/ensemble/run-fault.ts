import { EXIT_CODES } from './exit-codes.js';

/** A run that could not do what was asked on this machine: the exit code says cannot judge. */
export class RunFault extends Error {
  override readonly name = 'RunFault';
  readonly code = 'ERUN';
  readonly exitCode = EXIT_CODES.unknown;
}
