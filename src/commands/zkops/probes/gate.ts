// Whether a member may be stopped, for rolling restarts. A majority of the voters must stay in step
// with the leader without the member. Only the leader knows who is in step, so a follower counts as
// one of them.

import { setTimeout as delay } from 'node:timers/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { nameOf } from '../../ensemble/member-address.js';
import { type MemberStatus, statusOf } from '../../ensemble/status.js';
import { UsageError } from '../../ensemble/usage-error.js';
import type { OpsResult, Problem, Verdict } from '../../ensemble/verdict/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import {
  concludeFrom,
  finishedReport,
  type Report,
  type ReportRow,
  type Task,
  type TaskCall,
} from '../calls/task.js';
import { askMembers } from './ask-members.js';

const PAUSE_MS = 1000;

interface Answer {
  readonly isSafe: boolean;
  readonly why: string;
}

interface Quorum {
  readonly voters: number;
  readonly majority: number;
  /** The leader and the followers in step with it; undefined without a leader. */
  readonly inStep: number | undefined;
}

function quorumOf(statuses: readonly MemberStatus[]): Quorum {
  const leader = statuses.find(({ role, isServing }) => role === 'leader' && isServing);
  const told = Math.max(0, ...statuses.map(({ quorumSize }) => quorumSize ?? 0));
  const listed = statuses.filter(({ isObserver }) => !isObserver).length;
  const voters = told > 0 ? told : listed;
  const following = statuses.filter(({ role, isServing }) => role === 'follower' && isServing);
  // A leader counts a hanging follower until syncLimit has passed. So a listed member that does not
  // serve is not in step, whatever the leader reports.
  const silent = statuses.filter(({ isServing, isObserver }) => !isServing && !isObserver).length;
  const synced = leader?.syncedFollowers ?? following.length;
  return {
    voters,
    majority: Math.floor(voters / 2) + 1,
    inStep: leader === undefined ? undefined : Math.min(synced + 1, voters - silent),
  };
}

/** Whether this member may be stopped now. */
function mayStop(status: MemberStatus, quorum: Quorum): Answer {
  const { role, isServing } = status;
  const { voters, majority, inStep } = quorum;
  if (role === 'standalone') {
    return { isSafe: false, why: 'it is the only server: nobody serves while it is down' };
  }
  if (inStep === undefined) {
    return { isSafe: false, why: 'no member leads: wait for an election' };
  }
  const isCounted = isServing && role !== 'observer';
  const left = isCounted ? inStep - 1 : inStep;
  const ratio = `${left} of ${voters} voters stay in step (expected at least ${majority})`;
  if (left < majority) return { isSafe: false, why: ratio };
  if (role === 'leader') return { isSafe: true, why: `${ratio}; the others elect a new leader` };
  return { isSafe: true, why: isServing ? ratio : `it does not serve; ${ratio}` };
}

/**
 * Observers, then followers, the ones that lag first, then the leader: a restart costs one
 * election.
 */
function restartOrder(statuses: readonly MemberStatus[]): MemberStatus[] {
  const rank = ({ role, isServing }: MemberStatus): number => {
    if (!isServing) return 0;
    return role === 'observer' ? 1 : role === 'leader' ? 3 : 2;
  };
  return statuses.toSorted((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const [left = 0n, right = 0n] = [a.zxid, b.zxid];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

interface Look {
  readonly statuses: readonly MemberStatus[];
  /** Whether this member may be stopped. */
  readonly answerFor: (status: MemberStatus) => Answer;
  readonly quorum: Quorum;
  readonly verdict: Verdict;
}

function judgeLook(result: OpsResult, target: string | undefined): Look {
  const statuses = result.members.map(statusOf);
  const quorum = quorumOf(statuses);
  // A problem of the whole ensemble outweighs any count.
  const grave = result.verdict.problems.find(({ level }) => level === 'critical');
  const answerFor = (status: MemberStatus): Answer =>
    grave === undefined ? mayStop(status, quorum) : { isSafe: false, why: grave.text };
  const look = { statuses, answerFor, quorum };
  if (target === undefined) return { ...look, verdict: result.verdict };
  const status = statuses.find(({ member }) => member.server === target);
  if (status === undefined) throw new UsageError(`${target}: not in the list of members`);
  const { isSafe, why } = answerFor(status);
  const summary = `${target} ${isSafe ? 'may' : 'must not'} be stopped: ${why}`;
  const problems: Problem[] = isSafe
    ? []
    : [{ level: 'critical', code: 'not-safe', server: target, text: summary }];
  return { ...look, verdict: concludeFrom(problems, summary) };
}

/** The member as the list spells it, with or without a port. */
function targetOf(call: TaskCall): string | undefined {
  const text = call.text('restart');
  if (text === undefined) return undefined;
  const names = call.members.map(nameOf);
  const hits = names.filter((name, at) => name === text || call.members[at]?.host === text);
  const [only, another] = hits;
  if (only !== undefined && another === undefined) return only;
  const why = another === undefined ? 'not in the list of members' : 'more than one member';
  throw new UsageError(`--restart ${text}: ${why}: ${names.join(', ')}`);
}

async function gate(call: TaskCall): Promise<Report> {
  const target = targetOf(call);
  const waitMs = call.number('wait') ?? 0;
  const startedAt = performance.now();
  const take = async (): Promise<Look> =>
    judgeLook(await askMembers(call, ['srvr', 'mntr'], { judge: 'ensemble' }), target);
  let look = await take();
  // A good state may pass a moment later, so a second good look must follow.
  let isGoodBefore = false;
  for (;;) {
    const isGood = look.verdict.level === 'healthy';
    const waited = performance.now() - startedAt;
    if (waitMs === 0 || (isGood && isGoodBefore) || (waited > waitMs && !isGood)) break;
    isGoodBefore = isGood;
    call.progress('gate', waited, waitMs);
    await delay(Math.min(PAUSE_MS, waitMs), undefined, { signal: call.signal });
    look = await take();
  }
  return reportOf(look);
}

function reportOf({ statuses, answerFor, quorum, verdict }: Look): Report {
  const rows = restartOrder(statuses).map((status, at): ReportRow => {
    const { member, role, zxid } = status;
    const { isSafe, why } = answerFor(status);
    const zxidText = zxid === undefined ? undefined : formatZxid(zxid);
    return [at + 1, member.server, role ?? member.state, zxidText, isSafe ? 'yes' : 'no', why];
  });
  return finishedReport(COLUMNS, rows, {
    verdict,
    totals: { ...quorum, inStep: quorum.inStep ?? null },
  });
}

const COLUMNS = [
  { title: 'ORDER', key: 'order' },
  { title: 'MEMBER', key: 'server' },
  { title: 'ROLE', key: 'role' },
  { title: 'ZXID', key: 'zxid' },
  { title: 'SAFE', key: 'may_stop' },
  { title: 'WHY', key: 'why' },
];

export const gateTask: Task = {
  name: 'gate',
  options: [
    ['--restart <member>', 'say whether this member may be stopped now'],
    ['--wait <ms>', 'repeat until the answer is yes, at most this long', 'ms'],
    ...TIME_OPTIONS,
  ],
  hasMembers: true,
  run: gate,
};
