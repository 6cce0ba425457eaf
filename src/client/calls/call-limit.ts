import { checkSignal, checkWhole, readFields } from '../../protocol/check-argument.js';
import { abortError, onAbort, throwIfAborted } from '../base/abort.js';
import type { CallOptions } from '../base/client.js';
import { TimeoutError } from '../base/errors.js';

const LONGEST_TIMER_MS = 0x7fff_ffff;

/** The fields of CallOptions, which checkCall reads. */
export const CALL_NAMES: readonly string[] = ['signal', 'timeoutMs'];

/**
 * @param others fields that another check reads
 * @throws TypeError or RangeError; an abortError if the signal is already aborted
 */
export function checkCall(
  options: CallOptions | undefined,
  path: string | undefined,
  others: readonly string[] = [],
): CallOptions | undefined {
  if (options === undefined) return undefined;
  const call = readFields('options', options, ['signal', 'timeoutMs'], others);
  checkSignal('options.signal', call.signal);
  if (call.timeoutMs !== undefined) {
    checkWhole('options.timeoutMs', call.timeoutMs, 1, LONGEST_TIMER_MS);
  }
  throwIfAborted(call.signal, path);
  return call.signal === undefined && call.timeoutMs === undefined ? undefined : call;
}

interface Limited {
  readonly path: string | undefined;
  /** Whether a server may have received it. */
  readonly wasSent: boolean;
  giveUp(error: Error): void;
}

export function withLimits<R>(
  { signal, timeoutMs }: CallOptions,
  start: (resolve: (value: R) => void, reject: (error: Error) => void) => Limited,
): Promise<R> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let request: Limited | undefined;
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (makeError: (path: string | undefined, wasSent: boolean) => Error): void => {
      if (request !== undefined) request.giveUp(makeError(request.path, request.wasSent));
    };
    let unlisten = (): void => undefined;
    const timeOut = (): void =>
      giveUp((path, hasUnknownOutcome) => new TimeoutError(path, { hasUnknownOutcome }));
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        isSettled = true;
        clearTimeout(timer);
        unlisten();
        settle(value);
      };
    request = start(settled(resolve), settled(reject));
    if (isSettled) return;
    if (timeoutMs !== undefined) timer = setTimeout(timeOut, timeoutMs);
    unlisten = onAbort(signal, () =>
      giveUp((path, wasSent) => abortError(path, signal?.reason, wasSent)),
    );
  });
}
