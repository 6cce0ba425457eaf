import type { DataNode } from './data-node.js';

const SHARDS = 256;
const HASHED_LENGTH = 32;

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

  /**
   * All of a short path and the end of a long one: trees like /brokers/ids/17/state differ in the
   * middle only. The engine's own hash of the string is as good, but nobody can ask for it.
   */
  private shardOf(path: string): Map<string, DataNode> {
    const end = path.length;
    let hash = end;
    for (let i = Math.max(0, end - HASHED_LENGTH); i < end; i++) {
      hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
    }
    return this.shards[(hash ^ (hash >>> 8) ^ (hash >>> 16)) & (SHARDS - 1)] as Map<
      string,
      DataNode
    >;
  }
}
