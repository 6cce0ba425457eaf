import type { DataNode } from './data-node.js';

const SHARDS = 256;

/**
 * Path -> znode. Sharded because one JS Map stops at 16.7 million entries and re-hashes all of them
 * in one go when it grows: at a million znodes that is a stall every client would feel.
 */
export class PathTable {
  private readonly shards: Map<string, DataNode>[] = [];
  private count = 0;

  constructor() {
    for (let i = 0; i < SHARDS; i++) this.shards.push(new Map());
  }

  get size(): number {
    return this.count;
  }

  get(path: string): DataNode | undefined {
    return this.shardOf(path).get(path);
  }

  set(path: string, node: DataNode): void {
    const shard = this.shardOf(path);
    const before = shard.size;
    shard.set(path, node);
    this.count += shard.size - before;
  }

  delete(path: string): void {
    if (this.shardOf(path).delete(path)) this.count--;
  }

  *values(): Generator<DataNode> {
    for (const shard of this.shards) yield* shard.values();
  }

  /** Names differ most at their end: the last characters and the length spread well enough. */
  private shardOf(path: string): Map<string, DataNode> {
    const end = path.length;
    const hash =
      path.charCodeAt(end - 1) * 31 + path.charCodeAt(end - 2) * 7 + path.charCodeAt(end - 3) + end;
    return this.shards[hash & (SHARDS - 1)] as Map<string, DataNode>;
  }
}
