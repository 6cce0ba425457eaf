/**
 * The format of snappy-java's SnappyOutputStream, which Apache's servers use with
 * snapshot.compression.method=snappy. It adds frames to blocks of the snappy format:
 *
 * ```
 *   0x82 "SNAPPY" 0 | int version | int least version         16 bytes
 *   int length | block                                        as often as needed, big-endian
 * ```
 *
 * A block is its uncompressed length as a varint, then elements: the lower two bits of the first
 * byte distinguish literals from copies of earlier bytes. `snappyjs` accepts a block of another
 * length than it states, so it would hide damage.
 */

const HEADER_SIZE = 16;
/** The uncompressed size of a full block, as snappy-java writes it. */
const BLOCK_SIZE = 32 * 1024;
const MAX_BLOCK = 16 * 1024 * 1024;
const LITERAL = 0;
const NEAR_COPY = 1;
const COPY = 2;
/** A literal from this length on has its length in separate bytes. */
const LONG_LITERAL = 60;

export class SnappyReader {
  /** The bytes of an unfinished block, or of the header. */
  private pending: Buffer = Buffer.alloc(0);
  /** `pending` begins with a block. */
  private isHeaderRead = false;

  /** The uncompressed blocks that end in this piece. @throws Error with the fault of the stream */
  *push(piece: Buffer): Generator<Buffer, void, undefined> {
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    if (!this.isHeaderRead) {
      if (this.pending.length < HEADER_SIZE) return;
      this.pending = this.pending.subarray(HEADER_SIZE);
      this.isHeaderRead = true;
    }
    while (this.pending.length >= 4) {
      const length = this.pending.readInt32BE(0);
      if (length < 1 || length > MAX_BLOCK) throw new Error(`invalid block length: ${length}`);
      if (this.pending.length - 4 < length) break;
      yield unpackBlock(this.pending.subarray(4, 4 + length));
      this.pending = this.pending.subarray(4 + length);
    }
  }

  /** @throws Error if the stream is incomplete */
  end(): void {
    if (this.pending.length > 0 || !this.isHeaderRead) throw new Error('it ends inside a block');
  }
}

/** The start of a stream; `packChunk` makes the rest. */
export const SNAPPY_HEADER = Buffer.from([
  0x82,
  ...Buffer.from('SNAPPY'),
  0,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  1,
]);

export function packChunk(chunk: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += BLOCK_SIZE) {
    const block = packBlock(chunk.subarray(at, at + BLOCK_SIZE));
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(block.length);
    frames.push(length, block);
  }
  return Buffer.concat(frames);
}

const HASH_BITS = 14;
/** Where bytes with this hash were last seen; a wrong place only costs a comparison. */
const places = new Uint16Array(1 << HASH_BITS);
const MAX_COPY = 64;

/** Compresses at most 64 KiB. */
export function packBlock(bytes: Buffer): Buffer {
  // Literals need one byte in 60 more at worst.
  const out = Buffer.allocUnsafe(16 + bytes.length + Math.ceil(bytes.length / 6));
  let to = writeVarint(out, bytes.length);
  let literal = 0;
  places.fill(0);
  for (let at = 1; at + 4 <= bytes.length; ) {
    const word = bytes.readInt32LE(at);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const place = places[hash] as number;
    places[hash] = at;
    if (place >= at || bytes.readInt32LE(place) !== word) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < bytes.length && bytes[at + length] === bytes[place + length]) length++;
    to = writeLiteral(out, to, bytes.subarray(literal, at));
    to = writeCopies(out, to, at - place, length);
    at += length;
    literal = at;
  }
  return out.subarray(0, writeLiteral(out, to, bytes.subarray(literal)));
}

function writeVarint(out: Buffer, value: number): number {
  let at = 0;
  for (let rest = value; ; rest >>>= 7) {
    out[at++] = rest > 0x7f ? (rest & 0x7f) | 0x80 : rest;
    if (rest <= 0x7f) return at;
  }
}

function writeLiteral(out: Buffer, at: number, bytes: Buffer): number {
  const last = bytes.length - 1;
  if (last < 0) return at;
  const width = last < LONG_LITERAL ? 0 : last < 0x100 ? 1 : 2;
  out[at] = (width === 0 ? last : LONG_LITERAL - 1 + width) << 2;
  if (width > 0) out.writeUIntLE(last, at + 1, width);
  bytes.copy(out, at + 1 + width);
  return at + 1 + width + bytes.length;
}

function writeCopies(out: Buffer, from: number, offset: number, length: number): number {
  let at = from;
  for (let left = length; left > 0; left -= MAX_COPY) {
    out[at] = ((Math.min(left, MAX_COPY) - 1) << 2) | COPY;
    out.writeUInt16LE(offset, at + 1);
    at += 3;
  }
  return at;
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
