import { formatZxid } from '../../../protocol/zxid.js';
import { statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers } from './ask-members.js';

/** For a readiness probe. Uses srvr, the only word that every server allows. */
async function ready(call: TaskCall): Promise<Report> {
  if (call.members.length !== 1) {
    throw usageError(
      `ready: invalid number of members: ${call.members.length} (expected 1): name one with --servers`,
    );
  }
  const { members } = await askMembers(call, ['srvr'], { judge: 'ensemble' });
  const rows = members.map((member) => {
    const { role, zxid } = statusOf(member);
    return [
      member.server,
      member.state,
      role,
      zxid === undefined ? undefined : formatZxid(zxid),
      Math.round(member.tookMs),
    ];
  });
  const problems = members.flatMap((member): Problem[] => {
    const { isServing, isReadOnly } = statusOf(member);
    if (isServing || (isReadOnly && call.has('read-only'))) return [];
    const { server, fault } = member;
    const text = fault === undefined ? 'it reports no role' : `${fault.message}; ${fault.advice}`;
    return [{ level: 'critical', code: 'not-ready', server, text }];
  });
  const summary = `${members[0]?.server} is ${problems.length === 0 ? '' : 'not '}ready`;
  return finishedReport(COLUMNS, rows, { verdict: concludeFrom(problems, summary) });
}

const COLUMNS = [
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('state', 'role', 'zxid', 'took_ms'),
];

export const readyTask: Task = {
  name: 'ready',
  options: { 'read-only': { summary: 'accept a read-only server as ready' }, ...TIME_OPTIONS },
  hasMembers: true,
  changesEnsemble: false,
  run: ready,
};
