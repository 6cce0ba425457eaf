// A planned change of the leader: it hands over to a member in sync, without an election.

import { formatServerAddress } from '../../../client/base/connect-string.js';
import { serverOf } from '../../ensemble/member.js';
import { runFault } from '../../ensemble/run-fault.js';
import { type MemberStatus, statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import { textOption } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import { adminOf, requestMove } from '../calls/admin-transfer.js';
import { AUTH_FILE_OPTION, TIME_OPTIONS, WAIT_OPTION } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers } from './ask-members.js';
import { Doubt, doubtOf, settle } from './doubt.js';

const DEFAULT_WAIT_MS = 30_000;
const DEFAULT_ADMIN_PORT = 8080;

function poll(call: TaskCall): Promise<OpsResult> {
  return askMembers(call, ['srvr', 'mntr', 'conf'], { judge: 'ensemble' });
}

export function leaderOf({ members }: OpsResult): MemberStatus | undefined {
  return members.map(statusOf).find(({ role, isServing }) => role === 'leader' && isServing);
}

/** @throws CommandError unless that member can lead */
function candidateOf({ members }: OpsResult, to: string): MemberStatus {
  const status = members.map(statusOf).find(({ sid }) => sid === to);
  if (status === undefined) {
    throw usageError(
      `--to ${to}: no member of the list reports this id: add conf to the 4lw.commands.whitelist of all`,
    );
  }
  if (takesHandover(status)) return status;
  const { server } = status.member;
  throw usageError(`--to ${to}: ${server} runs Apache ZooKeeper, which takes no handover`);
}

/** Apache's server ignores the request of its leader. */
export function takesHandover({ member }: MemberStatus): boolean {
  return serverOf(member)?.version?.includes('zksh') === true;
}

function adminOfLeader(call: TaskCall, { member }: MemberStatus): URL {
  if (call.text('admin') !== undefined) return adminOf(call);
  const { host, adminPort: port = DEFAULT_ADMIN_PORT } = member.address;
  return new URL(`http://${formatServerAddress({ host, port })}`);
}

function doubtAbout(result: OpsResult, next: MemberStatus): string | undefined {
  const leader = leaderOf(result);
  if (leader?.member.server !== next.member.server) {
    return leader === undefined ? 'no member leads' : `${leader.member.server} leads`;
  }
  return doubtOf(result, null);
}

async function moveLeader(call: TaskCall): Promise<Report> {
  const to = call.text('to');
  if (to === undefined) throw usageError('move-leader: missing option (expected --to ID)');
  const before = await poll(call);
  const leader = leaderOf(before);
  if (leader === undefined) throw runFault('no member of the list leads');
  const next = candidateOf(before, to);
  if (next !== leader) {
    const { signal } = call;
    await requestMove({ admin: adminOfLeader(call, leader), auth: call.text('auth'), signal }, to);
    await untilLeads(call, next);
  }
  const verdict = concludeFrom([], `${next.member.server} leads`);
  return finishedReport(COLUMNS, [[leader.member.server, next.member.server]], { verdict });
}

async function untilLeads(call: TaskCall, next: MemberStatus): Promise<void> {
  const find = (result: OpsResult) => doubtAbout(result, next);
  const waitMs = call.number('wait') ?? DEFAULT_WAIT_MS;
  try {
    await settle({ poll: () => poll(call), find, waitMs, signal: call.signal });
  } catch (error) {
    throw error instanceof Doubt ? runFault(error.message) : error;
  }
}

const COLUMNS = namedColumns('from', 'to');

export const moveLeaderTask: Task = {
  name: 'move-leader',
  options: {
    to: textOption('ID', 'id of the server that leads next: a voter in sync, of zkserver'),
    admin: textOption(
      'URL',
      'AdminServer of the leader; default: admin= of the hosts file, or port 8080 of its host',
    ),
    auth: textOption('USER:PASSWORD', 'digest id with every permission on the root znode'),
    ...AUTH_FILE_OPTION,
    wait: {
      ...WAIT_OPTION,
      fallback: DEFAULT_WAIT_MS,
      summary: 'timeout for the ensemble after it',
    },
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: true,
  run: moveLeader,
};
