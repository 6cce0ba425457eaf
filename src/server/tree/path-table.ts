import { assert } from '../../base/assert.js';
import type { InputArchive } from '../../jute/input-archive.js';
import { ustring } from '../../jute/record.js';
import type { ContentTable } from './content-table.js';

const SHARDS = 64;
const SHARD_SHIFT = 26;
const FIRST_CAPACITY = 8;

/** No znode. */
export const NO_SLOT = -1;

/**
 * Finds the slots of znodes by their paths. An unsuccessful lookup, which every create makes, reads
 * only numbers: in a big tree each reference is a cache miss. Sharded, because growing moves a
 * whole table: for a million znodes at once, clients would notice the stall.
 */
export class PathTable {
  /** By the first bits of the hash. */
  private readonly shards: Shard[] = [];
  private readonly content: ContentTable;
  /** "" means the root as "/" does, but the path of the root is "/". */
  private nameless = NO_SLOT;
  /**
   * A cache: the znode found last, its path, and its hash, which belong together; NO_SLOT after a
   * delete. The steps of one write look up one path several times, and each look-up hashes all of
   * it. Without the cache, a set takes 8 to 10 % longer in the core of the server, a delete 9 %.
   */
  private recentPath = '';
  private recent = NO_SLOT;
  private recentHash = 0;
  /** The hash of the path that `find` looked for last. */
  private foundHash = 0;
  /** The paths in the shards, and "" once it is set. */
  private count = 0;
  private readonly seed: number;

  /** @param seed unknown to clients, who could otherwise choose paths with equal hashes */
  constructor(content: ContentTable, seed = 0) {
    this.content = content;
    this.seed = seed;
    for (let i = 0; i < SHARDS; i++) this.shards.push(new Shard());
  }

  get size(): number {
    return this.count;
  }

  /** Callers that use a path several times can compute its hash once. */
  hashOf(path: string): number {
    const isRecent = this.recent !== NO_SLOT && path === this.recentPath;
    return isRecent ? this.recentHash : hashOf(path, this.seed);
  }

  /** The hash of the path that these bytes are in UTF-8. */
  hashOfBytes(bytes: Buffer, start: number, length: number): number {
    return hashOfBytes(bytes, start, length, this.seed);
  }

  get(path: string, hash?: number): number {
    if (path.length === 0) return this.nameless;
    if (path === this.recentPath) return this.recent;
    const known = hash ?? this.hashOf(path);
    const slot = this.shardOf(known).find(this.content, path, known);
    if (slot !== NO_SLOT) this.remember(path, slot, known);
    return slot;
  }

  /** Finds a znode by the bytes of its path, without a string: only if they are valid UTF-8. */
  find(bytes: Buffer, start: number, length: number, hash?: number): number {
    const { content, recent } = this;
    if (recent !== NO_SLOT && content.isAtBytes(recent, bytes, start, length)) {
      this.foundHash = this.recentHash;
      return recent;
    }
    const known = hash ?? this.hashOfBytes(bytes, start, length);
    this.foundHash = known;
    return this.shardOf(known).findBytes(content, bytes, start, length, known);
  }

  /** Reads a path, mostly without a string. */
  read(input: InputArchive): number {
    const slot = this.findNext(input);
    return slot === NO_SLOT ? this.get(ustring.read(input)) : slot;
  }

  /** Reads a path if `find` finds it, and nothing otherwise. */
  findNext(input: InputArchive): number {
    const start = input.at;
    const length = input.readInt();
    if (length > 0 && length <= input.remaining) {
      const slot = this.find(input.bytes, input.at, length);
      if (slot !== NO_SLOT) {
        input.at += length;
        return slot;
      }
    }
    input.at = start;
    return NO_SLOT;
  }

  /** Reads a path; without decoding it if its znode is the one found last. */
  readPath(input: InputArchive): string {
    const slot = this.findNext(input);
    if (slot === NO_SLOT) return ustring.read(input);
    if (slot !== this.recent) this.remember(this.content.pathOf(slot), slot, this.foundHash);
    return this.recentPath;
  }

