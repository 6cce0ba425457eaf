// Whether all members have the same tree. Only trees of the same zxid are comparable: by the
// digests that servers keep, one every 128 txns, or by walking the trees.

import { metricOf } from '../../../fourlw/mntr.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { isDown, type Member, metricsOf, parsedOf, serverOf } from '../../ensemble/member.js';
import { nameOf } from '../../ensemble/member-address.js';
import { statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult, Problem } from '../../ensemble/verdict/result.js';
import { COUNT } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers, downProblems, timeoutOf } from './ask-members.js';
import { printTree, provenDifferences, type WalkedTree } from './compare-walks.js';
import {
  closeSession,
  describeError,
  type MemberSession,
  openSession,
  SESSION_OPTIONS,
} from './sessions.js';

const DEFAULT_ZNODES = 10_000;
const MAX_NAMED = 10;

interface Compared {
  readonly rows: readonly Row[];
  readonly problems: readonly Problem[];
  readonly summary: string;
}

const WORDS = ['srvr', 'hash', 'mntr'] as const;

/** The newest zxid for which at least two members have a digest. */
function compareDigests(members: readonly Member[]): Compared | undefined {
  const byZxid = new Map<bigint, { readonly member: Member; readonly digest: bigint }[]>();
  for (const member of members) {
    for (const { zxid, digest } of parsedOf(member, 'hash')?.digests ?? []) {
      byZxid.set(zxid, [...(byZxid.get(zxid) ?? []), { member, digest }]);
    }
  }
  const serving = members.filter((member) => statusOf(member).isServing).length;
  const common = [...byZxid].filter(([, reports]) => reports.length === serving && serving > 1);
  const different = common.filter(
    ([, reports]) => new Set(reports.map((one) => one.digest)).size > 1,
  );
  const newest = (list: typeof common) =>
    list.reduce((best, one) => (one[0] > best[0] ? one : best));
  if (common.length === 0) return undefined;
  const [zxid, reports] = newest(different.length > 0 ? different : common);
  const isSame = different.length === 0;
  const rows = reports.map(
    ({ member, digest }): Row => [
      member.server,
      'digest',
      formatZxid(zxid),
      serverOf(member)?.nodeCount,
      BigInt.asUintN(64, digest).toString(),
      isSame ? 'same' : 'differs',
    ],
  );
  const at = formatZxid(zxid);
  if (isSame) {
    const summary = `${reports.length} members have the same ${common.length} digests, up to ${at}`;
    return { rows, problems: [], summary };
  }
  const [oldest] = different.map(([one]) => one).sort((a, b) => (a < b ? -1 : 1));
  const text = `the trees of the members differ, first at ${formatZxid(oldest ?? zxid)}: find the member that differs from the leader, stop it, move its data away and let it fetch the leader's`;
  return {
    rows,
    problems: [{ level: 'critical', code: 'different-trees', text }],
    summary: `the digests of ${different.length} of ${common.length} zxids differ`,
  };
}

/** After these txns, the tree of a server differed from the leader's digest. */
function mismatchProblems(members: readonly Member[]): Problem[] {
  return members.flatMap((member): Problem[] => {
    const metrics = metricsOf(member);
    const count = (metrics && metricOf(metrics, 'digest_mismatches_count')) ?? 0;
    if (count === 0) return [];
    const text = `${counted(count, 'txn')} since its start led to a tree that differs from the leader's: stop it, move its data away and let it fetch the leader's`;
    const { server } = member;
    return [{ level: 'critical', code: 'digest-mismatches', server, text }];
  });
}

/** Members at one zxid have equal counts. Asks twice: srvr reads zxid and count separately. */
async function countProblems(call: TaskCall, first: OpsResult): Promise<Problem[]> {
  const differing = (members: readonly Member[]): Map<string, string> => {
    const byZxid = new Map<string, Set<number>>();
    for (const member of members) {
      const { zxid, nodeCount } = serverOf(member) ?? {};
      if (zxid === undefined || nodeCount === undefined || !statusOf(member).isServing) continue;
      const key = formatZxid(zxid);
      byZxid.set(key, (byZxid.get(key) ?? new Set()).add(nodeCount));
    }
    const found = [...byZxid].filter(([, counts]) => counts.size > 1);
    return new Map(found.map(([zxid, counts]) => [zxid, [...counts].join(' and ')]));
  };
  if (differing(first.members).size === 0) return [];
  const second = differing((await askMembers(call, ['srvr'])).members);
  return [...second].map(([zxid, counts]) => ({
    level: 'critical',
    code: 'different-counts',
    text: `at ${zxid} members have ${counts} znodes`,
  }));
}

interface Walked {
  readonly trees: readonly WalkedTree[];
  readonly problems: readonly Problem[];
}

