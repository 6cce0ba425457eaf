/**
 * Checks the tree while it serves, a slice at a time: the counts against the Stat table, each
 * znode's digest against a new one, and their sum against the tree's. A difference is an error of
 * this server. Learners need no audit: they compare digests with their leader's.
 */
import { assert } from '../../base/assert.js';
import { isDigested, pathCrc, TreeDigest } from '../../files/digest.js';
import type { ContentTable } from './content-table.js';
import type { DataTree } from './data-tree.js';
import type { NodeTable } from './node-table.js';
import type { StatTable } from './stat-table.js';

/** Bytes of paths and data per slice; each znode has a minimum weight. */
const SLICE_BYTES = 256 * 1024;
const NODE_BYTES = 256;

type Audited = Pick<DataTree, 'nodeCount' | 'digest' | 'isDigestEnabled' | 'lastProcessedZxid'>;

interface Tables {
  readonly stats: StatTable;
  readonly table: NodeTable;
  readonly content: ContentTable;
}

/** Made by DataTree.audit. */
export class TreeAudit {
  private readonly tree: Audited;
  private readonly tables: Tables;
  private readonly intervalMs: number;
  /** No slice is checked before this time, on the monotonic clock. */
  private nextMs = 0;
  /** The next slot of this pass; 0 between two. */
  private slot = 0;
  /** The sum of the digests of the slots before it. */
  private readonly sum = new TreeDigest();
  /** The last txn when this pass began. */
  private beganAfter = 0n;

  constructor(tree: Audited, tables: Tables, intervalMs: number) {
    this.tree = tree;
    this.tables = tables;
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
    const { stats } = this.tables;
    // The root has two paths and one Stat.
    const expected = this.tree.nodeCount - 1;
    if (stats.count === expected) return;
    assert(false, `Stat table: ${stats.count} Stats (expected one for each of ${expected} znodes)`);
  }

  private checkSlice(): void {
    const { lastProcessedZxid, digest } = this.tree;
    const { stats, table } = this.tables;
    if (this.slot === 0) {
      this.sum.copy(NOTHING);
      this.beganAfter = lastProcessedZxid;
    }
    for (let left = SLICE_BYTES; left > 0 && this.slot < stats.slots; left -= NODE_BYTES) {
      const slot = this.slot++;
      if (!table.isUsed(slot)) continue;
      left -= this.compare(slot) + stats.dataLength(slot);
    }
    if (this.slot < stats.slots) return;
    this.slot = 0;
    // Comparable only if no txn was applied during the pass.
    if (this.beganAfter !== lastProcessedZxid || this.sum.equals(digest)) return;
    assert(false, `tree digest: ${digest} (expected ${this.sum}, the sum of its znodes')`);
  }

  /** Returns the length of the path. */
  private compare(slot: number): number {
    const { stats, content } = this.tables;
    const path = content.pathOf(slot);
    const pathSum = pathCrc(path);
    const keptSum = stats.pathCrc(slot);
    if (pathSum !== keptSum) assert(false, `${path}: CRC-32: ${keptSum} (expected ${pathSum})`);
    const crc = isDigested(path) ? content.dataCrc(slot, pathSum) : 0;
    const kept = stats.contentCrc(slot);
    if (crc !== kept) assert(false, `${path}: CRC-32 of its data: ${kept} (expected ${crc})`);
    const expected = stats.digestOf(path, slot);
    const found = stats.digest(slot);
    if (found !== expected) assert(false, `${path}: digest: ${found} (expected ${expected})`);
    this.sum.add(found);
    return path.length;
  }
}

const NOTHING = new TreeDigest();
