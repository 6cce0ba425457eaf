// The state between two runs. A check from cron reports only changes: a problem that `forRuns` runs
// in a row found, a change of its level, and its end after as many runs without it. It does not
// report short flaps: with --for, this includes counters, restarts, roles, and elections. Pure.

import { metricOf } from '../../../fourlw/mntr.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import { shortDuration } from '../format.js';
import { type Member, metricsOf, parsedOf, serverOf } from '../member.js';
import type { Sample } from '../sample.js';
import { statusOf } from '../status.js';
import { worstLevel } from './blame.js';
import { samplesOf } from './measure.js';
import type {
  Change,
  Problem,
  RunResult,
  TimedChange,
  TrendFigures,
  TrendPoint,
  Verdict,
} from './result.js';

export const STATE_SCHEMA = 'zkops-state/1';
/** One week of runs every five minutes. */
const MAX_POINTS = 2016;

export interface KnownProblem {
  readonly level: Problem['level'];
  readonly code: string;
  readonly server?: string;
  readonly text: string;
  /** The first of these runs, in ISO 8601. */
  readonly since: string;
  /** Runs in a row that found it. */
  readonly runs: number;
  /** Runs in a row that did not find it. */
  readonly absentRuns: number;
  readonly isReported: boolean;
}

export interface KnownMember extends Sample {
  readonly role: string | undefined;
}

export interface RunState {
  readonly time: string;
  readonly members: ReadonlyMap<string, KnownMember>;
  readonly problems: readonly KnownProblem[];
  readonly trend: readonly TrendPoint[];
  /** Kept by the console: newest first. */
  readonly changes?: readonly TimedChange[];
}

const VOTED: readonly string[] = ['leader', 'follower', 'observer'];

const keyOf = ({ server = '', code }: Pick<KnownProblem, 'server' | 'code'>) => `${server} ${code}`;

/** The state after a run, the changes, and the verdict on problems found in enough runs. */
export function advance<Result extends RunResult>(
  before: RunState | undefined,
  result: Result,
  forRuns: number,
): { readonly state: RunState; readonly result: Result } {
  const happened = before === undefined ? [] : memberChanges(before, result);
  const isAtOnce = forRuns === 1;
  const events = isAtOnce ? eventsOf(result.verdict) : [];
  const states = isAtOnce
    ? result.verdict.problems.filter(({ isEvent }) => isEvent !== true)
    : [...result.verdict.problems, ...happened.map(asProblem)];
  const problems = nextProblems(before?.problems ?? [], states, result.time, forRuns);
  const changes = [
    ...(isAtOnce ? happened : []),
    ...events.map(eventChange),
    ...problemChanges(before?.problems ?? [], problems, forRuns),
  ];
  const verdict = withoutTransient(result.verdict, problems, events);
  const trend = [...(before?.trend ?? []), trendPoint(result)].slice(-MAX_POINTS);
  return {
    result: { ...result, verdict, changes },
    state: {
      time: result.time,
      members: nextMembers(before, result),
      problems: problems.filter(({ absentRuns }) => absentRuns < forRuns),
      trend,
    },
  };
}

type Found = Pick<KnownProblem, 'level' | 'code' | 'server' | 'text'>;

/** So that a member that restarts in each of several runs is reported once. */
function asProblem({ kind, server, text }: Change): Found {
  const about = server === undefined ? {} : { server };
  return { level: 'warning', code: `change:${kind}`, ...about, text };
}

function nextProblems(
  before: readonly KnownProblem[],
  states: readonly Found[],
  time: string,
  forRuns: number,
): readonly KnownProblem[] {
  const known = new Map(before.map((problem) => [keyOf(problem), problem]));
  const found = new Map(states.map((problem) => [keyOf(problem), problem]));
  const present = [...found.values()].map(({ level, code, server, text }): KnownProblem => {
    const about = server === undefined ? {} : { server };
    const old = known.get(keyOf({ code, ...about }));
    const runs = (old?.runs ?? 0) + 1;
    return {
      level,
      code,
      ...about,
      text,
      since: old?.since ?? time,
      runs,
      absentRuns: 0,
      isReported: old?.isReported === true || runs >= forRuns,
    };
  });
  const absent = before
    .filter((problem) => !found.has(keyOf(problem)) && problem.isReported)
    .map((problem) => ({ ...problem, absentRuns: problem.absentRuns + 1 }));
  return [...present, ...absent];
}

function eventsOf({ problems }: Verdict): readonly Problem[] {
  return problems.filter(({ isEvent }) => isEvent === true);
}

function eventChange({ level, server, text }: Problem): Change {
  return { kind: 'problem', level, ...(server === undefined ? {} : { server }), text };
}

function problemChanges(
  before: readonly KnownProblem[],
  after: readonly KnownProblem[],
  forRuns: number,
): Change[] {
  const known = new Map(before.map((problem) => [keyOf(problem), problem]));
  return after.flatMap((problem): Change[] => {
    const { server, text, level } = problem;
    const about = server === undefined ? {} : { server };
    const old = known.get(keyOf(problem));
    if (problem.absentRuns >= forRuns) {
      const ended = `ended, first found ${problem.since}: ${text}`;
      return [{ kind: 'recovered', level: 'healthy', ...about, text: ended }];
    }
    if (!problem.isReported || problem.absentRuns > 0) return [];
    if (old?.isReported !== true) return [{ kind: 'problem', level, ...about, text }];
    if (old.level === level) return [];
    return [{ kind: 'level', level, ...about, text: `was ${old.level}: ${text}` }];
  });
}

