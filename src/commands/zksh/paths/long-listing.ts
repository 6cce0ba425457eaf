import type { ZooKeeperClient } from '../../../client/base/client.js';
import { mapBounded } from '../../../client/znodes/pace.js';
import type { Stat } from '../../../protocol/data.js';
import { childPath, compareNames } from '../../../protocol/path.js';
import { formatSessionId } from '../../../protocol/session-id.js';
import type { Column, Result, Row } from '../../results/result.js';
import { isoTime } from '../../znodes/iso-time.js';
import { isEphemeral } from '../../znodes/stat-lines.js';

export const LONG_COLUMNS: readonly Column[] = [
  { key: 'type', rank: 1 },
  { key: 'numChildren', title: 'CHILDREN', rank: 3 },
  { key: 'dataLength', title: 'SIZE' },
  { key: 'version', rank: 4 },
  { key: 'modified' },
  { key: 'owner', rank: 2 },
  { key: 'name' },
];

export const SORT_KEYS = ['name', 'size', 'children', 'version', 'mtime'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

interface Entry {
  readonly name: string;
  readonly stat: Stat;
}

const COMPARE: Readonly<Record<SortKey, (a: Entry, b: Entry) => number>> = {
  name: (a, b) => compareNames(a.name, b.name),
  size: (a, b) => b.stat.dataLength - a.stat.dataLength,
  children: (a, b) => b.stat.numChildren - a.stat.numChildren,
  version: (a, b) => b.stat.version - a.stat.version,
  mtime: (a, b) => Number(b.stat.mtime - a.stat.mtime),
};

/** Largest and latest first. Skips children that are deleted meanwhile. */
export async function longListing(
  client: ZooKeeperClient,
  path: string,
  names: readonly string[],
  sort: SortKey,
  isReversed: boolean,
): Promise<Result> {
  const entries: Entry[] = [];
  const sorted = [...names].sort(compareNames);
  const found = mapBounded(sorted, 64, (name) => client.exists(childPath(path, name)));
  for await (const { item, value } of found) {
    if (value !== null) entries.push({ name: item, stat: value });
  }
  entries.sort(COMPARE[sort]);
  if (isReversed) entries.reverse();
  return { kind: 'rows', columns: LONG_COLUMNS, rows: entries.map(longRow) };
}

export function longRow({ name, stat }: Entry): Row {
  return [
    znodeType(stat),
    stat.numChildren,
    stat.dataLength,
    stat.version,
    isoTime(stat.mtime),
    isEphemeral(stat) ? formatSessionId(stat.ephemeralOwner) : undefined,
    name,
  ];
}

/** Clients see containers and TTL nodes as persistent. */
export function znodeType(stat: Stat): string {
  return isEphemeral(stat) ? 'ephemeral' : 'persistent';
}
