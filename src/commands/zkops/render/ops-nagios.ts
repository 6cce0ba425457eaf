import { safeLine } from '../../../protocol/sanitize.js';
import { isDown } from '../../ensemble/member.js';
import type { RunResult } from '../../ensemble/verdict/result.js';

const STATUS = { healthy: 'OK', warning: 'WARNING', critical: 'CRITICAL', unknown: 'UNKNOWN' };

/**
 * One line as the Monitoring Plugins guidelines ask for: status, sentence, performance data. The
 * exit codes of zkops are those of a plugin.
 */
export function opsToNagios({ members, verdict }: Pick<RunResult, 'members' | 'verdict'>): string {
  const rest = verdict.problems
    .filter(({ text }) => text !== verdict.summary)
    .map(({ server, text }) => (server === undefined ? text : `${server}: ${text}`));
  // A bar would start the performance data.
  const says = safeLine([verdict.summary, ...rest].join('; ')).replaceAll('|', '/');
  const up = members.filter(({ state }) => !isDown(state)).length;
  const data = [
    `members_up=${up};;;0;${members.length}`,
    ...members
      .filter(({ state }) => !isDown(state))
      .map(({ server, tookMs }) => `'${server}'=${Math.round(tookMs)}ms`),
  ];
  return `ZOOKEEPER ${STATUS[verdict.level]} - ${says}${members.length === 0 ? '' : ` | ${data.join(' ')}`}\n`;
}
