/**
 * Runs `run` on the items with `limit` in progress at a time, and yields the values in order. The
 * first failure ends it, in order.
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
    // Handled in order; prevents an unhandled rejection until then.
    value.catch(() => undefined);
    pending.push({ item, value });
    const first = pending.length >= limit ? pending.shift() : undefined;
    if (first !== undefined) yield await settle(first);
  }
  for (const entry of pending) yield await settle(entry);
}
