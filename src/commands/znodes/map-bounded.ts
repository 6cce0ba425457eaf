/** Runs up to `limit` items at a time, yields in order, and ends at the first failure. */
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
    // The loop below reports the error in order; this prevents an unhandled rejection until then.
    value.catch(() => undefined);
    pending.push({ item, value });
    const first = pending.length >= limit ? pending.shift() : undefined;
    if (first !== undefined) yield await settle(first);
  }
  for (const entry of pending) yield await settle(entry);
}
