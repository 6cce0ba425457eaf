// The duration of operations on every member. All znodes are ephemeral, so even a killed probe
// leaves none.

import { metricOf, summaryPart } from '../../../fourlw/mntr.js';
import { CreateModes } from '../../../protocol/create-mode.js';
import { shortNumber } from '../../ensemble/format.js';
import { metricsOf } from '../../ensemble/member.js';
import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import { meanOf, percentile } from '../../ensemble/percentile.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { THRESHOLDS } from '../../ensemble/verdict/thresholds.js';
import { COUNT, WAIT } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { formatDuration } from '../../program/duration.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers, timeoutOf } from './ask-members.js';
import {
  closeSession,
  describeError,
  type MemberSession,
  openSession,
  privatePath,
  SESSION_OPTIONS,
} from './sessions.js';
import { watchOnce } from './watch-once.js';

const WRITES = ['create', 'set', 'delete'] as const;
const OPERATIONS = ['create', 'get', 'exists', 'set', 'watch', 'sync', 'delete'] as const;
type Operation = (typeof OPERATIONS)[number];
type Samples = Record<Operation, number[]>;

const DEFAULT_COUNT = 50;
const DEFAULT_SIZE = 25;
const DEFAULT_MAX_MS = 20_000;

async function round(
  { client }: MemberSession,
  path: string,
  data: Buffer,
  timeoutMs: number,
  samples: Samples,
): Promise<void> {
  const timed = async (operation: Operation, run: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await run();
    samples[operation].push(performance.now() - startedAt);
  };
  await timed('create', () => client.create(path, data, { mode: CreateModes.EPHEMERAL }));
  await timed('get', () => client.getData(path));
  await timed('exists', () => client.exists(path));
  await timed('set', () => client.setData(path, data));
  const watch = watchOnce('NodeDataChanged', timeoutMs);
  await client.getData(path, { watch: watch.watcher });
  await timed('watch', () => Promise.all([client.setData(path, data), watch.fired()]));
  await timed('sync', () => client.sync(path));
  await timed('delete', () => client.delete(path));
}

interface Probed {
  readonly server: string;
  readonly samples: Samples;
  readonly failure: string | undefined;
}

async function probe(
  call: TaskCall,
  address: MemberAddress,
  endsAt: number,
  onRound: () => void,
): Promise<Probed> {
  const samples: Samples = {
    create: [],
    get: [],
    exists: [],
    set: [],
    watch: [],
    sync: [],
    delete: [],
  };
  const server = nameOf(address);
  const timeoutMs = timeoutOf(call);
  let session: MemberSession | undefined;
  try {
    session = await openSession(call, address);
    const base = privatePath(call, 'latency');
    const data = Buffer.alloc(call.number('size') ?? DEFAULT_SIZE, 'z');
    for (let turn = 0; turn < (call.number('count') ?? DEFAULT_COUNT); turn++) {
      if (call.signal.aborted || performance.now() > endsAt) break;
      await round(session, `${base}-${turn}`, data, timeoutMs, samples);
      onRound();
    }
    return { server, samples, failure: undefined };
  } catch (error) {
    return { server, samples, failure: describeError(error) };
  } finally {
    if (session !== undefined) await closeSession(session, timeoutMs);
  }
}

function rowsOf({ server, samples }: Probed): Row[] {
  return OPERATIONS.flatMap((operation) => {
    const sorted = samples[operation].toSorted((a, b) => a - b);
    if (sorted.length === 0) return [];
    const round3 = (value: number): number => Number(value.toFixed(3));
    return [
      [
        server,
        operation,
        sorted.length,
        round3(meanOf(sorted)),
        round3(percentile(sorted, 0.5)),
        round3(percentile(sorted, 0.95)),
        round3(percentile(sorted, 0.99)),
        round3(sorted.at(-1) ?? 0),
      ],
    ];
  });
}

/** Compares the means of writes and of reads with the limits of `check`. */
function problemsOf({ server, samples, failure }: Probed): Problem[] {
  const problems: Problem[] = [];
  for (const [limitName, what, operations] of [
    ['update_latency', 'writes', WRITES],
    ['read_latency', 'reads', ['get', 'exists']],
  ] as const) {
    const values = operations.flatMap((operation) => samples[operation]);
    const threshold = THRESHOLDS.find(({ name }) => name === limitName);
    if (values.length === 0 || threshold === undefined) continue;
    const mean = meanOf(values);
    for (const level of ['critical', 'warning'] as const) {
      const limit = threshold[level];
      if (limit === undefined || mean <= limit) continue;
      const text = `${what} take ${shortNumber(mean)} ms on average, above the limit of ${limit} ms (${threshold.source}); ${threshold.advice}`;
      problems.push({ level, code: `limit:${limitName}`, server, text });
      break;
    }
  }
  if (failure !== undefined) {
    problems.push({ level: 'warning', code: 'no-session', server, text: failure });
  }
  return problems;
}