async function walkAll(
  call: TaskCall,
  members: readonly Member[],
  sessions: MemberSession[],
  limit: number,
): Promise<Walked> {
  const root = call.text('path') ?? '/';
  const trees: WalkedTree[] = [];
  const problems: Problem[] = [];
  for (const [done, { address, state }] of members.entries()) {
    // The row has the reason. A read-only member may show data that was never committed.
    if (isDown(state) || state === 'read-only') continue;
    const server = nameOf(address);
    call.progress('consistency', done, members.length);
    try {
      const session = await openSession(call, address);
      sessions.push(session);
      trees.push(await printTree(session, root, limit, call.signal));
    } catch (error) {
      const text = `cannot walk its tree: ${describeError(error)}`;
      problems.push({ level: 'unknown', code: 'no-walk', server, text });
    }
    call.signal.throwIfAborted();
  }
  return { trees, problems };
}

/** Nobody compared these znodes, so equal trees must not look healthy. */
function unseen(
  trees: readonly WalkedTree[],
  members: readonly Member[],
  isCut: boolean,
): Problem[] {
  const problems: Problem[] = [];
  if (isCut) {
    const most = Math.max(0, ...members.map((member) => serverOf(member)?.nodeCount ?? 0));
    const text = `not all znodes were compared: add --max-znodes ${most + 1}`;
    problems.push({ level: 'unknown', code: 'no-walk', text });
  }
  const hidden = Math.max(0, ...trees.map((tree) => tree.hidden));
  if (hidden > 0) {
    const text = `${counted(hidden, 'znode')} without READ, so not compared: add --auth`;
    problems.push({ level: 'unknown', code: 'no-walk', text });
  }
  return problems;
}

async function compareTrees(call: TaskCall, members: readonly Member[]): Promise<Compared> {
  const limit = call.number('max-znodes') ?? DEFAULT_ZNODES;
  const sessions: MemberSession[] = [];
  try {
    const { trees, problems } = await walkAll(call, members, sessions, limit);
    const found = [...problems];
    const [first, ...others] = trees;
    const differing = new Set<WalkedTree>();
    for (const other of first === undefined ? [] : others) {
      if (first === undefined) break;
      const proven = await provenDifferences(first, other);
      if (proven.length > 0) differing.add(other);
      for (const { path, here, there } of proven.slice(0, MAX_NAMED)) {
        const text = `${path} differs: ${first.session.server} has ${here}; ${other.session.server} has ${there}`;
        found.push({ level: 'critical', code: 'different-trees', text });
      }
    }
    const rows = trees.map((tree): Row => {
      const isSame = trees.length < 2 ? undefined : differing.has(tree) ? 'differs' : 'same';
      return [tree.session.server, 'walk', undefined, tree.prints.size, undefined, isSame];
    });
    const isCut = trees.some((tree) => tree.isCut);
    const cut = isCut ? `the first ${limit} znodes of ` : '';
    found.push(...unseen(trees, members, isCut));
    const verb = differing.size === 0 ? 'are the same' : 'differ';
    const summary =
      trees.length < 2
        ? 'nothing to compare: fewer than two members could be walked'
        : `${cut}${trees.length} trees, walked, ${verb}`;
    if (trees.length < 2) found.push({ level: 'unknown', code: 'no-walk', text: summary });
    return { rows, problems: found, summary };
  } finally {
    await Promise.all(sessions.map((session) => closeSession(session, timeoutOf(call))));
  }
}

async function consistency(call: TaskCall): Promise<Report> {
  const result = await askMembers(call, WORDS, { extraWords: ['hash', 'mntr'] });
  const isWalk = call.has('walk');
  const compared =
    (isWalk ? undefined : compareDigests(result.members)) ??
    (await compareTrees(call, result.members));
  const problems = [
    ...compared.problems,
    ...mismatchProblems(result.members),
    ...(await countProblems(call, result)),
    ...downProblems(result).filter(
      ({ server }) => !compared.problems.some((known) => known.server === server),
    ),
  ];
  const verdict = concludeFrom(problems, compared.summary);
  const levelOf = (row: Row) => (row.at(-1) === 'differs' ? 'critical' : undefined);
  return finishedReport(COLUMNS, compared.rows, { verdict }, levelOf);
}

const COLUMNS = [
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('by', 'zxid', 'znodes', 'digest', 'tree'),
];

export const consistencyTask: Task = {
  name: 'consistency',
  options: {
    walk: { summary: 'walk the trees, even if there are digests' },
    'max-znodes': {
      ...COUNT,
      valueName: 'N',
      fallback: DEFAULT_ZNODES,
      summary: 'maximum number of znodes per member',
    },
    ...SESSION_OPTIONS,
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  run: consistency,
};
