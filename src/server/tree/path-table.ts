import type { DataNode } from './data-node.js';

const SHARDS = 64;
const SHARD_SHIFT = 26;
const FIRST_CAPACITY = 8;
const CHUNK_SHIFT = 12;
const CHUNK_SIZE = 1 << CHUNK_SHIFT;

/**
 * Maps paths to znodes. An unsuccessful lookup, which every create makes, reads only numbers: in a
 * big tree each pointer is a cache miss. Sharded, because growing moves a whole table: for a
 * million znodes at once, clients would notice the stall.
 */
export class PathTable {
  private readonly nodes = new SlotTable();
  private readonly shards: Shard[] = [];
  /** "" means the root as "/" does, but the path of the root is "/". */
  private nameless: DataNode | undefined;
  /** The last node found: the steps of one write look up one path several times. */
  private recent: DataNode | undefined;
  private count = 0;
  private readonly seed: number;

  /** @param seed unknown to clients, who could otherwise choose paths with equal hashes */
  constructor(seed = 0) {
    this.seed = seed;
    for (let i = 0; i < SHARDS; i++) this.shards.push(new Shard(this.nodes));
  }

  get size(): number {
    return this.count;
  }

  /** Callers that use a path several times can compute its hash once. */
  hashOf(path: string): number {
    return hashOf(path, this.seed);
  }

  get(path: string, hash?: number): DataNode | undefined {
    if (path.length === 0) return this.nameless;
    const { recent } = this;
    if (recent !== undefined && recent.path === path) return recent;
    const known = hash ?? this.hashOf(path);
    return this.keep(this.shardOf(known).get(path, known));
  }

  /** Finds a node by the bytes of its path, without a string. Finds only paths in ASCII. */
  find(bytes: Buffer, start: number, length: number): DataNode | undefined {
    const { recent } = this;
    if (recent !== undefined && isAt(bytes, start, length, recent.path)) return recent;
    const hash = hashOfBytes(bytes, start, length, this.seed);
    return this.keep(this.shardOf(hash).findBytes(bytes, start, length, hash));
  }

  private keep(node: DataNode | undefined): DataNode | undefined {
    if (node !== undefined) this.recent = node;
    return node;
  }

  at(slot: number): DataNode | undefined {
    return this.nodes.get(slot);
  }

  /** @param path the path of the node, or "" */
  set(path: string, node: DataNode, hash = this.hashOf(path)): void {
    if (path.length === 0) {
      if (this.nameless === undefined) this.count++;
      this.nameless = node;
      return;
    }
    if (this.shardOf(hash).set(path, hash, node.slot)) this.count++;
    this.nodes.set(node.slot, node);
    this.recent = node;
  }

  delete(path: string): void {
    const hash = this.hashOf(path);
    const slot = this.shardOf(hash).delete(path, hash);
    if (slot < 0) return;
    this.recent = undefined;
    this.nodes.set(slot, undefined);
    this.count--;
  }

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> SHARD_SHIFT] as Shard;
  }
}

/**
 * Znodes by slot. New znodes have neighboring slots, so that the garbage collector finds the
 * pointers from old objects to new ones in one place.
 */
class SlotTable {
  private readonly chunks: (DataNode | undefined)[][] = [];

  get(slot: number): DataNode | undefined {
    return this.chunks[slot >>> CHUNK_SHIFT]?.[slot & (CHUNK_SIZE - 1)];
  }

  set(slot: number, node: DataNode | undefined): void {
    const { chunks } = this;
    const chunk = slot >>> CHUNK_SHIFT;
    while (chunk >= chunks.length) chunks.push(new Array(CHUNK_SIZE).fill(undefined));
    (chunks[chunk] as (DataNode | undefined)[])[slot & (CHUNK_SIZE - 1)] = node;
  }
}

/** Open addressing with linear probing: a displaced pair is in the run after its place. */
class Shard {
  private readonly nodes: SlotTable;
  /** Pairs of a hash (0: empty) and a slot: both are in one cache line. */
  private pairs = new Int32Array(2 * FIRST_CAPACITY);
  private count = 0;

  constructor(nodes: SlotTable) {
    this.nodes = nodes;
  }

  get(path: string, hash: number): DataNode | undefined {
    const at = this.find(path, hash);
    return this.pairs[at] === 0 ? undefined : this.nodes.get(this.pairs[at + 1] as number);
  }

