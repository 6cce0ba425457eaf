import type { Stat } from '../../protocol/data.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { formatZxid } from '../../protocol/zxid.js';
import { isoTime } from './iso-time.js';

type FormatTime = (ms: number) => string;
const showTime: FormatTime = (ms) => isoTime(ms) ?? '-';

/** With the names and the order of Apache's shell. */
export function statFields(
  stat: Stat,
  formatTime = showTime,
): readonly (readonly [name: string, value: string])[] {
  return [
    ['cZxid', formatZxid(stat.czxid)],
    ['ctime', formatTime(stat.ctime)],
    ['mZxid', formatZxid(stat.mzxid)],
    ['mtime', formatTime(stat.mtime)],
    ['pZxid', formatZxid(stat.pzxid)],
    ['cversion', String(stat.cversion)],
    ['dataVersion', String(stat.version)],
    ['aclVersion', String(stat.aversion)],
    ['ephemeralOwner', formatSessionId(stat.ephemeralOwner)],
    ['dataLength', String(stat.dataLength)],
    ['numChildren', String(stat.numChildren)],
  ];
}

/** The eleven lines of Apache's shell. */
export function statLines(stat: Stat, formatTime = showTime): string {
  return statFields(stat, formatTime)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

export function isEphemeral({ ephemeralOwner }: Stat): boolean {
  return ephemeralOwner !== 0n;
}
