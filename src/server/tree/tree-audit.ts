/**
 * Checks the tree while it serves, a slice at a time: the counts against the Stat table, each
 * znode's digest against a new one, and their sum against the tree's. A difference is an error of
 * this server. Learners need no audit: they compare digests with their leader's.
 */
import { assert } from '../../base/assert.js';
import { pathCrc, TreeDigest } from '../../files/digest.js';
import type { DataNode } from './data-node.js';
import type { DataTree } from './data-tree.js';

/** Bytes of paths and data per slice; each znode has a minimum weight. */
const SLICE_BYTES = 256 * 1024;
const NODE_BYTES = 256;

export class TreeAudit {
  private readonly tree: DataTree;
  private readonly intervalMs: number;
  private nextMs = 0;
  /** The state of this pass: next slot, sum so far, and the txn after which it began. */
  private slot = 0;
  private readonly sum = new TreeDigest();
  private beganAfter = 0n;

  constructor(tree: DataTree, intervalMs: number) {
    this.tree = tree;
    this.intervalMs = intervalMs;
  }

  /** @param nowMs of a monotonic clock */
  poll(nowMs: number): void {
    if (nowMs < this.nextMs) return;
    this.nextMs = nowMs + this.intervalMs;
    this.count();
    if (this.tree.isDigestEnabled) this.checkSlice();
  }

  private count(): void {
    const { nodes, stats } = this.tree;
    // The root has two paths and one Stat.
    const expected = nodes.size - 1;
    if (stats.count === expected) return;
    assert(false, `Stat table: ${stats.count} Stats (expected one for each of ${expected} znodes)`);
  }

  private checkSlice(): void {
    const { stats, lastProcessedZxid, digest } = this.tree;
    if (this.slot === 0) {
      this.sum.copy(NOTHING);
      this.beganAfter = lastProcessedZxid;
    }
    for (let left = SLICE_BYTES; left > 0 && this.slot < stats.slots; left -= NODE_BYTES) {
      const node = this.tree.at(this.slot++);
      if (node === undefined) continue;
      this.compare(node);
      left -= node.path.length + stats.dataLength(node.slot);
    }
    if (this.slot < stats.slots) return;
    this.slot = 0;
    // Comparable only if no txn was applied during the pass.
    if (this.beganAfter !== lastProcessedZxid || this.sum.equals(digest)) return;
    assert(false, `tree digest: ${digest} (expected ${this.sum}, the sum of its znodes')`);
  }

  private compare({ path, slot }: DataNode): void {
    const { stats } = this.tree;
    const pathSum = pathCrc(path);
    const keptSum = stats.pathCrc(slot);
    if (pathSum !== keptSum) assert(false, `${path}: CRC-32: ${keptSum} (expected ${pathSum})`);
    const crc = this.tree.contentCrc(path, slot);
    const kept = stats.contentCrc(slot);
    if (crc !== kept) assert(false, `${path}: CRC-32 of its data: ${kept} (expected ${crc})`);
    const expected = stats.digestOf(path, slot);
    const found = stats.digest(slot);
    if (found !== expected) assert(false, `${path}: digest: ${found} (expected ${expected})`);
    this.sum.add(found);
  }
}

const NOTHING = new TreeDigest();
