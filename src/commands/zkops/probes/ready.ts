import { setTimeout as delay } from 'node:timers/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import { POLL_MS, TIME_OPTIONS, WAIT_OPTION } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers } from './ask-members.js';

/** For a readiness probe. Uses srvr, the only word that every server allows. */
async function ready(call: TaskCall): Promise<Report> {
  if (call.members.length !== 1) {
    throw usageError(
      `ready: invalid number of members: ${call.members.length} (expected 1): name one with --servers`,
    );
  }
  const waitMs = call.number('wait') ?? 0;
  const startedAt = performance.now();
  for (;;) {
    const { isReady, report } = await look(call);
    const waited = performance.now() - startedAt;
    if (isReady || waited >= waitMs) return report;
    call.progress('ready', waited, waitMs);
    await delay(Math.min(POLL_MS, waitMs), undefined, { signal: call.signal });
  }
}

async function look(
  call: TaskCall,
): Promise<{ readonly isReady: boolean; readonly report: Report }> {
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
  const isReady = problems.length === 0;
  const summary = `${members[0]?.server} is ${isReady ? '' : 'not '}ready`;
  const verdict = concludeFrom(problems, summary);
  return { isReady, report: finishedReport(COLUMNS, rows, { verdict }) };
}

const COLUMNS = [
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('state', 'role', 'zxid', 'took_ms'),
];

export const readyTask: Task = {
  name: 'ready',
  options: {
    'read-only': { summary: 'accept a read-only server as ready' },
    wait: WAIT_OPTION,
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  run: ready,
};
