import { Random } from '../../base/random.js';
import { LOAD_KINDS, type LoadKind } from '../../fourlw/base/load-view.js';
import { LIMITS } from '../limits/limits.js';

/** Who loads this server, from a sample of its requests, in bounded memory. */

/** What a request counts beside its bytes, so that many short ones weigh as much as a long one. */
const REQUEST_BYTES = 1024;
/** The least that a sample stands for, in such bytes: 32 short requests. */
const LEAST_SAMPLE_BYTES = 32 * REQUEST_BYTES;
/** With more samples, each stands for more, so a busy server takes no more of them. */
const SAMPLES_PER_SECOND = 500;
/** The rates are those of one to two windows. */
const WINDOW_MS = 30_000;
const MAX_NAMES = LIMITS.loadNames.value;
const MAX_DEPTH = 5;
const SEED = 0x10ad;

/** Who sent a request, and for which znode. */
export interface Source {
  readonly session: string;
  readonly address: string;
  readonly user: string;
  /** Undefined for a request without one, such as a ping. */
  readonly path: string | undefined;
}

/** Estimates: a sample stands for others. */
export interface Counts {
  requests: number;
  bytes: number;
}

type Window = {
  readonly startedMs: number;
  readonly total: Counts;
  readonly byKind: Readonly<Record<LoadKind, Map<string, Counts>>>;
};

export class Load {
  private readonly random = new Random(SEED);
  /** What may be counted before the next sample; negative only between `isDue` and `take`. */
  private credit = LEAST_SAMPLE_BYTES;
  /** What the next sample stands for: the mean of the credit when it was last given. */
  private standsFor = LEAST_SAMPLE_BYTES;
  /** The same for later samples; it follows the load of the last second. */
  private sampleBytes = LEAST_SAMPLE_BYTES;
  private samples = 0;
  /** Since when `samples` counts, in monotonic ms. */
  private samplesSinceMs = 0;
  private window = newWindow(0);
  /** The window before; null at first, and after an idle one. */
  private previous: Window | null = null;

  /**
   * Counts a request, with its reply as far as it is known. So the chance to be a sample is in
   * proportion to the bytes, and the others cost next to nothing.
   * @returns whether it is a sample, which `take` must get
   */
  isDue(bytes: number): boolean {
    this.credit -= REQUEST_BYTES + bytes;
    return this.credit < 0;
  }

  take({ path, ...who }: Source, bytes: number): void {
    let stands = 0;
    // Not every n-th request: clients have rhythms, too.
    while (this.credit < 0) {
      stands += this.standsFor;
      this.standsFor = this.sampleBytes;
      this.credit += this.standsFor / 2 + this.random.below(this.standsFor);
    }
    this.samples++;
    const requests = stands / (REQUEST_BYTES + bytes);
    const counts = { requests, bytes: requests * bytes };
    const { total, byKind } = this.window;
    addTo(total, counts);
    for (const kind of ['session', 'address', 'user'] as const)
      add(byKind[kind], who[kind], counts);
    if (path !== undefined) for (const prefix of prefixesOf(path)) add(byKind.path, prefix, counts);
  }

  clock(monotonicMs: number): void {
    if (monotonicMs - this.samplesSinceMs >= 1000) this.adapt(monotonicMs);
    const ageMs = monotonicMs - this.window.startedMs;
    if (ageMs < WINDOW_MS) return;
    this.previous = ageMs < 2 * WINDOW_MS ? this.window : null;
    this.window = newWindow(monotonicMs);
  }

  private adapt(monotonicMs: number): void {
    const perSecond = (1000 * this.samples) / (monotonicMs - this.samplesSinceMs);
    const wanted = (this.sampleBytes * perSecond) / SAMPLES_PER_SECOND;
    this.sampleBytes = Math.max(LEAST_SAMPLE_BYTES, Math.round(wanted));
    this.samples = 0;
    this.samplesSinceMs = monotonicMs;
  }

  /** The estimates of the last window and this one, and their time. */
  counts(monotonicMs: number): Omit<Window, 'startedMs'> & { readonly ms: number } {
    const { previous, window } = this;
    const sum = newWindow(previous?.startedMs ?? window.startedMs);
    for (const { total, byKind } of previous === null ? [window] : [previous, window]) {
      addTo(sum.total, total);
      for (const kind of LOAD_KINDS) {
        for (const [name, counts] of byKind[kind]) {
          const known = sum.byKind[kind].get(name);
          if (known === undefined) sum.byKind[kind].set(name, { ...counts });
          else addTo(known, counts);
        }
      }
    }
    return { ...sum, ms: monotonicMs - sum.startedMs };
  }

  reset(): void {
    this.window = newWindow(this.window.startedMs);
    this.previous = null;
  }
}

function newWindow(startedMs: number): Window {
  const byKind = { path: new Map(), session: new Map(), address: new Map(), user: new Map() };
  return { startedMs, total: { requests: 0, bytes: 0 }, byKind };
}

function addTo(sum: Counts, { requests, bytes }: Counts): void {
  sum.requests += requests;
  sum.bytes += bytes;
}

/** One with more than 2 / MAX_NAMES of all is never dropped. */
function add(names: Map<string, Counts>, name: string, counts: Counts): void {
  const known = names.get(name);
  if (known !== undefined) {
    addTo(known, counts);
    return;
  }
  if (names.size >= MAX_NAMES) dropHalf(names);
  names.set(name, { ...counts });
}

function dropHalf(names: Map<string, Counts>): void {
  const lightest = [...names].sort(([, a], [, b]) => weightOf(a) - weightOf(b));
  for (const [name] of lightest.slice(0, MAX_NAMES / 2)) names.delete(name);
}

function weightOf({ requests, bytes }: Counts): number {
  return requests * REQUEST_BYTES + bytes;
}

/** "/", "/a", and "/a/b" of "/a/b". */
export function prefixesOf(path: string): string[] {
  const prefixes = ['/'];
  for (let end = 0; end < path.length && prefixes.length <= MAX_DEPTH; ) {
    const next = path.indexOf('/', end + 1);
    end = next === -1 ? path.length : next;
    if (end > 1) prefixes.push(path.slice(0, end));
  }
  return prefixes;
}
