import type { DataNode } from './data-node.js';

const SHARDS = 256;
const SHARD_SHIFT = 24;
const FIRST_CAPACITY = 8;

/**
 * Path -> znode. A lookup that finds nothing, and every create makes one, looks at numbers only: in
 * a big tree each pointer followed is a cache miss, and a Map follows several. Sharded, because a
 * table is moved in one go when it grows: at a million znodes all of them at once would be a stall
 * that every client felt.
 */
export class PathTable {
  private readonly shards: Shard[] = [];
  /** "" means the root as "/" does, but the root's own path is "/". */
  private nameless: DataNode | undefined;
  private count = 0;
  private readonly seed: number;

  /**
   * @param seed unknown to clients, or they could choose paths whose hashes are all the same, and
   * make every look-up go through all of them
   */
  constructor(seed = 0) {
    this.seed = seed;
    for (let i = 0; i < SHARDS; i++) this.shards.push(new Shard());
  }

  get size(): number {
    return this.count;
  }

  /** Whoever asks for a path more than once may work it out once. */
  hashOf(path: string): number {
    return hashOf(path, this.seed);
  }

  get(path: string, hash = this.hashOf(path)): DataNode | undefined {
    if (path.length === 0) return this.nameless;
    return this.shardOf(hash).get(path, hash);
  }

  /** @param path the node's own, or "" */
  set(path: string, node: DataNode, hash = this.hashOf(path)): void {
    if (path.length === 0) {
      if (this.nameless === undefined) this.count++;
      this.nameless = node;
      return;
    }
    if (this.shardOf(hash).set(path, hash, node)) this.count++;
  }

  delete(path: string): void {
    const hash = hashOf(path, this.seed);
    if (this.shardOf(hash).delete(path, hash)) this.count--;
  }

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> SHARD_SHIFT] as Shard;
  }
}

/** Open addressing with linear probing: what is not at its place stands in the run behind it. */
class Shard {
  /** Of each node, at the same index; 0 where there is none. */
  private hashes = new Int32Array(FIRST_CAPACITY);
  private nodes: (DataNode | undefined)[] = new Array(FIRST_CAPACITY).fill(undefined);
  private count = 0;

  get(path: string, hash: number): DataNode | undefined {
    return this.nodes[this.find(path, hash)];
  }

  /** @returns whether it is a new path */
  set(path: string, hash: number, node: DataNode): boolean {
    let at = this.find(path, hash);
    const isNew = this.hashes[at] === 0;
    if (isNew) {
      if (++this.count * 3 > this.hashes.length * 2) {
        this.grow();
        at = this.find(path, hash);
      }
      this.hashes[at] = hash;
    }
    this.nodes[at] = node;
    return isNew;
  }

  delete(path: string, hash: number): boolean {
    const { hashes, nodes } = this;
    const mask = hashes.length - 1;
    let gap = this.find(path, hash);
    if (hashes[gap] === 0) return false;
    this.count--;
    // What stands behind in the run and belongs before the gap, or into it, moves up.
    for (let at = (gap + 1) & mask; hashes[at] !== 0; at = (at + 1) & mask) {
      const wayFromHome = (at - (hashes[at] as number)) & mask;
      if (wayFromHome < ((at - gap) & mask)) continue;
      hashes[gap] = hashes[at] as number;
      nodes[gap] = nodes[at];
      gap = at;
    }
    hashes[gap] = 0;
    nodes[gap] = undefined;
    return true;
  }

  /** Where the path is, or the free place where it would be. */
  private find(path: string, hash: number): number {
    const { hashes, nodes } = this;
    const mask = hashes.length - 1;
    let at = hash & mask;
    for (let found = hashes[at]; found !== 0; found = hashes[at]) {
      if (found === hash && nodes[at]?.path === path) return at;
      at = (at + 1) & mask;
    }
    return at;
  }

  private grow(): void {
    const { hashes, nodes } = this;
    const mask = hashes.length * 2 - 1;
    const grownHashes = new Int32Array(mask + 1);
    const grownNodes: (DataNode | undefined)[] = new Array(mask + 1).fill(undefined);
    for (let from = 0; from < hashes.length; from++) {
      const hash = hashes[from] as number;
      if (hash === 0) continue;
      let at = hash & mask;
      while (grownHashes[at] !== 0) at = (at + 1) & mask;
      grownHashes[at] = hash;
      grownNodes[at] = nodes[from];
    }
    this.hashes = grownHashes;
    this.nodes = grownNodes;
  }
}

/** Never 0; every bit of it depends on every character. */
function hashOf(path: string, seed: number): number {
  let hash = seed ^ path.length;
  for (let i = 0; i < path.length; i++) {
    hash = Math.imul(hash ^ path.charCodeAt(i), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35 | 0);
  hash ^= hash >>> 16;
  return hash === 0 ? 1 : hash;
}
