// wchs returns counts and is cheap. wchp and wchc return watchers, and a server builds their answer
// in memory (ZOOKEEPER-2693). So zkops asks these only if there are few watches, or with --force.

import { shortCount } from '../../ensemble/format.js';
import { isDown, type Member, parsedOf } from '../../ensemble/member.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import {
  type Column,
  finishedReport,
  namedColumns,
  type Report,
  type Row,
} from '../../results/result.js';
import { limitOptions, TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers, downProblems, hostOf, refusals, silence } from './ask-members.js';

const GROUPS = ['member', 'path', 'session', 'host'] as const;
type Group = (typeof GROUPS)[number];
const DEFAULT_LIMIT = 20;

const COUNT_COLUMNS: readonly Column[] = namedColumns('member', 'connections', 'paths', 'watches');

function countRows(members: readonly Member[]): Row[] {
  return members.map((member) => {
    const found = parsedOf(member, 'wchs');
    return [member.server, found?.connections, found?.paths, found?.watches];
  });
}

/** Watches by group of rows, and the number of groups that are not shown. */
class Tally {
  private readonly counts = new Map<string, { watches: number; readonly others: Set<string> }>();
  total = 0;

  add(key: string, other: string): void {
    this.total++;
    const found = this.counts.get(key);
    if (found === undefined) this.counts.set(key, { watches: 1, others: new Set([other]) });
    else {
      found.watches++;
      found.others.add(other);
    }
  }

  get size(): number {
    return this.counts.size;
  }

  rows(limit: number): Row[] {
    return [...this.counts]
      .sort(([a, left], [b, right]) => right.watches - left.watches || (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, { watches, others }]) => [key, watches, others.size]);
  }
}

/** By session, if members report hosts. */
function hostsOf(members: readonly Member[]): Map<string, string> {
  const hosts = new Map<string, string>();
  for (const member of members) {
    for (const connection of parsedOf(member, 'cons')?.connections ?? []) {
      const { sessionId } = connection;
      if (sessionId !== undefined) hosts.set(sessionId, hostOf(connection));
    }
  }
  return hosts;
}

function tallyOf(members: readonly Member[], by: Group): Tally {
  const tally = new Tally();
  const hosts = hostsOf(members);
  for (const member of members) {
    for (const [path, sessions] of parsedOf(member, 'wchp')?.paths ?? []) {
      for (const session of sessions) {
        if (by === 'path') tally.add(path, session);
        else tally.add(by === 'session' ? session : (hosts.get(session) ?? 'unknown'), path);
      }
    }
  }
  return tally;
}

async function watches(call: TaskCall): Promise<Report> {
  const by = GROUPS.find((name) => name === call.text('by')) ?? 'member';
  // Costly words come separately, so that a member reports its counts in any case.
  const counted = await askMembers(call, by === 'host' ? ['wchs', 'cons'] : ['wchs']);
  const detailed = by === 'member' ? undefined : await askForPaths(call, counted);
  const total = counted.members.reduce(
    (sum, member) => sum + (parsedOf(member, 'wchs')?.watches ?? 0),
    0,
  );
  const problems = [
    ...refusals(counted.members, by === 'host' ? ['wchs', 'cons'] : ['wchs']),
    ...downProblems(counted),
    ...(detailed === undefined ? [] : downProblems(detailed).filter(isNew(counted))),
  ];
  const nobody = silence(counted.members, 'wchs', 'its watches');
  problems.push(...nobody);
  const summary = nobody[0]?.text ?? `${shortCount(total)} data watches`;
  const verdict = concludeFrom(problems, summary);
  if (detailed === undefined) {
    return finishedReport(COUNT_COLUMNS, countRows(counted.members), {
      verdict,
      totals: { watches: total },
    });
  }
  const countAnswers = new Map(counted.members.map(({ server, answers }) => [server, answers]));
  const members = detailed.members.map((member) => ({
    ...member,
    answers: { ...countAnswers.get(member.server), ...member.answers },
  }));
  const tally = tallyOf(members, by);
  const rows = tally.rows(call.number('limit') ?? DEFAULT_LIMIT);
  const left = tally.size - rows.length;
  const columns = [
    { key: by },
    { key: 'watches' },
    by === 'path' ? { key: 'sessions' } : { key: 'paths' },
  ];
  return finishedReport(columns, rows, {
    verdict,
    notes: left > 0 ? [`${left} more, with fewer watches: --limit shows them.`] : [],
    totals: { watches: total, listed: tally.total },
  });
}

/** Asks only members that answered before, because others would time out again. */
function askForPaths(call: TaskCall, { members }: OpsResult): Promise<OpsResult> {
  const up = members.filter(({ state }) => !isDown(state)).map(({ address }) => address);
  return askMembers({ ...call, members: up }, ['wchp'], { isCostly: true });
}

/** Reports a member that is down only once. */
function isNew({ verdict }: OpsResult) {
  return ({ server, code }: OpsResult['verdict']['problems'][number]): boolean =>
    !verdict.problems.some((known) => known.server === server && known.code === code);
}

export const watchesTask: Task = {
  name: 'watches',
  options: {
    by: {
      kind: 'text',
      choices: GROUPS,
      valueName: 'WHAT',
      fallback: 'member',
      summary: 'group the rows; all groups but member are costly',
    },
    ...limitOptions('number of rows', DEFAULT_LIMIT),
    force: { summary: 'also query a server with more than 100000 watches' },
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  run: watches,
};
