import { LIMIT_NODE, QUOTA_ROOT, STAT_NODE, statPath } from '../../protocol/quota.js';
import type { ChildTable } from './children.js';
import type { ContentTable } from './content-table.js';
import { NO_SLOT, type PathTable } from './path-table.js';
import { formatUsage, type QuotaPaths, quotaOf, quotaOwner } from './quotas.js';
import type { StatTable } from './stat-table.js';

interface Tables {
  readonly nodes: PathTable;
  readonly children: ChildTable;
  readonly content: ContentTable;
  readonly stats: StatTable;
  readonly quotas: QuotaPaths;
}

/** Znodes that may be counted between two calls of `countLate`; the last count may exceed it. */
const COUNTED_AT_ONCE = 250_000;

/** Keeps the usage below each quota in its znode. No txn does: each server counts for itself. */
export class QuotaUsage {
  private readonly tree: Tables;
  /** Znodes that may still be counted before the next `countLate`; below 0 after a large one. */
  private left = COUNTED_AT_ONCE;
  /** The quotas whose new usage is not counted yet. */
  private readonly late = new Set<string>();

  constructor(tree: Tables) {
    this.tree = tree;
  }

  /** Called after each tick: a txn can create and delete the place for a usage many times. */
  countLate(): void {
    this.left = COUNTED_AT_ONCE;
    for (const owner of this.late) {
      if (this.left <= 0) return;
      this.late.delete(owner);
      this.recount(owner);
    }
  }

  /** Called for each new znode: it may be a quota, or the place for the usage. */
  follow(path: string, isLoading = false): void {
    if (!path.startsWith(QUOTA_ROOT)) return;
    const limited = quotaOwner(path, LIMIT_NODE);
    if (limited !== undefined) this.tree.quotas.add(limited);
    const counted = quotaOwner(path, STAT_NODE);
    if (counted === undefined) return;
    if (isLoading || this.left > 0) this.recount(counted);
    else this.late.add(counted);
  }

  forget(path: string): void {
    const owner = quotaOwner(path, LIMIT_NODE);
    if (owner !== undefined) this.tree.quotas.delete(owner);
    const counted = quotaOwner(path, STAT_NODE);
    if (counted !== undefined) this.late.delete(counted);
  }

  /** Adds to the usage at and below a path. */
  count(path: string, bytes: number, znodes: number): void {
    const { quotas, nodes, content } = this.tree;
    const owner = quotas.above(path);
    const slot = owner === undefined ? NO_SLOT : nodes.get(statPath(owner));
    if (slot === NO_SLOT) return;
    const usage = quotaOf(content.textOf(slot));
    content.setData(slot, formatUsage(usage.count + znodes, usage.bytes + bytes));
  }

  private recount(owner: string): void {
    const { nodes, children, content, stats } = this.tree;
    const slot = nodes.get(statPath(owner));
    const top = nodes.get(owner);
    if (slot === NO_SLOT) return;
    let count = 0;
    let bytes = 0;
    for (const counted of top === NO_SLOT ? [] : children.walk(top)) {
      count++;
      bytes += stats.dataLength(counted);
    }
    this.left -= count;
    content.setData(slot, formatUsage(count, bytes));
  }
}
