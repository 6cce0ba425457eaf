/**
 * Memory that a tree hardly ever gives back. It is shared memory, because V8 does not count that:
 * for every few MiB of other memory that a growing tree takes, it would run a full collection, and
 * find nothing to free.
 */
export function treeMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}
