import type { AdvancedSummaryView, SummaryView } from '../../fourlw/base/server-view.js';
import { numberOf } from '../../jute/long.js';

/** Since the start or the last `srst`. */
export class Summary implements SummaryView {
  count = 0;
  sum = 0;
  min = 0;
  max = 0;

  record(value: number): void {
    if (value > this.max || this.count === 0) this.max = value;
    if (value < this.min || this.count === 0) this.min = value;
    this.sum += value;
    this.count++;
  }

  reset(): void {
    this.count = 0;
    this.sum = 0;
    this.min = 0;
    this.max = 0;
  }
}

/** Values below it have one bucket each. */
const EXACT = 64;
const EXACT_BITS = 6;
/** Above, every power of two has 2^PARTS_BITS buckets: a percentile is accurate to 1/32. */
const PARTS_BITS = 5;
const PARTS = 1 << PARTS_BITS;
const GREATEST = 0x7fff_ffff;
const BUCKETS = EXACT + (31 - EXACT_BITS) * PARTS;

/** Integers from 0; those above 2^31 - 1 share a bucket. Recording allocates nothing. */
export class PercentileSummary extends Summary implements AdvancedSummaryView {
  private readonly buckets = new Float64Array(BUCKETS);

  override record(value: number): void {
    super.record(value);
    const bucket = bucketOf(value);
    this.buckets[bucket] = (this.buckets[bucket] as number) + 1;
  }

  override reset(): void {
    super.reset();
    this.buckets.fill(0);
  }

  get p50(): number {
    return this.percentile(0.5);
  }

  get p95(): number {
    return this.percentile(0.95);
  }

  get p99(): number {
    return this.percentile(0.99);
  }

  get p999(): number {
    return this.percentile(0.999);
  }

  /** The value that a fraction `quantile` of all values does not exceed; 0 without values. */
  percentile(quantile: number): number {
    const rank = Math.max(1, Math.ceil(quantile * this.count));
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      seen += this.buckets[bucket] as number;
      if (seen >= rank) return Math.min(Math.max(leastOf(bucket), this.min), this.max);
    }
    return 0;
  }
}

/** 0 if the leader's clock is ahead. */
export function recordSince(summary: Summary, wallMs: number, time: bigint): void {
  summary.record(Math.max(0, wallMs - numberOf(time)));
}

function bucketOf(value: number): number {
  if (value < EXACT) return value > 0 ? value | 0 : 0;
  const whole = value > GREATEST ? GREATEST : value | 0;
  const exponent = 31 - Math.clz32(whole);
  const part = (whole >>> (exponent - PARTS_BITS)) & (PARTS - 1);
  return EXACT + (exponent - EXACT_BITS) * PARTS + part;
}

function leastOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const exponent = EXACT_BITS + Math.floor((bucket - EXACT) / PARTS);
  const part = (bucket - EXACT) % PARTS;
  return (PARTS + part) * 2 ** (exponent - PARTS_BITS);
}