/** Which part of a write takes the time: the sync of the log, a queue, or neither. */
async function explain(call: TaskCall, probed: readonly Probed[]): Promise<string[]> {
  const names = probed.map(({ server }) => server);
  const measured = call.members.filter((address) => names.includes(nameOf(address)));
  const { members } = await askMembers({ ...call, members: measured }, ['mntr']);
  return members.flatMap((member) => {
    const found = probed.find(({ server }) => server === member.server);
    const metrics = metricsOf(member);
    if (found === undefined || found.samples.create.length === 0) return [];
    const reads = percentile(
      found.samples.get.toSorted((a, b) => a - b),
      0.5,
    );
    const writes = percentile(
      found.samples.set.toSorted((a, b) => a - b),
      0.5,
    );
    const sync = metrics && summaryPart(metrics, 'fsynctime', 'avg');
    const queue = metrics && metricOf(metrics, 'outstanding_requests');
    const disk = sync === undefined ? '' : `; a sync of its log takes ${shortNumber(sync)} ms`;
    const waiting = queue === undefined ? '' : `, ${queue} requests wait in its queue`;
    return [
      `${member.server}: half of the reads take at most ${shortNumber(reads)} ms, including the network; half of the writes ${shortNumber(writes)} ms${disk}${waiting}.`,
    ];
  });
}

async function latency(call: TaskCall): Promise<Report> {
  const maxMs = call.number('max-time') ?? DEFAULT_MAX_MS;
  const count = call.number('count') ?? DEFAULT_COUNT;
  const probed: Probed[] = [];
  let rounds = 0;
  const startedAt = performance.now();
  // Members are measured in turn, so that they do not disturb each other. Each gets a share of the
  // time.
  for (const [index, address] of call.members.entries()) {
    if (call.signal.aborted) break;
    const endsAt = startedAt + (maxMs * (index + 1)) / call.members.length;
    probed.push(
      await probe(call, address, endsAt, () => {
        rounds++;
        call.progress('latency', rounds, count * call.members.length);
      }),
    );
  }
  call.signal.throwIfAborted();
  const problems = probed.flatMap(problemsOf);
  const measured = probed.filter(({ samples }) => samples.create.length > 0);
  if (measured.length === 0) {
    problems.push({ level: 'critical', code: 'no-session', text: 'no member could be measured' });
  }
  // A failed member has a problem of its own.
  const expected = count * measured.filter(({ failure }) => failure === undefined).length;
  const isCut = rounds < expected;
  const cut = isCut ? ` of ${expected}: stopped early by --max-time ${formatDuration(maxMs)}` : '';
  const summary =
    measured.length === 0
      ? 'no member could be measured'
      : `${measured.length} of ${counted(probed.length, 'member')} measured, ${counted(rounds, 'round')}${cut}`;
  return finishedReport(COLUMNS, probed.flatMap(rowsOf), {
    verdict: concludeFrom(problems, summary),
    notes: await explain(call, measured),
    totals: { rounds, members: probed.length, isCut },
  });
}

const COLUMNS = [
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('operation', 'count'),
  { key: 'mean_ms', show: shortNumber },
  { key: 'p50_ms', show: shortNumber },
  { key: 'p95_ms', show: shortNumber },
  { key: 'p99_ms', show: shortNumber },
  { key: 'max_ms', show: shortNumber },
];

export const latencyTask: Task = {
  name: 'latency',
  options: {
    count: { ...COUNT, valueName: 'N', fallback: DEFAULT_COUNT, summary: 'rounds per member' },
    size: {
      ...COUNT,
      valueName: 'BYTES',
      fallback: DEFAULT_SIZE,
      summary: 'size of the data of each znode',
    },
    'max-time': {
      ...WAIT,
      valueName: 'TIME',
      fallback: DEFAULT_MAX_MS,
      summary: 'time limit for all members together',
    },
    ...SESSION_OPTIONS,
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: true,
  run: latency,
};
