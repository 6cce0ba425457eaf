import { ZooKeeperError } from '../../client/base/errors.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';

/** The error of a command that completed only a part; exit status 9. */
export function partialError(
  what: string,
  failures: readonly { readonly path: string; readonly error: unknown }[],
  count: number = failures.length,
): CommandError {
  const shown = failures.slice(0, 3).map(({ path, error }) => `${path} (${reasonOf(error)})`);
  const more = count > shown.length ? `, and ${count - shown.length} more` : '';
  return new CommandError(`${what}: ${shown.join(', ')}${more}`, {
    code: 'PARTIAL',
    exitCode: ExitCode.partial,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof ZooKeeperError) return error.code;
  return error instanceof Error ? error.message : String(error);
}
