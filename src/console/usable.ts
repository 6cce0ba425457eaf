import { usageError } from '../commands/program/command-error.js';

/**
 * @param what for example `--users FILE: cannot read`
 * @throws CommandError for any error of the work
 */
export function usable<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`${what}: ${why}`, undefined, { cause });
  }
}
