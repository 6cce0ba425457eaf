import { abortError, isLimitError, onAbort, throwIfAborted } from '../../client/base/abort.js';
import type { ZooKeeperClient } from '../../client/base/client.js';
import { TimeoutError } from '../../client/base/errors.js';
import { checkWaitOptions } from './arguments.js';
import { endOfWait, inAnySession } from './session.js';

/** The limits of one call. A change that was sent before the limit may still happen. */
export interface WaitOptions {
  /** Ends the call, which rejects with a RequestAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** The call rejects with a TimeoutError after this many ms. Default: no timeout. */
  readonly timeoutMs?: number | undefined;
}

/** The limit of a loop. */
export type LoopOptions = Pick<WaitOptions, 'signal'>;

/** What a call works on. Without a client, the calls within `work` begin again by themselves. */
export interface Subject {
  readonly client?: ZooKeeperClient;
  readonly path: string;
}

/**
 * Runs `work` with a signal that combines the caller's signal and the timeout. If the session
 * expires and the client renews it, the work begins again, unless it may have changed something.
 * @param what the middle of the error "/a: no permit was free within 5 ms": "no permit was free"
 * @throws TimeoutError, RequestAbortedError
 */
export async function limited<T>(
  options: WaitOptions,
  { client, path }: Subject,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = checkWaitOptions(options);
  throwIfAborted(signal, path);
  const limit = new AbortController();
  const unlisten = onAbort(signal, () => limit.abort(signal?.reason));
  const timeOut = (): void => limit.abort();
  const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, timeoutMs);
  try {
    if (client?.renewsSession !== true) return await work(limit.signal);
    const wait = { client, path, signal: limit.signal };
    return await inAnySession(wait, () => work(limit.signal));
  } catch (error) {
    if (!limit.signal.aborted || !isLimitError(error)) throw error;
    const { hasUnknownOutcome } = error;
    throwIfAborted(signal, path, hasUnknownOutcome);
    const message = `${path}: ${what} within ${timeoutMs} ms`;
    throw new TimeoutError(path, { message, hasUnknownOutcome });
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

/** Runs `work` while a hold lasts. @throws endOfWait() when its loss ends the work */
export async function whileHeld<T>(
  held: AbortSignal,
  limit: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await work(AbortSignal.any([limit, held]));
  } catch (error) {
    throw held.aborted && !limit.aborted && isLimitError(error) ? endOfWait(held.reason) : error;
  }
}

/**
 * Waits for work that continues in the background when the caller's limit is over.
 * @param what the middle of the error "/a: not released within 5 ms"
 */
export function awaited<T>(
  work: Promise<T>,
  options: WaitOptions,
  path: string,
  what: string,
): Promise<T> {
  // The caller may have left when it fails.
  work.catch(() => undefined);
  const { signal, timeoutMs } = checkWaitOptions(options);
  if (signal === undefined && timeoutMs === undefined) return work;
  return limited(options, { path }, what, (limit) => unlessAborted(work, limit));
}

/** Settles as the promise does, or rejects when the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = onAbort(signal, () => reject(abortError(undefined, signal.reason, false)));
    promise.finally(end).then(resolve, reject);
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
