import type { Stat } from '../protocol/data.js';
import { formatSessionId } from '../protocol/session-id.js';
import { formatZxid } from '../protocol/zxid.js';
import type { Stat as StatShape } from './api/shapes.js';

export function statShape(stat: Stat): StatShape {
  return {
    czxid: formatZxid(stat.czxid),
    mzxid: formatZxid(stat.mzxid),
    pzxid: formatZxid(stat.pzxid),
    created: isoTime(stat.ctime),
    modified: isoTime(stat.mtime),
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: stat.ephemeralOwner === 0n ? null : formatSessionId(stat.ephemeralOwner),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
  };
}

/** A server's clock may be wrong by any amount. */
export function isoTime(ms: bigint): string {
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
