import { setTimeout as pause } from 'node:timers/promises';
import { checkWhole } from '../../protocol/check-argument.js';

/** How fast a function works on many znodes. */
export interface Pace {
  /** Requests in flight at most, from 1. Default 100. */
  readonly inFlight?: number;
  /** Requests that begin per second at most, from 1. Default: no limit. */
  readonly perSecond?: number;
}

export const PACE_CHECKS = {
  inFlight: (name: string, value: unknown) => checkWhole(name, value, 1),
  perSecond: (name: string, value: unknown) => checkWhole(name, value, 1),
};

export class Pacer {
  private readonly inFlight: number;
  private readonly perSecond: number;
  private readonly signal: AbortSignal | undefined;
  private readonly startMs = performance.now();
  private begun = 0;

  constructor(
    { inFlight = 100, perSecond = Number.POSITIVE_INFINITY }: Pace,
    signal?: AbortSignal,
  ) {
    this.inFlight = inFlight;
    this.perSecond = perSecond;
    this.signal = signal;
  }

  /**
   * The results in the order of the items.
   * @throws the first error, when no work is in flight; the signal's reason
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
          failure ??= { error };
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.inFlight, items.length) }, run));
    if (failure !== undefined) throw failure.error;
    return results;
  }

  private async turn(): Promise<void> {
    this.signal?.throwIfAborted();
    const dueMs = this.startMs + (this.begun++ * 1000) / this.perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs <= 0) return;
    await pause(waitMs, undefined, this.signal === undefined ? {} : { signal: this.signal }).catch(
      () => undefined,
    );
    this.signal?.throwIfAborted();
  }
}
