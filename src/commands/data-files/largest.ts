/** Keeps the `limit` largest values in constant memory. */
export class Largest<Value> {
  private readonly limit: number;
  private readonly measure: (value: Value) => number;
  private kept: { readonly value: Value; readonly size: number; readonly turn: number }[] = [];
  private turn = 0;
  private least = Number.NEGATIVE_INFINITY;

  constructor(limit: number, measure: (value: Value) => number) {
    this.limit = limit;
    this.measure = measure;
  }

  add(value: Value): void {
    const size = this.measure(value);
    if (size < this.least) return;
    this.kept.push({ value, size, turn: this.turn++ });
    // A sort for each value would dominate the cost.
    if (this.kept.length >= this.limit * 2 + 64) this.prune();
  }

  /** Largest first. Of equal sizes the last one comes first: it is the parent. */
  values(): Value[] {
    this.prune();
    return this.kept.map(({ value }) => value);
  }

  private prune(): void {
    this.kept.sort((a, b) => b.size - a.size || b.turn - a.turn);
    this.kept = this.kept.slice(0, this.limit);
    if (this.kept.length === this.limit) this.least = this.kept.at(-1)?.size ?? this.least;
  }
}
