import { CommandError } from '../program/command-error.js';
import { VERDICT_STATUS } from '../program/exit-status.js';

const CODE = 'ERUN';

/** This machine could not do the task, so zkops cannot judge: exit status 3. */
export function runFault(sentence: string, options: { readonly cause?: unknown } = {}) {
  return new CommandError(sentence, { ...options, code: CODE, exitCode: VERDICT_STATUS.unknown });
}

export function isRunFault(error: unknown): error is CommandError {
  return error instanceof CommandError && error.code === CODE;
}
