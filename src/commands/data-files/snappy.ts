/**
 * Decompresses the format of snappy-java's SnappyOutputStream, which Apache's servers use with
 * snapshot.compression.method=snappy. It adds frames to blocks of the snappy format:
 *
 * ```
 *   0x82 "SNAPPY" 0 | int version | int least version         16 bytes
 *   int length | block                                        as often as needed, big-endian
 * ```
 *
 * A block is its uncompressed length as a varint, then elements: the lower two bits of the first
 * byte distinguish literals from copies of earlier bytes.
 */

const HEADER_SIZE = 16;
/** Far more than the 32 KiB of writers. */
const MAX_BLOCK = 16 * 1024 * 1024;
const LITERAL = 0;
const NEAR_COPY = 1;
const COPY = 2;
/** From here on, separate bytes have the length of a literal. */
const LONG_LITERAL = 60;

/** @throws Error with the fault of the stream */
export async function* unpackSnappy(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let pending: Buffer = Buffer.alloc(0);
  let at = 0;
  let isHeaderRead = false;
  for await (const chunk of source) {
    pending = at === pending.length ? chunk : Buffer.concat([pending.subarray(at), chunk]);
    at = 0;
    if (!isHeaderRead) {
      if (pending.length < HEADER_SIZE) continue;
      at = HEADER_SIZE;
      isHeaderRead = true;
    }
    while (pending.length - at >= 4) {
      const length = pending.readInt32BE(at);
      if (length < 1 || length > MAX_BLOCK) {
        throw new Error(`invalid block length: ${length}`);
      }
      if (pending.length - at - 4 < length) break;
      yield unpackBlock(pending.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
  }
  if (at < pending.length || !isHeaderRead) throw new Error('it ends inside a block');
}

/** @throws Error for an invalid block, or one with a wrong length */
export function unpackBlock(block: Buffer): Buffer {
  const { value: size, next } = readVarint(block);
  if (size > MAX_BLOCK) throw new Error(`a block of ${size} bytes`);
  const out = Buffer.allocUnsafe(size);
  let at = next;
  let written = 0;
  while (at < block.length) {
    const tag = block[at] ?? 0;
    const isLiteral = (tag & 3) === LITERAL;
    const element = isLiteral ? literalAt(block, at, tag) : copyAt(block, at, tag);
    if (element.end > block.length || written + element.length > size) {
      throw new Error('an element of a block is longer than the block');
    }
    if (isLiteral) block.copy(out, written, element.end - element.length, element.end);
    else repeat(out, written, element.offset, element.length);
    written += element.length;
    at = element.end;
  }
  if (written !== size) throw new Error(`a block has ${written} bytes (expected ${size})`);
  return out;
}

interface Element {
  readonly length: number;
  /** The distance of the bytes to copy; 0 for a literal. */
  readonly offset: number;
  /** The end of the element. */
  readonly end: number;
}

function literalAt(block: Buffer, at: number, tag: number): Element {
  const short = tag >>> 2;
  if (short < LONG_LITERAL) return { length: short + 1, offset: 0, end: at + 2 + short };
  const width = short - LONG_LITERAL + 1;
  const length = readLittle(block, at + 1, width) + 1;
  return { length, offset: 0, end: at + 1 + width + length };
}

function copyAt(block: Buffer, at: number, tag: number): Element {
  const kind = tag & 3;
  if (kind === NEAR_COPY) {
    const offset = ((tag >>> 5) << 8) | readLittle(block, at + 1, 1);
    return { length: ((tag >>> 2) & 7) + 4, offset, end: at + 2 };
  }
  const width = kind === COPY ? 2 : 4;
  const offset = readLittle(block, at + 1, width);
  return { length: (tag >>> 2) + 1, offset, end: at + 1 + width };
}

/** Copies earlier bytes; an overlap repeats the new ones, too. */
function repeat(out: Buffer, written: number, offset: number, length: number): void {
  if (offset < 1 || offset > written) throw new Error('a copy from before the block');
  if (offset >= length) {
    out.copyWithin(written, written - offset, written - offset + length);
    return;
  }
  for (let at = written; at < written + length; at++) out[at] = out[at - offset] ?? 0;
}

function readLittle(block: Buffer, at: number, width: number): number {
  if (at + width > block.length) throw new Error('an element of a block is cut off');
  return block.readUIntLE(at, width);
}

function readVarint(block: Buffer): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let at = 0; at < Math.min(5, block.length); at++) {
    const byte = block[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new Error('a block without a length');
}
