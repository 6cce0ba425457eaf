import type { Member } from '../../commands/ensemble/member.js';
import { parsedOf } from '../../commands/ensemble/member.js';
import { adminUrlOf, nameOf } from '../../commands/ensemble/member-address.js';
import { statusOf } from '../../commands/ensemble/status.js';
import type { OpsVerb } from '../../commands/ensemble/verb.js';
import { levelOfCell, problemsOf, worstLevel } from '../../commands/ensemble/verdict/blame.js';
import type { OpsResult, TrendFigures } from '../../commands/ensemble/verdict/result.js';
import { ExitCode } from '../../commands/program/exit-status.js';
import { shownCell } from '../../commands/results/members.js';
import { membersDocument, verdictJson } from '../../commands/results/members-json.js';
import { pairsOf } from '../../commands/results/pairs.js';
import { titleOf } from '../../commands/results/rows.js';
import { check } from '../../commands/zkops/verbs/check.js';
import { conf } from '../../commands/zkops/verbs/conf.js';
import { cons } from '../../commands/zkops/verbs/cons.js';
import { dirs } from '../../commands/zkops/verbs/dirs.js';
import { dump } from '../../commands/zkops/verbs/dump.js';
import { envi } from '../../commands/zkops/verbs/envi.js';
import { hash } from '../../commands/zkops/verbs/hash.js';
import { health } from '../../commands/zkops/verbs/health.js';
import { isro } from '../../commands/zkops/verbs/isro.js';
import { mntr } from '../../commands/zkops/verbs/mntr.js';
import { ruok } from '../../commands/zkops/verbs/ruok.js';
import { srvr } from '../../commands/zkops/verbs/srvr.js';
import { stat } from '../../commands/zkops/verbs/stat.js';
import { wchc, wchp, wchs } from '../../commands/zkops/verbs/watches.js';
import { integer, text } from '../api/schema.js';
import {
  Differences,
  Ensemble,
  Health,
  Members,
  SessionOwner,
  Trend,
  Word,
} from '../api/shapes.js';
import { leaderSpans } from '../leader-spans.js';
import { HttpProblem, noAnswer } from '../problem.js';
import { type Route, route } from '../route.js';
import type { Services } from '../services.js';
import { memberText } from '../session.js';

/** Words that only read. A server with many watches is not asked wchc and wchp, as in zkops. */
const WORDS: readonly OpsVerb[] = [
  ruok,
  srvr,
  stat,
  mntr,
  cons,
  conf,
  envi,
  isro,
  wchs,
  wchc,
  wchp,
  dump,
  dirs,
  hash,
];
/** The columns of `zkops health`, and further ones of `zkops check`. */
const COLUMNS = [
  ...health.columns,
  ...check.columns.filter(({ key }) => !health.columns.some((known) => known.key === key)),
];
const FIGURES = [
  'requestsPerSecond',
  'writesPerSecond',
  'latencyMs',
  'outstanding',
  'connections',
  'znodes',
  'dataBytes',
  'memoryBytes',
  'diskBytes',
] as const satisfies readonly (keyof TrendFigures)[];
const SHOW = { output: 'json', isAll: true, keys: undefined, isQuiet: false } as const;

/** What a title means, where it is not a word. */
const ABOUT_COLUMNS: Readonly<Record<string, string>> = {
  state: 'whether the member answers',
  role: 'leader, follower, observer, or standalone',
  zxid: 'the last txn that the member knows',
  lag_txns: 'txns that the member has not applied yet, against the leader',
  synced_followers: 'followers in sync with this leader',
  outstanding_requests: 'requests that wait for their answer',
  avg_latency: 'average latency of requests since the start, in ms',
  requests_per_second: 'requests per second since the last poll',
  writes_per_second: 'writes per second since the last poll',
  latency_ms: 'average latency of requests since the last poll, in ms',
  certificate_ends: 'the day on which the TLS certificate ends',
  uptime: 'time since the start of the member',
  version: 'version of the server',
  p99_updatelatency: '99th percentile of the latency of writes, in ms',
  avg_fsynctime: 'average time of a sync of the log, in ms',
  open_files_percent: 'open file descriptors, in percent of their limit',
  znode_count: 'znodes in the tree',
  approximate_data_size: 'bytes of all paths and values of the tree',
};

function memberView(result: OpsResult, member: Member) {
  const problems = problemsOf(member, result.verdict);
  const fault = member.fault ?? member.note;
  return {
    server: member.server,
    state: member.state,
    role: statusOf(member).role ?? null,
    level: worstLevel(problems) ?? 'healthy',
    cells: COLUMNS.map((column) => {
      const shown = shownCell(column, member, result.members);
      const level = levelOfCell(column, problems);
      return level === undefined ? { shown } : { shown, level };
    }),
    ...(fault === undefined ? {} : { fault: `${fault.message}; ${fault.advice}` }),
  };
}

async function ensembleView({ poller, runbook, allowsSnapshots }: Services) {
  const result = await poller.latest();
  const { level, summary, problems, exitCode } = verdictJson(result);
  const addresses = new Map(poller.members.map((address) => [nameOf(address), address]));
  return {
    time: result.time,
    level,
    summary,
    exitCode,
    problems: problems.map((problem) => {
      const entry = runbook.get(problem.code);
      return entry === undefined ? problem : { ...problem, runbook: entry };
    }),
    changes: poller.changes,
    columns: COLUMNS.map((column) => ({
      key: column.key,
      title: titleOf(column),
      about: ABOUT_COLUMNS[column.key] ?? column.key,
    })),
    members: result.members.map((member) => {
      const address = addresses.get(member.server);
      const adminUrl = allowsSnapshots && address ? adminUrlOf(address) : undefined;
      return {
        ...memberView(result, member),
        address: address === undefined ? member.server : memberText(address),
        ...(adminUrl === undefined ? {} : { adminUrl: adminUrl.origin }),
      };
    }),
  };
}