  findBytes(bytes: Buffer, start: number, length: number, hash: number): DataNode | undefined {
    const { pairs, nodes } = this;
    const mask = pairs.length - 1;
    let at = (hash << 1) & mask;
    for (let found = pairs[at]; found !== 0; found = pairs[at]) {
      const node = found === hash ? nodes.get(pairs[at + 1] as number) : undefined;
      if (node !== undefined && isAt(bytes, start, length, node.path)) return node;
      at = (at + 2) & mask;
    }
    return undefined;
  }

  /** Returns whether the path is new. */
  set(path: string, hash: number, slot: number): boolean {
    let at = this.find(path, hash);
    const isNew = this.pairs[at] === 0;
    if (isNew) {
      if (++this.count * 3 > this.pairs.length) {
        this.grow();
        at = this.find(path, hash);
      }
      this.pairs[at] = hash;
    }
    this.pairs[at + 1] = slot;
    return isNew;
  }

  /** Returns the slot of the path, or -1. */
  delete(path: string, hash: number): number {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let gap = this.find(path, hash);
    if (pairs[gap] === 0) return -1;
    const slot = pairs[gap + 1] as number;
    this.count--;
    // Move up later entries of the run that belong at or before the gap.
    for (let at = (gap + 2) & mask; pairs[at] !== 0; at = (at + 2) & mask) {
      const wayFromHome = (at - ((pairs[at] as number) << 1)) & mask;
      if (wayFromHome < ((at - gap) & mask)) continue;
      pairs[gap] = pairs[at] as number;
      pairs[gap + 1] = pairs[at + 1] as number;
      gap = at;
    }
    pairs[gap] = 0;
    return slot;
  }

  /** The index of the pair of the path, or the free one for it. */
  private find(path: string, hash: number): number {
    const { pairs, nodes } = this;
    const mask = pairs.length - 1;
    let at = (hash << 1) & mask;
    for (let found = pairs[at]; found !== 0; found = pairs[at]) {
      if (found === hash && nodes.get(pairs[at + 1] as number)?.path === path) return at;
      at = (at + 2) & mask;
    }
    return at;
  }

  private grow(): void {
    const { pairs } = this;
    const mask = pairs.length * 2 - 1;
    const grown = new Int32Array(mask + 1);
    for (let from = 0; from < pairs.length; from += 2) {
      const hash = pairs[from] as number;
      if (hash === 0) continue;
      let at = (hash << 1) & mask;
      while (grown[at] !== 0) at = (at + 2) & mask;
      grown[at] = hash;
      grown[at + 1] = pairs[from + 1] as number;
    }
    this.pairs = grown;
  }
}

/** Never 0; every bit depends on every character. It takes four a step: each waits for the last. */
function hashOf(path: string, seed: number): number {
  const { length } = path;
  let hash = seed ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const low = path.charCodeAt(i) | (path.charCodeAt(i + 1) << 8);
    const high = (path.charCodeAt(i + 2) << 16) ^ (path.charCodeAt(i + 3) << 24);
    hash = mixed(hash ^ spread(low ^ high));
  }
  for (; i < length; i++) hash = mixed(hash ^ path.charCodeAt(i));
  return finished(hash);
}

/** The hash of the string that these bytes are in ASCII. */
function hashOfBytes(bytes: Buffer, start: number, length: number, seed: number): number {
  let hash = seed ^ length;
  const end = start + length;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const low = (bytes[i] as number) | ((bytes[i + 1] as number) << 8);
    const high = ((bytes[i + 2] as number) << 16) ^ ((bytes[i + 3] as number) << 24);
    hash = mixed(hash ^ spread(low ^ high));
  }
  for (; i < end; i++) hash = mixed(hash ^ (bytes[i] as number));
  return finished(hash);
}

/** Without it, names that differ in the last digit of two words often share a hash. */
function spread(word: number): number {
  const product = Math.imul(word, 0xcc9e2d51 | 0);
  return product ^ (product >>> 15);
}

function mixed(state: number): number {
  const hash = Math.imul(state, 0x5bd1e995);
  return hash ^ (hash >>> 15);
}

function finished(state: number): number {
  let hash = Math.imul(state ^ (state >>> 13), 0xc2b2ae35 | 0);
  hash ^= hash >>> 16;
  return hash === 0 ? 1 : hash;
}

/** A byte above 0x7f begins a longer character, so it equals none. */
function isAt(bytes: Buffer, start: number, length: number, path: string): boolean {
  if (path.length !== length) return false;
  // From the end: paths under one parent differ there.
  for (let i = length - 1; i >= 0; i--) {
    const byte = bytes[start + i] as number;
    if (byte !== path.charCodeAt(i) || byte > 0x7f) return false;
  }
  return true;
}
