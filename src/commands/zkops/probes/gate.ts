// Tells whether a member may stop, and waits until it may.

import { setTimeout as delay } from 'node:timers/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { nameOf } from '../../ensemble/member-address.js';
import { type MemberStatus, statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult, Problem, Verdict } from '../../ensemble/verdict/result.js';
import { textOption } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { POLL_MS, TIME_OPTIONS, WAIT_OPTION } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers } from './ask-members.js';
import { type Answer, mayStop, type Quorum, quorumOf, restartOrder, totalsOf } from './may-stop.js';

interface GateResult {
  readonly statuses: readonly MemberStatus[];
  readonly answerFor: (status: MemberStatus) => Answer;
  readonly quorum: Quorum;
  readonly verdict: Verdict;
}

function judgeResult(result: OpsResult, target: string | undefined): GateResult {
  const statuses = result.members.map(statusOf);
  const quorum = quorumOf(statuses);
  // A problem of the whole ensemble comes before any count.
  const critical = result.verdict.problems.find(({ level }) => level === 'critical');
  const answerFor = (status: MemberStatus): Answer =>
    critical === undefined ? mayStop(status, quorum) : { isSafe: false, why: critical.text };
  const about = { statuses, answerFor, quorum };
  if (target === undefined) return { ...about, verdict: result.verdict };
  const status = statuses.find(({ member }) => member.server === target);
  if (status === undefined) throw usageError(`${target}: not in the list of members`);
  const { isSafe, why } = answerFor(status);
  const summary = `${target} ${isSafe ? 'may' : 'must not'} be stopped: ${why}`;
  const problems: Problem[] = isSafe
    ? []
    : [{ level: 'critical', code: 'not-safe', server: target, text: summary }];
  return { ...about, verdict: concludeFrom(problems, summary) };
}

/** As the list spells it, with or without a port. */
function targetOf(call: TaskCall): string | undefined {
  const text = call.text('restart');
  if (text === undefined) return undefined;
  const names = call.members.map(nameOf);
  const hits = names.filter((name, at) => name === text || call.members[at]?.host === text);
  const [only, another] = hits;
  if (only !== undefined && another === undefined) return only;
  const why = another === undefined ? 'not in the list of members' : 'more than one member';
  throw usageError(`--restart ${text}: ${why}: ${names.join(', ')}`);
}

async function gate(call: TaskCall): Promise<Report> {
  const target = targetOf(call);
  const waitMs = call.number('wait') ?? 0;
  const startedAt = performance.now();
  const take = async (): Promise<GateResult> =>
    judgeResult(await askMembers(call, ['srvr', 'mntr'], { judge: 'ensemble' }), target);
  let result = await take();
  // A good state may be short, so this needs two good polls in a row.
  let isGoodBefore = false;
  for (;;) {
    const isGood = result.verdict.level === 'healthy';
    const waited = performance.now() - startedAt;
    if (waitMs === 0 || (isGood && isGoodBefore) || (waited > waitMs && !isGood)) break;
    isGoodBefore = isGood;
    call.progress('gate', waited, waitMs);
    await delay(Math.min(POLL_MS, waitMs), undefined, { signal: call.signal });
    result = await take();
  }
  return reportOf(result);
}

function reportOf({ statuses, answerFor, quorum, verdict }: GateResult): Report {
  const rows = restartOrder(statuses).map((status, at): Row => {
    const { member, role, zxid } = status;
    const { isSafe, why } = answerFor(status);
    const zxidText = zxid === undefined ? undefined : formatZxid(zxid);
    return [at + 1, member.server, role ?? member.state, zxidText, isSafe ? 'yes' : 'no', why];
  });
  return finishedReport(COLUMNS, rows, {
    verdict,
    totals: totalsOf(quorum),
  });
}

const COLUMNS = [
  { key: 'order' },
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('role', 'zxid'),
  { title: 'SAFE', key: 'may_stop' },
  { key: 'why' },
];

export const gateTask: Task = {
  name: 'gate',
  options: {
    restart: textOption('MEMBER', 'check whether this member may be stopped now'),
    wait: WAIT_OPTION,
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  run: gate,
};
