import { checkWaitOptions } from './arguments.js';
import { RecipeError } from './errors.js';

export interface WaitOptions {
  /** Ends the waiting, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Waits for so long and then rejects with a RecipeError ETIMEDOUT. Default: without end. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs `work` with one signal for all that ends it.
 * @param what begins the sentence "… did not come within 5 ms"
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
    limit.abort(new RecipeError('ETIMEDOUT', `${what} did not come within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, timeoutMs);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
