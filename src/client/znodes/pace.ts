import { setTimeout as pause } from 'node:timers/promises';
import { checkWhole } from '../../protocol/check-argument.js';
import { hasUnknownOutcome } from '../base/errors.js';

/** How fast a function works on many znodes. */
export interface Pace {
  /** Requests in flight at most, from 1. Default 100. */
  readonly inFlight?: number | undefined;
  /** Requests that begin per second at most, from 1. Default: no limit. */
  readonly perSecond?: number | undefined;
}

export const PACE_CHECKS = {
  inFlight: (name: string, value: unknown) => checkWhole(name, value, 1),
  perSecond: (name: string, value: unknown) => checkWhole(name, value, 1),
};

/** In ms. */
export interface PaceClock {
  now(): number;
  /** @throws when the signal aborts */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const CLOCK: PaceClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
};

export class Pacer {
  readonly inFlight: number;
  private readonly gapMs: number;
  private readonly signal: AbortSignal | undefined;
  private readonly clock: PaceClock;
  /** When the next request may begin. Idle time does not accumulate, which prevents bursts. */
  private nextMs = Number.NEGATIVE_INFINITY;

  constructor(
    { inFlight = 100, perSecond = Number.POSITIVE_INFINITY }: Pace,
    signal?: AbortSignal,
    clock: PaceClock = CLOCK,
  ) {
    this.inFlight = inFlight;
    this.gapMs = 1000 / perSecond;
    this.signal = signal;
    this.clock = clock;
  }

  /** Resolves when the requests may begin. @throws the signal's reason */
  async turn(requests = 1): Promise<void> {
    this.signal?.throwIfAborted();
    const now = this.clock.now();
    const atMs = Math.max(now, this.nextMs);
    this.nextMs = atMs + requests * this.gapMs;
    if (atMs <= now) return;
    await this.clock.sleep(atMs - now, this.signal).catch((error: unknown) => {
      this.signal?.throwIfAborted();
      throw error;
    });
  }

  /**
   * The results in the order of the items.
   * @throws the first error, or one whose work may have happened, when no work is in flight; the
   * signal's reason
   */
  async map<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
    const results = new Array<R>(items.length);
    let next = 0;
    let failure: { readonly error: unknown } | undefined;
    const run = async (): Promise<void> => {
      while (next < items.length && failure === undefined) {
        const at = next++;
        try {
          await this.turn();
          results[at] = await work(items[at] as T);
        } catch (error) {
          if (failure === undefined || hasUnknownOutcome(error)) failure = { error };
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.inFlight, items.length) }, run));
    if (failure !== undefined) throw failure.error;
    return results;
  }
}

/** Runs up to `limit` items at a time, yields in order, and ends at the first failure. */
export async function* mapBounded<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  run: (item: T) => Promise<R>,
): AsyncGenerator<{ readonly item: T; readonly value: R }> {
  const pending: { readonly item: T; readonly value: Promise<R> }[] = [];
  const settle = async (entry: { readonly item: T; readonly value: Promise<R> }) => ({
    item: entry.item,
    value: await entry.value,
  });
  for await (const item of items) {
    const value = run(item);
    // The loop below reports the error in order; this prevents an unhandled rejection until then.
    value.catch(() => undefined);
    pending.push({ item, value });
    const first = pending.length >= limit ? pending.shift() : undefined;
    if (first !== undefined) yield await settle(first);
  }
  for (const entry of pending) yield await settle(entry);
}
