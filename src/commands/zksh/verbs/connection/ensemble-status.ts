// Compares the servers with the probes and limits of zkops.

import { askWord } from '../../../../client/base/four-letter.js';
import {
  AVERAGE,
  CONNECTIONS,
  LAG,
  MAXIMUM,
  metricColumn,
  OUTSTANDING,
  ROLE,
  VERSION,
  WATCHES,
  ZXID,
} from '../../../ensemble/columns.js';
import { isDown, isUnjudged, type Member } from '../../../ensemble/member.js';
import { serverData } from '../../../ensemble/server-data.js';
import { statusOf } from '../../../ensemble/status.js';
import { JUDGED, type OpsVerb } from '../../../ensemble/verb.js';
import { problemsOf, worstLevel } from '../../../ensemble/verdict/blame.js';
import type { Level, OpsResult } from '../../../ensemble/verdict/result.js';
import { runVerb } from '../../../ensemble/verdict/run.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { type Column, namedColumns, type Result, type Row } from '../../../results/result.js';
import type { CommandContext } from '../../engine/command.js';
import { ensembleServers } from '../../engine/ensemble-servers.js';

const MIN_DEADLINE_MS = 10_000;

const FIGURES = {
  role: ROLE,
  version: VERSION,
  zxid: ZXID,
  lag: LAG,
  sessions: metricColumn('', 'global_sessions', 0),
  connections: CONNECTIONS,
  watches: WATCHES,
  avgMs: AVERAGE,
  maxMs: MAXIMUM,
  outstanding: OUTSTANDING,
} as const;
const TITLES: Readonly<Record<string, string>> = {
  connections: 'CONNS',
  avgMs: 'AVG MS',
  maxMs: 'MAX MS',
};

/** conf identifies addresses of the same server. */
const VERB: OpsVerb = {
  name: 'status',
  summary: 'Compare the servers of an ensemble',
  words: ['srvr', 'mntr', 'conf'],
  extraWords: ['conf'],
  ...JUDGED,
  isConfirmed: false,
  columns: Object.values(FIGURES),
  data: serverData,
};

const COLUMNS: readonly Column[] = [
  { key: 'server' },
  ...Object.keys(FIGURES).map((key) => ({ key, title: TITLES[key] ?? key.toUpperCase() })),
  ...namedColumns('mark', 'notes'),
];

/** @throws CommandError PARTIAL when a server did not answer */
export async function ensembleStatus(context: CommandContext): Promise<Result> {
  const result = await poll(context);
  const { members, verdict } = result;
  const rows = members.map((member) => rowOf(member, result));
  await context.emit({ kind: 'rows', columns: COLUMNS, rows });
  await context.emit({
    kind: 'message',
    text: `${verdict.level}: ${verdict.summary}`,
    fields: { level: verdict.level, summary: verdict.summary, problems: verdict.problems },
  });
  const silent = members.filter(({ state }) => isDown(state) || isUnjudged(state));
  if (silent.length === 0) return { kind: 'end' };
  const names = silent.map(({ server, state }) => `${server} (${state})`).join(', ');
  throw new CommandError(`${silent.length} of ${members.length} servers did not answer: ${names}`, {
    code: 'PARTIAL',
    exitCode: ExitCode.partial,
  });
}

async function poll(context: CommandContext): Promise<OpsResult> {
  const { tls, wordTimeoutMs: timeoutMs } = context.session;
  const ask = (servers: Parameters<typeof runVerb>[1]) =>
    runVerb(VERB, servers, {
      ask: askWord,
      timeoutMs,
      deadlineMs: Math.max(MIN_DEADLINE_MS, timeoutMs),
      confirmMs: 0,
      now: () => new Date(),
      signal: context.signal,
      ...(tls === undefined ? {} : { tls }),
    });
  const result = await ask(await ensembleServers(context));
  const once = withoutDuplicates(result.members);
  // The connect string and the configuration may use different names for one server.
  return once.length === result.members.length ? result : ask(once.map(({ address }) => address));
}

function withoutDuplicates(members: readonly Member[]): readonly Member[] {
  const identities = new Set<string>();
  return members.filter((member) => {
    const { sid, membership } = statusOf(member);
    if (sid === undefined || membership === undefined) return true;
    const identity = `${sid} ${membership}`;
    const isNew = !identities.has(identity);
    identities.add(identity);
    return isNew;
  });
}

const MARKS: Readonly<Record<Level, string | undefined>> = {
  healthy: undefined,
  warning: '!',
  unknown: '?',
  critical: '!!',
};

function rowOf(member: Member, { members, verdict }: OpsResult): Row {
  const problems = problemsOf(member, verdict);
  const version = differingVersion(member, members);
  const notes = [...problems.map(({ text }) => text), ...(version === undefined ? [] : [version])];
  const level = worstLevel(problems) ?? (version === undefined ? 'healthy' : 'warning');
  const cells = Object.values(FIGURES).map((column) => {
    const value = column.value(member, members);
    return typeof value === 'bigint' ? Number(value) : value;
  });
  return [member.server, ...cells, MARKS[level], notes.length === 0 ? undefined : notes.join('; ')];
}

/** Normal during an upgrade, but worth a note. */
function differingVersion(member: Member, members: readonly Member[]): string | undefined {
  const versionOf = (each: Member) => VERSION.value(each, members);
  const own = versionOf(member);
  if (own === undefined) return undefined;
  const same = members.filter((each) => versionOf(each) === own).length;
  const known = members.filter((each) => versionOf(each) !== undefined).length;
  return same * 2 < known ? 'version differs from most members' : undefined;
}
