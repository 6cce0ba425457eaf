import { safeLine } from '../../protocol/sanitize.js';
import { isUp } from '../ensemble/member.js';
import type { OpsResult } from '../ensemble/verdict/result.js';

const STATUS = { healthy: 'OK', warning: 'WARNING', critical: 'CRITICAL', unknown: 'UNKNOWN' };

type Judged = Pick<OpsResult, 'members' | 'verdict'> & { readonly verb?: OpsResult['verb'] };

/** One line of the Monitoring Plugins guidelines: status, sentence, performance data. */
export function membersToNagios({ verb, members, verdict }: Judged): string {
  const rest = verdict.problems
    .map(({ server, text }) => (server === undefined ? text : `${server}: ${text}`))
    .filter((text) => !verdict.summary.startsWith(text.split('; ')[0] ?? ''));
  // A vertical bar would start the performance data.
  const says = safeLine([verdict.summary, ...rest].join('; ')).replaceAll('|', '/');
  const start = `ZOOKEEPER ${STATUS[verdict.level]} - ${says}`;
  if (members.length === 0) return `${start}\n`;
  const columns = verb?.columns ?? [];
  const up = members.filter(({ state }) => isUp(state));
  const figures = up.flatMap((member) => [
    ` ${label(member.server)}=${Math.round(member.tookMs)}ms`,
    ...columns.flatMap(({ key, value }) => {
      const figure = value(member, members);
      const isFigure = typeof figure === 'bigint' || Number.isFinite(figure);
      return isFigure ? [` ${label(`${member.server} ${key}`)}=${figure}`] : [];
    }),
  ]);
  return `${start} | members_up=${up.length};;;0;${members.length}${figures.join('')}\n`;
}

/** A quote is doubled. An equals sign or a bar would end the label. */
function label(text: string): string {
  return `'${safeLine(text).replaceAll("'", "''").replace(/[=|]/g, '_')}'`;
}
