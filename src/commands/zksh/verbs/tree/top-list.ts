/** Largest first. Of equal items the earlier one comes first. */
export class TopList<T> {
  private readonly limit: number;
  private readonly sorted: { readonly figure: number; readonly item: T }[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get entries(): readonly { readonly figure: number; readonly item: T }[] {
    return this.sorted;
  }

  add(figure: number, item: T): void {
    const entries = this.sorted;
    const last = entries.at(-1);
    const isFull = entries.length >= this.limit;
    if (isFull && (last === undefined || figure <= last.figure)) return;
    if (isFull) entries.pop();
    let at = entries.length;
    while (at > 0 && (entries[at - 1]?.figure ?? 0) < figure) at--;
    entries.splice(at, 0, { figure, item });
  }
}
