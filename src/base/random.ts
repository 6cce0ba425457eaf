/** Pseudorandom numbers from a seed (xorshift32). */
export class Random {
  private bits: number;

  constructor(seed: number) {
    this.bits = seed >>> 0 || 1;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    if (limit <= 0) return 0;
    this.bits ^= this.bits << 13;
    this.bits ^= this.bits >>> 17;
    this.bits ^= this.bits << 5;
    return Math.floor(((this.bits >>> 0) / 2 ** 32) * limit);
  }
}
