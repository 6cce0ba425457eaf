import { checkWaitOptions } from './arguments.js';
import { RecipeError } from './errors.js';

export interface WaitOptions {
  /** Ends the wait, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The wait rejects with a RecipeError ETIMEDOUT after this many ms. Default: no timeout. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs `work` with a signal that combines the caller's signal and the timeout.
 * @param what the start of the error "… within 5 ms": "/a: no permit was free"
 */
export async function limited<T>(
  options: WaitOptions,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = checkWaitOptions(options);
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const timeOut = (): void =>
    limit.abort(new RecipeError('ETIMEDOUT', `${what} within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, timeoutMs);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
