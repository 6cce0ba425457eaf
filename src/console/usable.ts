import { UsageError } from '../commands/ensemble/usage-error.js';

/**
 * @param what for example `--users FILE: cannot read`
 * @throws UsageError for any error of the work
 */
export function usable<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${what}: ${why}`, undefined, { cause });
  }
}
