/**
 * A set of paths that may report a path it lacks, but never misses one: one bit for each hash. It
 * reads paths as bytes, so that most znodes of a snapshot need no string.
 */
const BITS_PER_PATH = 16;
const MIN_BITS = 1024;

export class PathFilter {
  private readonly bits: Int32Array;
  private readonly mask: number;

  constructor(count: number) {
    let size = MIN_BITS;
    while (size < count * BITS_PER_PATH) size *= 2;
    this.bits = new Int32Array(size / 32);
    this.mask = size - 1;
  }

  add(path: string): void {
    const bytes = Buffer.from(path);
    const bit = hashOf(bytes, 0, bytes.length) & this.mask;
    this.bits[bit >>> 5] = (this.bits[bit >>> 5] as number) | (1 << (bit & 31));
  }

  /** @param bytes the path in UTF-8, from `start` to `end` */
  mayHave(bytes: Uint8Array, start: number, end: number): boolean {
    const bit = hashOf(bytes, start, end) & this.mask;
    return ((this.bits[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] as number), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
