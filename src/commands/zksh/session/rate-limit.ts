import { setTimeout } from 'node:timers/promises';

/** In ms. */
export interface RateClock {
  now(): number;
  /** @throws when the signal aborts */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const CLOCK: RateClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/** Requests per second, in order. Idle time does not accumulate, which prevents bursts. */
export class RateLimit {
  private readonly gapMs: number;
  private readonly signal: AbortSignal;
  private readonly clock: RateClock;
  private nextMs = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, signal: AbortSignal, clock: RateClock = CLOCK) {
    this.gapMs = 1000 / perSecond;
    this.signal = signal;
    this.clock = clock;
  }

  /** Resolves when the requests may be sent. */
  async pass(requests = 1): Promise<void> {
    const now = this.clock.now();
    const atMs = Math.max(now, this.nextMs);
    this.nextMs = atMs + requests * this.gapMs;
    if (atMs > now) await this.clock.sleep(atMs - now, this.signal);
  }
}
