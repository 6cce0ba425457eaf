/**
 * Longs as bytes. A shared word, read as a bigint and as two ints, creates no temporary bigints,
 * unlike the methods of Buffer and shifts.
 */
const word = new BigInt64Array(1);
const halves = new Int32Array(word.buffer);
word[0] = 1n;
const LOW = halves[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;

export function putLong(bytes: Uint8Array, at: number, value: bigint): void {
  word[0] = value;
  putInt(bytes, at, halves[HIGH] as number);
  putInt(bytes, at + 4, halves[LOW] as number);
}

export function getLong(bytes: Uint8Array, at: number): bigint {
  halves[HIGH] = getInt(bytes, at);
  halves[LOW] = getInt(bytes, at + 4);
  return word[0] as bigint;
}

export function putInt(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function getInt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** Same as putLong, with a view, whose int writes are single instructions. */
export function putViewLong(view: DataView, at: number, value: bigint): void {
  word[0] = value;
  view.setInt32(at, halves[HIGH] as number);
  view.setInt32(at + 4, halves[LOW] as number);
}

/** Copies ints: with views, four bytes take one instruction. Two a step take less time. */
export function copyWords(
  from: DataView,
  start: number,
  to: DataView,
  at: number,
  words: number,
): void {
  const pairs = words & ~1;
  for (let i = 0; i < pairs * 4; i += 8) {
    to.setInt32(at + i, from.getInt32(start + i, true), true);
    to.setInt32(at + i + 4, from.getInt32(start + i + 4, true), true);
  }
  if (pairs === words) return;
  to.setInt32(at + pairs * 4, from.getInt32(start + pairs * 4, true), true);
}

export function getViewLong(view: DataView, at: number): bigint {
  halves[HIGH] = view.getInt32(at);
  halves[LOW] = view.getInt32(at + 4);
  return word[0] as bigint;
}

export function longOf(high: number, low: number): bigint {
  halves[HIGH] = high;
  halves[LOW] = low;
  return word[0] as bigint;
}

export function highOf(value: bigint): number {
  word[0] = value;
  return halves[HIGH] as number;
}

/** A long as a number, exact up to 2^53. Number(value) would be a call out of JavaScript. */
export function numberOf(value: bigint): number {
  word[0] = value;
  return (halves[HIGH] as number) * 0x1_0000_0000 + ((halves[LOW] as number) >>> 0);
}

export function lowOf(value: bigint): number {
  word[0] = value;
  return halves[LOW] as number;
}

/** value > other, for signed longs. The operator would be a call out of JavaScript. */
export function isAbove(value: bigint, other: bigint): boolean {
  const high = highOf(value);
  const otherHigh = highOf(other);
  if (high !== otherHigh) return high > otherHigh;
  return lowOf(value) >>> 0 > lowOf(other) >>> 0;
}