function memberChanges(before: RunState, { members, timeMs }: RunResult): Change[] {
  const samples = samplesOf(members, timeMs);
  const own = members.flatMap((member): Change[] => {
    const { server } = member;
    const old = before.members.get(server);
    const { role } = statusOf(member);
    const sample = samples.get(server);
    const changes: Change[] = [];
    if (old?.role !== undefined && role !== undefined && old.role !== role) {
      const text = `was ${old.role}, is ${role}`;
      changes.push({ kind: 'role', level: 'warning', server, text });
    }
    const { uptimeMs } = sample ?? {};
    if (old?.uptimeMs !== undefined && uptimeMs !== undefined && uptimeMs < old.uptimeMs) {
      const text = `restarted ${shortDuration(uptimeMs)} ago`;
      changes.push({ kind: 'restart', level: 'warning', server, text });
    }
    return changes;
  });
  const from = newestEpoch(before.members.values());
  const to = newestEpoch(members.map(statusOf));
  if (from === undefined || to === undefined || to <= from) return own;
  const text = `a new epoch was elected: ${to} (before: ${from})`;
  return [...own, { kind: 'election', level: 'warning', text }];
}

/** Only of serving members: the others may hold uncommitted txns. */
function newestEpoch(members: Iterable<Pick<KnownMember, 'role' | 'zxid'>>): number | undefined {
  const epochs = [...members].flatMap(({ role, zxid }) =>
    zxid === undefined || role === undefined || !VOTED.includes(role) ? [] : [zxidEpoch(zxid)],
  );
  return epochs.length === 0 ? undefined : Math.max(...epochs);
}

function withoutTransient(
  verdict: Verdict,
  known: readonly KnownProblem[],
  events: readonly Problem[],
): Verdict {
  const reported = new Set([...known.filter(({ isReported }) => isReported), ...events].map(keyOf));
  const pending = verdict.problems.filter((problem) => !reported.has(keyOf(problem)));
  if (pending.length === 0) return verdict;
  const problems = verdict.problems.filter((problem) => reported.has(keyOf(problem)));
  return {
    level: worstLevel(problems) ?? 'healthy',
    summary: `${verdict.summary} (found in too few runs in a row to count yet)`,
    problems,
    pending,
  };
}

/** A member without an answer keeps its previous state. */
function nextMembers(
  before: RunState | undefined,
  { members, timeMs }: RunResult,
): ReadonlyMap<string, KnownMember> {
  const samples = samplesOf(members, timeMs);
  return new Map(
    members.flatMap((member): [string, KnownMember][] => {
      const { server } = member;
      const old = before?.members.get(server);
      const sample = samples.get(server);
      const { role, zxid } = statusOf(member);
      if (sample === undefined || (role === undefined && zxid === undefined)) {
        return old === undefined ? [] : [[server, old]];
      }
      return [[server, { ...sample, role }]];
    }),
  );
}

function trendPoint({ time, verdict, members }: RunResult): TrendPoint {
  const leads = (member: Member) => ['leader', 'standalone'].includes(statusOf(member).role ?? '');
  return {
    time,
    level: verdict.level,
    leader: members.find(leads)?.server ?? null,
    members: Object.fromEntries(
      members.map((member) => [member.server, figuresOf(member)] as const),
    ),
  };
}

/** The names of the JVM exports that Apache's Prometheus provider adds to mntr. */
const MEMORY = ['process_resident_memory_bytes', 'jvm_memory_bytes_used{area="heap"}'];

function memoryOf(member: Member): number | undefined {
  const metrics = metricsOf(member);
  const exported = MEMORY.map((name) => metrics && metricOf(metrics, name));
  return exported.find((bytes) => bytes !== undefined) ?? memoryByEnvi(member);
}

/** The used heap of Apache's server, the resident memory of zkserver, in steps of 1 MiB. */
function memoryByEnvi(member: Member): number | undefined {
  const { values } = parsedOf(member, 'envi') ?? {};
  if (values === undefined) return undefined;
  // ZOOKEEPER-4792 renamed os.memory.*.
  const mebibytes = (name: string): number =>
    Number.parseInt(values[`jvm.memory.${name}`] ?? values[`os.memory.${name}`] ?? '', 10);
  const total = mebibytes('total');
  // On Node.js, the free memory is that of the machine.
  const used = values['java.vendor'] === 'Node.js' ? total : total - mebibytes('free');
  return Number.isNaN(used) ? undefined : used * 1024 * 1024;
}

function diskOf(member: Member): number | undefined {
  const { dataDirSize, logDirSize } = parsedOf(member, 'dirs') ?? {};
  if (dataDirSize === undefined) return undefined;
  // A member with a single folder reports its size twice.
  const isOne = logDirSize === undefined || logDirSize === dataDirSize;
  return Number(isOne ? dataDirSize : dataDirSize + logDirSize);
}

function figuresOf(member: Member): TrendFigures {
  const metrics = metricsOf(member);
  const server = serverOf(member);
  const { rates } = member;
  const figures = {
    requestsPerSecond: rates?.requestsPerSecond,
    writesPerSecond: rates?.writesPerSecond,
    latencyMs: rates?.latencyMs,
    outstanding: server?.outstanding,
    connections: (metrics && metricOf(metrics, 'num_alive_connections')) ?? server?.connections,
    znodes: (metrics && metricOf(metrics, 'znode_count')) ?? server?.nodeCount,
    dataBytes: metrics && metricOf(metrics, 'approximate_data_size'),
    memoryBytes: memoryOf(member),
    diskBytes: diskOf(member),
  };
  const known = Object.entries(figures).filter(([, value]) => value !== undefined);
  return { isServing: statusOf(member).isServing, ...Object.fromEntries(known) };
}
