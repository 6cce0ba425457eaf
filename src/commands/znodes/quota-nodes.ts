import type { ZooKeeperClient } from '../../client/base/client.js';
import { isCode, ZooKeeperError } from '../../client/base/errors.js';
import { childPath, parentPath } from '../../protocol/path.js';
import {
  LIMIT_NODE,
  limitPath,
  NO_QUOTA,
  parseQuota,
  QUOTA_ROOT,
  type QuotaFigures,
  quotaPath,
  STAT_NODE,
  statPath,
} from '../../protocol/quota.js';

export interface Quota {
  readonly limits: QuotaFigures;
  readonly usage: QuotaFigures;
  /** The text of the znodes, in Apache's format. */
  readonly limitText: string;
  readonly usageText: string;
}

/** A quota above or below prevents one here; `path` has that quota. */
export class QuotaConflict extends Error {
  override readonly name = 'QuotaConflict';
}

/** As StatsTrack.toString writes it. */
function formatQuota(figures: QuotaFigures): string {
  const { count, bytes, byteHardLimit, countHardLimit } = figures;
  return `count=${count},bytes=${bytes}=;byteHardLimit=${byteHardLimit};countHardLimit=${countHardLimit}`;
}

export async function readQuota(client: ZooKeeperClient, path: string): Promise<Quota | undefined> {
  try {
    const [limits, usage] = await Promise.all([
      client.getData(limitPath(path)),
      client.getData(statPath(path)),
    ]);
    const limitText = limits.data?.toString() ?? '';
    const usageText = usage.data?.toString() ?? '';
    return {
      limits: parseQuota(limitText),
      usage: parseQuota(usageText),
      limitText: canonical(limitText),
      usageText: canonical(usageText),
    };
  } catch (error) {
    if (isCode(error, 'NONODE')) return undefined;
    throw error;
  }
}

/** Apache's shell shows the hard limits only if the znode has them. */
function canonical(text: string): string {
  return text.includes(';') ? formatQuota(parseQuota(text)) : text;
}

/** Keeps limits for which it gets -1. @throws QuotaConflict with a quota above or below */
export async function writeQuota(
  client: ZooKeeperClient,
  path: string,
  change: QuotaFigures,
): Promise<Quota> {
  await refuseNested(client, path);
  const before = await readQuota(client, path);
  if (before === undefined) {
    await createAll(client, quotaPath(path));
    await client.create(limitPath(path), Buffer.from(formatQuota(change)));
    await client.create(
      statPath(path),
      Buffer.from(formatQuota({ ...NO_QUOTA, count: 0, bytes: 0 }).split('=;')[0] ?? ''),
    );
  } else {
    const merged = { ...before.limits };
    for (const key of Object.keys(change) as (keyof QuotaFigures)[]) {
      if (change[key] !== -1) merged[key] = change[key];
    }
    await client.setData(limitPath(path), Buffer.from(formatQuota(merged)));
  }
  const after = await readQuota(client, path);
  if (after === undefined) throw new Error(`the quota of ${path} was deleted in the meantime`);
  return after;
}

/** Removes the named limits, or all limits without names. @returns whether there was a quota */
export async function removeQuota(
  client: ZooKeeperClient,
  path: string,
  limits: readonly (keyof QuotaFigures)[],
): Promise<boolean> {
  const quota = await readQuota(client, path);
  if (quota === undefined) return false;
  if (limits.length > 0) {
    const left = { ...quota.limits };
    for (const key of limits) left[key] = -1;
    await client.setData(limitPath(path), Buffer.from(formatQuota(left)));
    return true;
  }
  await client.delete(limitPath(path));
  await client.delete(statPath(path));
  await trim(client, quotaPath(path));
  return true;
}

/** Deletes parents without another quota below them. */
async function trim(client: ZooKeeperClient, path: string): Promise<void> {
  for (let at = path; at !== QUOTA_ROOT; at = parentPath(at)) {
    try {
      await client.delete(at);
    } catch (error) {
      if (error instanceof ZooKeeperError && error.code === 'NOTEMPTY') return;
      throw error;
    }
  }
}

async function refuseNested(client: ZooKeeperClient, path: string): Promise<void> {
  for (let at = parentPath(path); at.length > 1; at = parentPath(at)) {
    if ((await client.exists(limitPath(at))) !== null) {
      throw new QuotaConflict(`${path} has a parent ${at} which has a quota`);
    }
  }
  const below = await findBelow(client, quotaPath(path), true);
  if (below !== undefined) {
    throw new QuotaConflict(`${path} has a child ${below} which has a quota`);
  }
}

async function findBelow(
  client: ZooKeeperClient,
  folder: string,
  isRoot: boolean,
): Promise<string | undefined> {
  const names = await childrenOf(client, folder);
  if (!isRoot && names.includes(LIMIT_NODE)) return folder.slice(QUOTA_ROOT.length);
  for (const name of names) {
    if (name === LIMIT_NODE || name === STAT_NODE) continue;
    const found = await findBelow(client, childPath(folder, name), false);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function childrenOf(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  try {
    return (await client.getChildren(path)).children;
  } catch (error) {
    if (isCode(error, 'NONODE')) return [];
    throw error;
  }
}

async function createAll(client: ZooKeeperClient, path: string): Promise<void> {
  if (path.length <= 1) return;
  try {
    await client.create(path, null);
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    if (error.code === 'NODEEXISTS') return;
    if (error.code !== 'NONODE') throw error;
    await createAll(client, parentPath(path));
    await createAll(client, path);
  }
}

/** Apache's words for each limit that is already exceeded. */
export function quotaWarnings({ limits, usage }: Quota): readonly string[] {
  const isOver = (soft: number, hard: number, used: number) =>
    (soft > -1 && soft < used) || (hard > -1 && hard < used);
  const warnings: string[] = [];
  if (isOver(limits.count, limits.countHardLimit, usage.count)) {
    warnings.push(
      `[Warning]: the count quota you create is less than the existing count:${usage.count}`,
    );
  }
  if (isOver(limits.bytes, limits.byteHardLimit, usage.bytes)) {
    warnings.push(
      `[Warning]: the bytes quota you create is less than the existing bytes:${usage.bytes}`,
    );
  }
  return warnings;
}
