// Quotas in Apache's format: the data of /zookeeper/quota/a/b/zookeeper_limits has the limits of
// /a/b, and zookeeper_stats beside it the usage (Quotas, StatsTrack).
import { childPath } from './path.js';

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

export const NO_QUOTA: QuotaFigures = {
  count: -1,
  bytes: -1,
  countHardLimit: -1,
  byteHardLimit: -1,
};

/** Parses `count=5,bytes=-1=;byteHardLimit=-1;countHardLimit=7`; missing figures are -1. */
export function parseQuota(text: string): QuotaFigures {
  const figures: Record<keyof QuotaFigures, number> = { ...NO_QUOTA };
  for (const pair of text.split(/[,;]+/)) {
    const [key = '', value = ''] = pair.split('=');
    if (isFigure(key) && /^-?\d+$/.test(value)) figures[key] = Number(value);
  }
  return figures;
}

function isFigure(key: string): key is keyof QuotaFigures {
  return Object.hasOwn(NO_QUOTA, key);
}

/** The znode with both nodes of a quota. */
export function quotaPath(path: string): string {
  return path === '/' ? QUOTA_ROOT : `${QUOTA_ROOT}${path}`;
}

export function limitPath(path: string): string {
  return childPath(quotaPath(path), LIMIT_NODE);
}

export function statPath(path: string): string {
  return childPath(quotaPath(path), STAT_NODE);
}
