import { setTimeout } from 'node:timers/promises';

/** Milliseconds of a clock that never goes back, and the wait for one of them. */
export interface PacerClock {
  now(): number;
  /** @throws once the signal is aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const CLOCK: PacerClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/**
 * Lets so many requests a second through, in the order in which they came. None of the time that
 * nobody used is saved up, so that there is never a burst.
 */
export class Pacer {
  readonly #gapMs: number;
  readonly #signal: AbortSignal;
  readonly #clock: PacerClock;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, signal: AbortSignal, clock: PacerClock = CLOCK) {
    this.#gapMs = 1000 / perSecond;
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Resolves when as many requests may be sent. */
  async pass(requests = 1): Promise<void> {
    const now = this.#clock.now();
    const atMs = Math.max(now, this.#nextMs);
    this.#nextMs = atMs + requests * this.#gapMs;
    if (atMs > now) await this.#clock.sleep(atMs - now, this.#signal);
  }
}
