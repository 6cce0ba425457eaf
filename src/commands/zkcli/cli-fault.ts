import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';

const CODE = 'ZKCLI';

/** Ends a command of Apache's shell. @param text for stderr, as Apache's shell writes it */
export function cliFault(text: string, exitCode: number = ExitCode.failed): CommandError {
  return new CommandError(text, { code: CODE, exitCode, isQuoted: true });
}

export function isCliFault(error: unknown): error is CommandError {
  return error instanceof CommandError && error.code === CODE;
}

/** An exception that Apache's shell prints with its class name. */
export function javaFault(className: string, lines: readonly string[], exitCode?: number) {
  return cliFault(`${className}: ${lines.join('\n')}`, exitCode);
}
