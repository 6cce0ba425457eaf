import type { Stat } from '../../protocol/data.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { formatZxid } from '../../protocol/zxid.js';
import { formatJavaDate } from './java-date.js';

/** The fields of a Stat with the names and the order of Apache's shell. */
export function statFields(stat: Stat): readonly (readonly [name: string, value: string])[] {
  return [
    ['cZxid', formatZxid(stat.czxid)],
    ['ctime', formatJavaDate(stat.ctime)],
    ['mZxid', formatZxid(stat.mzxid)],
    ['mtime', formatJavaDate(stat.mtime)],
    ['pZxid', formatZxid(stat.pzxid)],
    ['cversion', String(stat.cversion)],
    ['dataVersion', String(stat.version)],
    ['aclVersion', String(stat.aversion)],
    ['ephemeralOwner', formatSessionId(stat.ephemeralOwner)],
    ['dataLength', String(stat.dataLength)],
    ['numChildren', String(stat.numChildren)],
  ];
}

/** The eleven lines of Apache's shell, each with its line end. */
export function statLines(stat: Stat): string {
  return statFields(stat)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}