  /** For a path that the table lacks. */
  insert(hash: number, slot: number): void {
    this.shardOf(hash).insert(hash, slot);
    this.count++;
  }

  setNameless(slot: number): void {
    if (this.nameless === NO_SLOT) this.count++;
    this.nameless = slot;
  }

  remember(path: string, slot: number, hash: number): void {
    this.recentPath = path;
    this.recent = slot;
    this.recentHash = hash;
  }

  delete(path: string, slot: number): void {
    const hash = this.hashOf(path);
    if (!this.shardOf(hash).delete(hash, slot)) return;
    this.remember('', NO_SLOT, 0);
    this.count--;
    if (this.count < 0) assert(false, 'tree: more paths deleted than inserted', path);
  }

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> SHARD_SHIFT] as Shard;
  }
}

/** Open addressing with linear probing: a displaced pair is in the run after its place. */
class Shard {
  /** Pairs of a hash (0: empty) and a slot: both are in one cache line. */
  private pairs = new Int32Array(2 * FIRST_CAPACITY);
  /** At most two thirds of the places, so that each search ends. */
  private count = 0;

  find(content: ContentTable, path: string, hash: number): number {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let at = (hash << 1) & mask;
    for (let found = pairs[at]; found !== 0; found = pairs[at]) {
      const slot = pairs[at + 1] as number;
      if (found === hash && content.isAt(slot, path)) return slot;
      at = (at + 2) & mask;
    }
    return NO_SLOT;
  }

  findBytes(
    content: ContentTable,
    bytes: Buffer,
    start: number,
    length: number,
    hash: number,
  ): number {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let at = (hash << 1) & mask;
    for (let found = pairs[at]; found !== 0; found = pairs[at]) {
      const slot = pairs[at + 1] as number;
      if (found === hash && content.isAtBytes(slot, bytes, start, length)) return slot;
      at = (at + 2) & mask;
    }
    return NO_SLOT;
  }

  insert(hash: number, slot: number): void {
    if (++this.count * 3 > this.pairs.length) this.grow();
    const { pairs } = this;
    const mask = pairs.length - 1;
    let at = (hash << 1) & mask;
    while (pairs[at] !== 0) at = (at + 2) & mask;
    pairs[at] = hash;
    pairs[at + 1] = slot;
  }

  /** Returns whether the pair was there. */
  delete(hash: number, slot: number): boolean {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let gap = (hash << 1) & mask;
    while (pairs[gap] !== 0 && (pairs[gap] !== hash || pairs[gap + 1] !== slot)) {
      gap = (gap + 2) & mask;
    }
    if (pairs[gap] === 0) return false;
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
    return true;
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
  let units = 0;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const a = path.charCodeAt(i);
    const b = path.charCodeAt(i + 1);
    const c = path.charCodeAt(i + 2);
    const d = path.charCodeAt(i + 3);
    units |= a | b | c | d;
    hash = mixed(hash ^ spread(a | (b << 8) | (c << 16) | (d << 24)));
  }
  for (; i < length; i++) {
    const unit = path.charCodeAt(i);
    units |= unit;
    hash = mixed(hash ^ unit);
  }
  return units > 0x7f ? hashOfEncoded(path, seed) : finished(hash);
}

function hashOfEncoded(path: string, seed: number): number {
  const bytes = Buffer.from(path);
  return hashOfBytes(bytes, 0, bytes.length, seed);
}

/** The hash of the path that these bytes are in UTF-8. */
function hashOfBytes(bytes: Buffer, start: number, length: number, seed: number): number {
  let hash = seed ^ length;
  const end = start + length;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const low = (bytes[i] as number) | ((bytes[i + 1] as number) << 8);
    const high = ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24);
    hash = mixed(hash ^ spread(low | high));
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
