import { setTimeout as pause } from 'node:timers/promises';
import {
  checkBoolean,
  checkFields,
  checkFunction,
  checkSignal,
  checkWhole,
} from '../../protocol/check-argument.js';
import { abortError, throwIfAborted } from '../base/abort.js';
import {
  type RequestAbortedError,
  ZooKeeperError,
  type ZooKeeperErrorCode,
} from '../base/errors.js';

/** How often and when to repeat. */
export interface RetryPolicy {
  /** How often a request is sent at most, from 1. Default 10. */
  readonly attempts?: number | undefined;
  /** The pause after the first failure, in ms; each further pause is twice as long. Default 50. */
  readonly firstDelayMs?: number | undefined;
  /** The longest pause, in ms. Default 5000. */
  readonly longestDelayMs?: number | undefined;
  /** Time in ms after the first attempt in which another one may begin. Default 60000. */
  readonly totalMs?: number | undefined;
}

export interface RetryOptions extends RetryPolicy {
  /** Whether the work may run twice: it is then repeated after a lost reply, too. Default false. */
  readonly isIdempotent?: boolean | undefined;
  /** Prevents the first attempt, and ends the pauses. The work must observe it itself. */
  readonly signal?: AbortSignal | undefined;
}

const POLICY_CHECKS = {
  attempts: (name: string, value: unknown) => checkWhole(name, value, 1),
  firstDelayMs: (name: string, value: unknown) => checkWhole(name, value, 0),
  longestDelayMs: (name: string, value: unknown) => checkWhole(name, value, 0),
  totalMs: (name: string, value: unknown) => checkWhole(name, value, 0),
};

/** Errors that may disappear with another connection or a lower load. */
const TRANSIENT: ReadonlySet<ZooKeeperErrorCode> = new Set([
  'CONNECTIONLOSS',
  'OPERATIONTIMEOUT',
  'ETIMEDOUT',
  'SESSIONMOVED',
  'THROTTLEDOP',
]);

/** @throws TypeError or RangeError */
export function checkPolicy(policy: RetryPolicy): Readonly<Record<keyof RetryPolicy, number>> {
  const { attempts, firstDelayMs, longestDelayMs, totalMs } = checkFields(
    'policy',
    policy,
    POLICY_CHECKS,
  );
  return {
    attempts: attempts ?? 10,
    firstDelayMs: firstDelayMs ?? 50,
    longestDelayMs: longestDelayMs ?? 5000,
    totalMs: totalMs ?? 60_000,
  };
}

/**
 * Whether a later attempt may succeed. A closed client, an ended session, a refusal, and a long
 * reply are final.
 */
export function isTransient(error: unknown): error is ZooKeeperError {
  if (!(error instanceof ZooKeeperError) || error.oversizeReplyBytes !== undefined) return false;
  return TRANSIENT.has(error.code);
}

export class Attempts {
  private readonly policy: Readonly<Record<keyof RetryPolicy, number>>;
  private readonly startMs = performance.now();
  private count = 1;

  constructor(policy: Readonly<Record<keyof RetryPolicy, number>>) {
    this.policy = policy;
  }

  /** Waits for the next attempt. @returns false if none is left, or if the signal is aborted */
  async next(signal: AbortSignal | undefined): Promise<boolean> {
    const { attempts, firstDelayMs, longestDelayMs, totalMs } = this.policy;
    if (this.count >= attempts) return false;
    const wholeMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (this.count - 1));
    // Spread clients that lost the same server.
    const delayMs = wholeMs * (0.5 + Math.random() / 2);
    if (performance.now() - this.startMs + delayMs > totalMs) return false;
    this.count++;
    return pause(delayMs, true, signal === undefined ? {} : { signal }).catch(() => false);
  }
}

/**
 * Repeats `work` while it fails because of a lost connection or a busy server, with growing pauses.
 * After an error with an unknown outcome it repeats only idempotent work.
 * @example
 * await retry(() => client.setData('/beat', String(Date.now())), { isIdempotent: true });
 * @throws the last error of `work`; RequestAbortedError, or TimeoutError of AbortSignal.timeout
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  checkFunction('work', work);
  const {
    isIdempotent = false,
    signal,
    ...policy
  } = checkFields('options', options, {
    ...POLICY_CHECKS,
    isIdempotent: checkBoolean,
    signal: checkSignal,
  });
  const attempts = new Attempts(checkPolicy(policy));
  throwIfAborted(signal, undefined);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || (error.hasUnknownOutcome && !isIdempotent)) throw error;
      if (!(await attempts.next(signal))) throw endOf(error, signal);
    }
  }
}

export function endOf(
  last: ZooKeeperError,
  signal: AbortSignal | undefined,
): ZooKeeperError | RequestAbortedError {
  if (signal?.aborted !== true) return last;
  return abortError(last.path, signal.reason, last.hasUnknownOutcome);
}
