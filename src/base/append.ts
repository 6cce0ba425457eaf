/** Adds a list of any length: `push(...more)` exhausts the stack from some 120,000 items on. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}