const ensemble = route({
  method: 'GET',
  path: '/ensemble',
  summary: 'Show the verdict, the findings, the changes, and a row for each member',
  answer: Ensemble,
  run: async (services) => ({ value: await ensembleView(services) }),
});

const members = route({
  method: 'GET',
  path: '/members',
  summary: 'Show a row for each member',
  answer: Members,
  run: async (services) => ({ value: { members: (await ensembleView(services)).members } }),
});

const healthRoute = route({
  method: 'GET',
  path: '/health',
  summary: 'Show the last poll as zkops health prints it in JSON',
  answer: Health,
  run: async ({ poller }) => ({ value: membersDocument(await poller.latest(), SHOW) }),
});

const MAX_POINTS = 240;

const trend = route({
  method: 'GET',
  path: '/trend',
  summary: 'Show the figures of every member over time',
  optional: {
    minutes: integer('minutes back', { minimum: 1, maximum: 1440, default: 60 }),
  },
  answer: Trend,
  run: async ({ poller }, { minutes = 60 }) => {
    const from = Date.now() - minutes * 60_000;
    const recent = poller.trend.filter(({ time }) => Date.parse(time) >= from);
    const step = Math.ceil(recent.length / MAX_POINTS);
    const points = recent.filter((_, at) => (recent.length - 1 - at) % step === 0);
    const series = poller.members.map(nameOf).flatMap((server) =>
      FIGURES.map((figure) => ({
        server,
        figure,
        values: points.map((point) => point.members[server]?.[figure] ?? null),
      })),
    );
    const leaders = leaderSpans(recent, poller.options);
    return { value: { times: points.map(({ time }) => Date.parse(time) / 1000), leaders, series } };
  },
});

const differences = route({
  method: 'GET',
  path: '/differences',
  summary: 'Show the settings that differ between members',
  answer: Differences,
  run: async ({ poller }) => {
    const { members: asked } = await poller.ask(conf);
    const settings = asked.map(
      (member) => new Map(pairsOf(conf, member, { ...SHOW, isDiff: true }, asked)),
    );
    const keys = new Set(settings.flatMap((values) => [...values.keys()]));
    const rows = [...keys].map((key) => ({
      key,
      values: settings.map((values) => values.get(key) ?? null),
    }));
    return { value: { servers: asked.map(({ server }) => server), rows } };
  },
});

const word = route({
  method: 'GET',
  path: '/members/{server}/words/{word}',
  summary: 'Ask one member a four-letter word that only reads',
  required: { server: text('host:port, as /members lists it'), word: text() },
  answer: Word,
  problems: [404, 502],
  run: async ({ poller }, { server, word: name }) => {
    const address = poller.members.find((member) => nameOf(member) === server);
    if (address === undefined) throw unknown(server, 'is not a member');
    const verb = WORDS.find((each) => each.name === name);
    if (verb === undefined) throw unknown(name, 'is not a four-letter word that only reads');
    const [member] = (await poller.ask(verb, [address])).members;
    const answer = member?.answers[verb.words[0] ?? 'ruok'];
    if (member !== undefined && answer?.ok === true) {
      return { value: { server, word: name, text: answer.text, ...tableOf(verb, member) } };
    }
    const fault = member?.fault ?? member?.note;
    throw noAnswer(fault?.message ?? 'the member did not answer', fault?.advice);
  },
});

/** What the word lists, as with --all: a row for each connection, session, or watch. */
function tableOf({ details }: OpsVerb, member: Member) {
  if (details === undefined) return {};
  const rows = details.rows(member).map((row) => row.map((cell) => cell?.toString() ?? null));
  return { table: { titles: details.keys.map((key) => titleOf({ key })), rows } };
}

function unknown(name: string, why: string): HttpProblem {
  return new HttpProblem(404, 'UNKNOWN', `${name}: ${why}`, { exitCode: ExitCode.usage });
}

const session = route({
  method: 'GET',
  path: '/sessions/{id}',
  summary: 'Find the client of a session, as the owner of an ephemeral',
  required: { id: text('hexadecimal, with 0x') },
  answer: SessionOwner,
  run: async ({ poller }, { id }) => {
    const { members: asked } = await poller.ask(cons);
    for (const member of asked) {
      const found = parsedOf(member, 'cons')?.connections.find(({ sessionId }) => sessionId === id);
      if (found === undefined) continue;
      const { remote, lastOperation = null } = found;
      return { value: { id, server: member.server, client: remote, lastOperation, note: null } };
    }
    const silent = asked.filter((member) => parsedOf(member, 'cons') === undefined);
    const note =
      silent.length === 0
        ? 'no member has a connection of this session: its client is disconnected, or it expired'
        : `${silent.map(({ server }) => server).join(', ')} did not answer cons`;
    return { value: { id, server: null, client: null, lastOperation: null, note } };
  },
});

export const ENSEMBLE_ROUTES: readonly Route[] = [
  ensemble,
  members,
  healthRoute,
  trend,
  differences,
  word,
  session,
];
