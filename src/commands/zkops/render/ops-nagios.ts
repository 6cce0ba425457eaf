import { safeLine } from '../../../protocol/sanitize.js';
import { isDown } from '../../ensemble/member.js';
import type { RunResult } from '../../ensemble/verdict/result.js';

const STATUS = { healthy: 'OK', warning: 'WARNING', critical: 'CRITICAL', unknown: 'UNKNOWN' };

/** One line of the Monitoring Plugins guidelines: status, sentence, performance data. */
export function opsToNagios({ members, verdict }: Pick<RunResult, 'members' | 'verdict'>): string {
  const rest = verdict.problems
    .map(({ server, text }) => (server === undefined ? text : `${server}: ${text}`))
    .filter((text) => !verdict.summary.startsWith(text.split('; ')[0] ?? ''));
  // A vertical bar would start the performance data.
  const says = safeLine([verdict.summary, ...rest].join('; ')).replaceAll('|', '/');
  const start = `ZOOKEEPER ${STATUS[verdict.level]} - ${says}`;
  if (members.length === 0) return `${start}\n`;
  const up = members.filter(({ state }) => !isDown(state));
  const times = up.map(({ server, tookMs }) => ` '${server}'=${Math.round(tookMs)}ms`).join('');
  return `${start} | members_up=${up.length};;;0;${members.length}${times}\n`;
}
