/** A small seeded generator (xorshift32): the same seed gives the same run on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    // The multiplication spreads seeds that differ in one bit. A state of 0 would stay 0.
    this.state = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % count;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** True once in `count` times on average. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }
}
