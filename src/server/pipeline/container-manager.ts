/**
 * Finds empty containers and expired TTL nodes, and proposes a few at a time for deletion
 * (ContainerManager). It reads the committed tree. A pending or later write may have changed the
 * znode, so the caller must ask `isDue` again with the pending state.
 */
import { assert } from '../../base/assert.js';
import { ephemeralTypeOf, ttlOfOwner } from '../../protocol/create-mode.js';
import type { DataTree } from '../tree/data-tree.js';
import type { NodeStat } from '../tree/node-stat.js';

export interface ContainerOptions {
  /** znode.container.checkIntervalMs */
  readonly checkIntervalMs: number;
  /** znode.container.maxPerMinute */
  readonly maxPerMinute: number;
  /** znode.container.maxNeverUsedIntervalMs; 0 keeps a container that never had a child. */
  readonly maxNeverUsedMs: number;
}

export interface Reapable {
  readonly stat: NodeStat;
  readonly childCount: number;
}

const SCAN_SLICE = 2000;

export class ContainerManager {
  private readonly tree: DataTree;
  private readonly options: ContainerOptions;
  /** No scan begins before this time, on the monotonic clock. */
  private nextCheckMs: number;
  /** The time of the last poll, on the monotonic clock. */
  private lastMs: number;
  /** The rest of the current scan; null between two scans. */
  private scan: Iterator<string> | null = null;
  /** Znodes that the current or last scan found due, and that were not returned yet. */
  private found: string[] = [];
  /** Deletions allowed so far, with the fraction of the next one; at most those of a minute. */
  private allowance = 0;

  constructor(tree: DataTree, options: ContainerOptions, nowMs: number) {
    this.tree = tree;
    this.options = options;
    this.lastMs = nowMs;
    this.nextCheckMs = nowMs + options.checkIntervalMs;
  }

  /** @param wallMs compared with mtimes */
  poll(nowMs: number, wallMs: number): string[] {
    const { maxPerMinute, checkIntervalMs } = this.options;
    const gained = ((nowMs - this.lastMs) * maxPerMinute) / 60_000;
    this.allowance = Math.min(this.allowance + gained, maxPerMinute);
    this.lastMs = nowMs;
    if (this.scan === null && this.found.length === 0 && nowMs >= this.nextCheckMs) {
      this.nextCheckMs = nowMs + checkIntervalMs;
      this.scan = this.candidates();
    }
    const before = this.found.length;
    this.findDue(wallMs);
    assert(this.found.length - before <= SCAN_SLICE, 'containers: more found than scanned');
    const due = this.found.splice(0, Math.floor(this.allowance));
    const isAllowed = due.length === 0 || due.length <= this.allowance;
    assert(isAllowed, 'containers: more deletions than allowed', due.length, maxPerMinute);
    this.allowance -= due.length;
    return due;
  }

  private findDue(wallMs: number): void {
    for (let i = 0; i < SCAN_SLICE && this.scan !== null; i++) {
      const { value, done } = this.scan.next();
      if (done === true) this.scan = null;
      else if (this.isDueNow(value, wallMs)) this.found.push(value);
    }
  }

  private *candidates(): Generator<string, undefined> {
    yield* this.tree.containers;
    yield* this.tree.ttls;
    return undefined;
  }

  private isDueNow(path: string, wallMs: number): boolean {
    const node = this.tree.get(path);
    if (node === undefined) return false;
    const stat = this.tree.statOf(node);
    return this.isDue({ stat, childCount: stat.numChildren }, wallMs);
  }

  isDue(node: Reapable | undefined, wallMs: number): boolean {
    if (node === undefined || node.childCount > 0) return false;
    const { stat } = node;
    const owner = stat.ephemeralOwner;
    const kind = ephemeralTypeOf(owner, this.tree.options.isTTLEnabled === true);
    const ageMs = wallMs - Number(stat.mtime);
    if (kind === 'ttl') return ageMs > Number(ttlOfOwner(owner));
    const { maxNeverUsedMs } = this.options;
    const wasUsed = stat.cversion > 0;
    return kind === 'container' && (wasUsed || (maxNeverUsedMs > 0 && ageMs > maxNeverUsedMs));
  }
}
