import { setMaxListeners } from 'node:events';
import { checkWaitOptions } from './arguments.js';
import { RecipeError } from './errors.js';

/** The limits of one call. A change that was sent before the limit may still happen. */
export interface WaitOptions {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The call rejects with a RecipeError ETIMEDOUT after this many ms. Default: no timeout. */
  readonly timeoutMs?: number | undefined;
}

/** The limit of a loop. */
export type LoopOptions = Pick<WaitOptions, 'signal'>;

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
  // Each concurrent request listens: Node.js reports more than ten listeners as a leak.
  setMaxListeners(0, limit.signal);
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

/** Settles as the promise does, or rejects with the reason of the signal. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    const end = (): void => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    promise.finally(end).then(resolve, reject);
    if (signal.aborted) abort();
  });
}

/** Awaits a cleanup, which continues in the background when the signal aborts. */
export async function cleanedUp(
  cleanup: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) await cleanup;
  else {
    await unlessAborted(cleanup, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
}
