import { checkWaitOptions } from './arguments.js';
import { RecipeError } from './errors.js';

export interface WaitOptions {
  /** Ends the wait, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** After this long the wait rejects with a RecipeError ETIMEDOUT. Default: no timeout. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs `work` with one signal for every reason to end it.
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
