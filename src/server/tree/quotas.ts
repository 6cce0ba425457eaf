/**
 * An operator sets limits in /zookeeper/quota<path>/zookeeper_limits. Every server tracks the usage
 * beside them, without a txn (Quotas, StatsTrack). Only the deepest quota above a path counts.
 */

import { Ancestors } from '../../base/ancestors.js';
import { latin1Text, type ZnodeData } from '../../files/txn-data.js';
import { parseQuota, QUOTA_ROOT, type QuotaFigures } from '../../protocol/quota.js';

export function quotaOf(data: ZnodeData): QuotaFigures {
  return parseQuota(latin1Text(data));
}

export function formatUsage(count: number, bytes: number): string {
  return `count=${count},bytes=${bytes}`;
}

/** "/a" for /zookeeper/quota/a/zookeeper_limits; undefined for other znodes than `name`. */
export function quotaOwner(path: string, name: string): string | undefined {
  if (!path.startsWith(`${QUOTA_ROOT}/`) || !path.endsWith(`/${name}`)) return undefined;
  return path.slice(QUOTA_ROOT.length, -(name.length + 1)) || undefined;
}

export class QuotaPaths {
  /** The paths with limits, and the same in `ancestors`. */
  private readonly paths = new Set<string>();
  /** Counts additions and removals. */
  changes = 0;
  private readonly ancestors: Ancestors;

  /** @param seed unknown to clients (Ancestors) */
  constructor(seed = 0) {
    this.ancestors = new Ancestors(seed);
  }

  get size(): number {
    return this.paths.size;
  }

  add(path: string): void {
    this.paths.add(path);
    this.changes++;
    this.ancestors.add(path);
  }

  delete(path: string): void {
    this.paths.delete(path);
    this.changes++;
    this.ancestors.delete(path);
  }

  all(): Iterable<string> {
    return this.paths;
  }

  above(path: string): string | undefined {
    return this.paths.has(path) ? path : this.ancestors.above(path)[0];
  }
}
