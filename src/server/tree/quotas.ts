/**
 * An operator sets limits in /zookeeper/quota<path>/zookeeper_limits. Every server tracks the usage
 * beside them, without a txn (Quotas, StatsTrack). Only the deepest quota above a path counts.
 */
import { latin1Text, type ZnodeData } from './data-node.js';

export const QUOTA_ROOT = '/zookeeper/quota';
export const LIMIT_NODE = 'zookeeper_limits';
export const STAT_NODE = 'zookeeper_stats';

/** Limits or usage; -1: unset. Exceeding a soft limit is only a warning. */
export interface QuotaFigures {
  readonly count: number;
  readonly bytes: number;
  readonly countHardLimit: number;
  readonly byteHardLimit: number;
}

const NONE: QuotaFigures = { count: -1, bytes: -1, countHardLimit: -1, byteHardLimit: -1 };

/** Parses `count=5,bytes=-1=;byteHardLimit=-1;countHardLimit=7`; missing figures are -1. */
export function parseQuota(data: ZnodeData): QuotaFigures {
  const figures: Record<string, number> = { ...NONE };
  for (const pair of latin1Text(data).split(/[,;]+/)) {
    const [key = '', value = ''] = pair.split('=');
    if (key in figures && /^-?\d+$/.test(value)) figures[key] = Number(value);
  }
  return figures as unknown as QuotaFigures;
}

export function formatUsage(count: number, bytes: number): string {
  return `count=${count},bytes=${bytes}`;
}

export function limitPath(path: string): string {
  return `${QUOTA_ROOT}${path}/${LIMIT_NODE}`;
}

export function statPath(path: string): string {
  return `${QUOTA_ROOT}${path}/${STAT_NODE}`;
}

/** "/a" for /zookeeper/quota/a/zookeeper_limits; undefined for other znodes than `name`. */
export function quotaOwner(path: string, name: string): string | undefined {
  if (!path.startsWith(`${QUOTA_ROOT}/`) || !path.endsWith(`/${name}`)) return undefined;
  return path.slice(QUOTA_ROOT.length, -(name.length + 1)) || undefined;
}

export class QuotaPaths {
  private readonly paths = new Set<string>();

  get size(): number {
    return this.paths.size;
  }

  add(path: string): void {
    this.paths.add(path);
  }

  delete(path: string): void {
    this.paths.delete(path);
  }

  all(): Iterable<string> {
    return this.paths;
  }

  above(path: string): string | undefined {
    if (this.paths.size === 0) return undefined;
    for (let at = path; at.length > 1; at = at.slice(0, at.lastIndexOf('/'))) {
      if (this.paths.has(at)) return at;
    }
    return undefined;
  }
}
