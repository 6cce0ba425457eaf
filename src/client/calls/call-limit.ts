import { checkSignal, checkWhole, readFields } from '../../protocol/check-argument.js';
import type { CallOptions } from '../base/client.js';
import { RequestAbortedError, timeoutError } from '../base/errors.js';

const LONGEST_TIMER_MS = 0x7fff_ffff;

/** @throws TypeError or RangeError; RequestAbortedError if the signal is already aborted */
export function checkCall(
  options: CallOptions | undefined,
  path: string | undefined,
): CallOptions | undefined {
  if (options === undefined) return undefined;
  const call = readFields('options', options, ['signal', 'timeoutMs']);
  checkSignal('options.signal', call.signal);
  if (call.timeoutMs !== undefined) {
    checkWhole('options.timeoutMs', call.timeoutMs, 1, LONGEST_TIMER_MS);
  }
  if (call.signal?.aborted) throw new RequestAbortedError(path, call.signal.reason, false);
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
    const abort = (): void =>
      giveUp((path, wasSent) => new RequestAbortedError(path, signal?.reason, wasSent));
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        isSettled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settle(value);
      };
    request = start(settled(resolve), settled(reject));
    if (isSettled) return;
    if (timeoutMs !== undefined) timer = setTimeout(() => giveUp(timeoutError), timeoutMs);
    signal?.addEventListener('abort', abort);
  });
}
