/** Characters of a slice: long enough for most answers, and short enough to delay nobody. */
const SLICE = 64 * 1024;

/** An array, or a view of state that is read as it is walked. */
export interface Listed<T> extends Iterable<T> {
  readonly length: number;
}

/** Reads each item when the walk reaches it. */
export function listed<S, T>(
  source: Iterable<S>,
  length: number,
  shown: (item: S) => T,
): Listed<T> {
  return {
    length,
    *[Symbol.iterator]() {
      // Items that are added during a slow walk would make it endless.
      let left = length;
      for (const item of source) {
        if (left-- <= 0) return;
        yield shown(item);
      }
    },
  };
}

/** Joins pieces to slices. Each but the last has at least SLICE characters. */
export function* slicesOf(pieces: Iterable<string>): Generator<string, undefined, undefined> {
  let slice = '';
  for (const piece of pieces) {
    slice += piece;
    if (slice.length < SLICE) continue;
    yield slice;
    slice = '';
  }
  yield slice;
}

/** Whether no slice follows. */
export function isLastSlice(slice: string): boolean {
  return slice.length < SLICE;
}
