/** In bytes: so much may be unused before V8 looks for it. */
const ENOUGH = 64 * 1024 * 1024;

/** The bytes taken and left that V8 has not learned of; less than ENOUGH. */
let uncounted = 0;

/**
 * Memory that a tree hardly ever gives back. It is shared memory, because V8 does not count that:
 * the plain way, an ArrayBuffer, makes it run 17 to 24 full collections during 300,000 creates
 * instead of 5, and find nothing to free. But V8 would not look for what a tree has left either
 * (500 MB stayed after one was deleted), so it learns of both in large portions.
 */
export function treeMemory(bytes: number): SharedArrayBuffer {
  count(bytes);
  return new SharedArrayBuffer(bytes);
}

/** Called when a tree does not need so much of its memory anymore. */
export function leaveTreeMemory(bytes: number): void {
  count(bytes);
}

/** Called when another tree has taken the place of one. */
export function leaveTree(): void {
  count(ENOUGH);
}

function count(bytes: number): void {
  uncounted += bytes;
  if (uncounted < ENOUGH) return;
  // V8 counts this memory, which nobody touches, and collects.
  new ArrayBuffer(uncounted);
  uncounted = 0;
}
