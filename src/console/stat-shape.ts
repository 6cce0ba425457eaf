import { isoTime } from '../commands/znodes/iso-time.js';
import type { Stat } from '../protocol/data.js';
import { formatSessionId } from '../protocol/session-id.js';
import { formatZxid } from '../protocol/zxid.js';
import type { Stat as StatShape } from './api/shapes.js';

export function statShape(stat: Stat): StatShape {
  return {
    czxid: formatZxid(stat.czxid),
    mzxid: formatZxid(stat.mzxid),
    pzxid: formatZxid(stat.pzxid),
    created: timeOf(stat.ctime),
    modified: timeOf(stat.mtime),
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: stat.ephemeralOwner === 0n ? null : formatSessionId(stat.ephemeralOwner),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
  };
}

/** Null for 0, which is the time of the root, and for a time that no date has. */
export function timeOf(ms: number): string | null {
  const time = isoTime(ms);
  return time === undefined || time === String(ms) ? null : time;
}
