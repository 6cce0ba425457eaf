/**
 * Starts `run` on the items in order, `limit` under way at a time, and gives the values in the
 * order of the items. The first failure ends it, when its turn comes.
 */
export async function* mapBounded<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  run: (item: T) => Promise<R>,
): AsyncGenerator<{ readonly item: T; readonly value: R }> {
  const pending: { readonly item: T; readonly value: Promise<R> }[] = [];
  const settle = async (entry: { readonly item: T; readonly value: Promise<R> }) => ({
    item: entry.item,
    value: await entry.value,
  });
  for await (const item of items) {
    const value = run(item);
    // Heard when its turn comes; until then it is nobody's.
    value.catch(() => undefined);
    pending.push({ item, value });
    const first = pending.length >= limit ? pending.shift() : undefined;
    if (first !== undefined) yield await settle(first);
  }
  for (const entry of pending) yield await settle(entry);
}
