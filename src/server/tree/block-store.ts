import { assert } from '../../base/assert.js';
import { copyWords } from '../../jute/long.js';
import { leaveTreeMemory, treeMemory } from './tree-memory.js';

/** Blocks begin and end at multiples of 8 bytes. */
const UNIT_SHIFT = 3;
/** A chunk is 256 KiB, or one larger block. */
const CHUNK_SHIFT = 15;
const CHUNK_UNITS = 1 << CHUNK_SHIFT;
/** 32 GiB: the number of a block is an int, and not -1. */
const MAX_CHUNKS = (1 << 17) - 1;
const OWNER_SIZE = 4;
/** A larger block is copied by a call out of JavaScript. */
const SHORT = 256;

/**
 * Memory off the heap in blocks of any size, which the garbage collector neither marks nor moves.
 * A block is an int: its chunk, and its place in the chunk in units. Each size class has chunks
 * of its own, and its blocks have no gaps: the last one moves into the place of one that is freed.
 * So all freed memory is given back, whatever the order. A block begins with its owner, a number of
 * the caller, who must note where the block of an owner moves to.
 */
export class BlockStore {
  /** By number; empty for a free number. */
  readonly chunks: Buffer[] = [];
  /** A view of all of each chunk. */
  private readonly views: DataView[] = [];
  /** The numbers without memory. */
  private readonly freeChunks: number[] = [];
  /** By size class. Each chunk with memory is in one pool. */
  private readonly pools: Pool[] = [];

  /** Returns a block for `length` bytes, whose contents are undefined. */
  allocate(length: number, owner: number): number {
    const pool = this.poolOf(length);
    if (pool.used === pool.perChunk) this.grow(pool);
    const chunk = pool.chunks[pool.chunks.length - 1] as number;
    const block = (chunk << CHUNK_SHIFT) | (pool.used * pool.units);
    pool.used++;
    (this.views[chunk] as DataView).setInt32(unitOf(block), owner);
    return block;
  }

  /** Frees the block of `length` bytes. Returns the owner of the block that has its place now. */
  free(block: number, length: number): number {
    const pool = this.poolOf(length);
    if (pool.chunks.length === 0) assert(false, 'tree: a block of no chunk is freed', length);
    const chunk = pool.chunks[pool.chunks.length - 1] as number;
    const last = (chunk << CHUNK_SHIFT) | ((pool.used - 1) * pool.units);
    const from = unitOf(last);
    const owner = (this.views[chunk] as DataView).getInt32(from);
    if (last !== block) {
      this.move(last, block, pool.units * (1 << UNIT_SHIFT));
    }
    if (--pool.used === 0) this.shrink(pool);
    return owner;
  }

  private move(from: number, to: number, size: number): void {
    if (size <= SHORT) {
      copyWords(this.viewOf(from), unitOf(from), this.viewOf(to), unitOf(to), size >>> 2);
      return;
    }
    const start = unitOf(from);
    this.chunkOf(from).copy(this.chunkOf(to), unitOf(to), start, start + size);
  }

  /** Whether blocks of the two lengths have the same size. */
  isSameSize(one: number, other: number): boolean {
    return classOf(one + OWNER_SIZE) === classOf(other + OWNER_SIZE);
  }

  chunkOf(block: number): Buffer {
    return this.chunks[block >>> CHUNK_SHIFT] as Buffer;
  }

  viewOf(block: number): DataView {
    return this.views[block >>> CHUNK_SHIFT] as DataView;
  }

  /** Where the contents of a block begin in its chunk. */
  startOf(block: number): number {
    return unitOf(block) + OWNER_SIZE;
  }

  private poolOf(length: number): Pool {
    const size = classOf(length + OWNER_SIZE);
    const { pools } = this;
    while (pools.length <= size) pools.push(new Pool(unitsOf(pools.length)));
    return pools[size] as Pool;
  }

  private grow(pool: Pool): void {
    const chunk = pool.spare ?? this.addChunk(pool);
    pool.spare = undefined;
    pool.chunks.push(chunk);
    pool.used = 0;
  }

  private addChunk({ perChunk, units }: Pool): number {
    const size = perChunk * units * (1 << UNIT_SHIFT);
    const number = this.freeChunks.pop() ?? this.chunks.length;
    assert(number < MAX_CHUNKS, 'the paths and data of all znodes exceed 32 GiB');
    // V8 shall free the memory of a large block soon.
    const chunk = perChunk > 1 ? Buffer.from(treeMemory(size)) : Buffer.allocUnsafeSlow(size);
    this.chunks[number] = chunk;
    this.views[number] = new DataView(chunk.buffer, chunk.byteOffset, size);
    return number;
  }

  /** Keeps an empty chunk, because the next write may need it again. */
  private shrink(pool: Pool): void {
    const empty = pool.chunks.pop() as number;
    pool.used = pool.perChunk;
    if (pool.spare === undefined && pool.perChunk > 1) {
      pool.spare = empty;
      return;
    }
    if (pool.perChunk > 1) leaveTreeMemory(this.chunks[empty]?.length ?? 0);
    this.chunks[empty] = NO_CHUNK;
    this.views[empty] = NO_VIEW;
    this.freeChunks.push(empty);
  }
}

const NO_CHUNK = Buffer.alloc(0);
const NO_VIEW = new DataView(NO_CHUNK.buffer, NO_CHUNK.byteOffset, 0);

/** The blocks of one size class. */
class Pool {
  readonly units: number;
  readonly perChunk: number;
  /** All but the last are full. */
  readonly chunks: number[] = [];
  /** Blocks in the last chunk; as if it were full without one. */
  used: number;
  /** An empty chunk, which is not in `chunks`. */
  spare: number | undefined = undefined;

  constructor(units: number) {
    this.units = units;
    this.perChunk = Math.max(1, Math.floor(CHUNK_UNITS / units));
    this.used = this.perChunk;
  }
}

function unitOf(block: number): number {
  return (block & (CHUNK_UNITS - 1)) << UNIT_SHIFT;
}

/** 8 classes for each doubling, so that a block is at most an eighth too large. */
function classOf(size: number): number {
  const units = (size - 1) >>> UNIT_SHIFT;
  if (units < 8) return units;
  const power = 31 - Math.clz32(units);
  return (power - 2) * 8 + ((units >>> (power - 3)) & 7);
}

/** The size of the blocks of a class in units. */
function unitsOf(size: number): number {
  return size < 8 ? size + 1 : (9 + (size & 7)) * 2 ** ((size >>> 3) - 1);
}
