/** The end of calls by an AbortSignal. */
import { RequestAbortedError, TimeoutError } from './errors.js';

const ignore = (): void => undefined;

interface Shared {
  readonly listeners: Set<() => void>;
  readonly abort: () => void;
}

const sharedOf = new WeakMap<AbortSignal, Shared>();

/**
 * Calls `listener` when the signal aborts; at once if it has. All listeners of a signal share one
 * of Node.js, which takes the eleventh for a leak.
 * @returns a function that removes it
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return ignore;
  if (signal.aborted) {
    listener();
    return ignore;
  }
  const { listeners, abort } = sharedOf.get(signal) ?? share(signal);
  // A function of its own, so that the same listener may be added twice.
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    listeners.delete(own);
    if (listeners.size > 0) return;
    sharedOf.delete(signal);
    signal.removeEventListener('abort', abort);
  };
}

function share(signal: AbortSignal): Shared {
  const listeners = new Set<() => void>();
  const abort = (): void => {
    for (const each of [...listeners]) each();
  };
  const shared = { listeners, abort };
  sharedOf.set(signal, shared);
  signal.addEventListener('abort', abort, { once: true });
  return shared;
}

/**
 * The error of a call whose signal was aborted: a TimeoutError if the signal is that of
 * `AbortSignal.timeout`.
 * @param hasUnknownOutcome whether the request had been sent
 */
export function abortError(
  path: string | undefined,
  reason: unknown,
  hasUnknownOutcome: boolean,
): RequestAbortedError | TimeoutError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError';
  return isTimeout
    ? new TimeoutError(path, { cause: reason, hasUnknownOutcome })
    : new RequestAbortedError(path, reason, hasUnknownOutcome);
}

/** @throws abortError() if the signal is aborted */
export function throwIfAborted(
  signal: AbortSignal | undefined,
  path: string | undefined,
  hasUnknownOutcome = false,
): void {
  if (signal?.aborted) throw abortError(path, signal.reason, hasUnknownOutcome);
}

/** Whether a call ended by its limits: its signal, or its time. */
export function isLimitError(error: unknown): error is RequestAbortedError | TimeoutError {
  return error instanceof RequestAbortedError || error instanceof TimeoutError;
}
