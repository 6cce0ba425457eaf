/** Applications that are worker processes of our own around recipes of a library. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnJava } from '../support/apache/oracle.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../support/machine/watched-process.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';
import type { Application, Outcome, Running } from './application.js';
import { debianVersion } from './debian.js';
import type { Ensemble } from './ensemble.js';
import { type Event, type History, parseEvent } from './history.js';
import { judgeCounter, judgeHolds, judgeItems, longestPauseMs } from './judges.js';

const WORKERS = 3;
const GOES_ON_MS = 60_000;
/** The number of events that shows that a recipe goes on. */
const MORE = 10;
const END_MS = 120_000;
const PROGRAMS = join(PROJECT_ROOT, 'test/applications/programs');

/** The recipes of a library, by the names in the history. */
interface Promises {
  /** Only one holds each. Its holders count in a file of that name. */
  readonly exclusive: readonly string[];
  /** Two hold each. */
  readonly pairs?: readonly string[];
  readonly queues?: readonly string[];
  readonly counters?: readonly string[];
}

type Spawn = (args: readonly string[]) => ChildProcess;

const python =
  (program: string): Spawn =>
  (args) =>
    spawn('/usr/bin/python3', [join(PROGRAMS, program), ...args]);

const CURATOR_JARS = ['client', 'framework', 'recipes'].map(
  (name) => `/usr/share/java/curator-${name}.jar`,
);
const spawnCurator: Spawn = (args) =>
  spawnJava([join(PROGRAMS, 'CuratorWork.java'), ...args], {}, [
    ...CURATOR_JARS,
    '/usr/share/java/guava.jar',
  ]);

export const RECIPES: readonly Application[] = [
  recipes('kazoo', 'python3-kazoo', python('kazoo_work.py'), {
    exclusive: ['lock', 'election'],
    pairs: ['semaphore'],
    queues: ['queue'],
    counters: ['counter'],
  }),
  recipes('Curator', 'libcurator-recipes-java', spawnCurator, {
    exclusive: ['lock', 'election', 'write-lock'],
    pairs: ['semaphore'],
    queues: ['queue'],
    counters: ['counter'],
  }),
  recipes('tooz', 'python3-tooz', python('tooz_work.py'), { exclusive: ['lock', 'election'] }),
  recipes('taskflow', 'python3-taskflow', python('taskflow_work.py'), {
    exclusive: [],
    queues: ['jobs'],
  }),
];

function recipes(name: string, debian: string, run: Spawn, promises: Promises): Application {
  const { exclusive, pairs = [], queues = [], counters = [] } = promises;
  const names = [...exclusive, ...pairs, ...queues, ...counters];
  return {
    name,
    work: `${WORKERS} processes: ${names.join(', ')}`,
    source: `Debian's ${debian}`,
    version: () => debianVersion(debian),
    start: async (ensemble) => startWorkers(ensemble, run, promises, names),
  };
}

function startWorkers(
  { connectString }: Ensemble,
  run: Spawn,
  promises: Promises,
  names: readonly string[],
): Running {
  const home = makeTempDir('applications');
  const file = (what: string): string => join(home.path, what);
  for (const what of promises.exclusive) writeFileSync(file(what), '0');
  const processes: WatchedProcess[] = [];
  const history: Event[] = [];
  const counts = new Map<string, number>();
  const begin = (who: string): WatchedProcess => {
    const child = run([connectString, who, home.path]);
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const event of lines.flatMap(parseEvent)) {
        history.push(event);
        const isUnsure = 'isSure' in event && !event.isSure;
        if ('what' in event && !isUnsure) counts.set(event.what, (counts.get(event.what) ?? 0) + 1);
      }
    });
    const watched = watchProcess(child);
    processes.push(watched);
    return watched;
  };
  const goesOn = async (): Promise<void> => {
    const before = new Map(counts);
    const waits = (): string[] =>
      names.filter((name) => (counts.get(name) ?? 0) < (before.get(name) ?? 0) + MORE);
    await waitFor(
      'all recipes to go on',
      () => {
        const ended = processes.find(({ process: child }) => child.exitCode !== null);
        if (ended !== undefined) throw new Error(`a worker ended:\n${ended.output().slice(-2000)}`);
        return waits().length === 0;
      },
      GOES_ON_MS,
    ).catch((error) => {
      const outputs = processes.map((each) => each.output().slice(-1000));
      const said = [`${error.message}: ${waits().join(', ')}`, ...outputs].join('\n--\n');
      throw new Error(said, { cause: error });
    });
  };
  for (let i = 0; i < WORKERS; i++) begin(`worker${i}`);
  return {
    goesOn,
    close: async () => {
      await Promise.all(processes.map(({ stop }) => stop('SIGKILL')));
      home.remove();
    },
    finish: async () => {
      for (const { process: child } of processes) child.stdin?.end();
      const problems = await endsOf(processes);
      // A fresh session takes what the others left.
      const rest = begin('rest');
      rest.process.stdin?.end();
      problems.push(...(await endsOf([rest])));
      for (const what of promises.exclusive) {
        history.push({ op: 'value', what, value: Number(readFileSync(file(what), 'utf8')) });
      }
      return judge(history, promises, problems);
    },
  };
}

/** Waits until all have ended. @returns what went wrong */
async function endsOf(processes: readonly WatchedProcess[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { process: child, ended, output, stop } of processes) {
    const timer = setTimeout(() => void stop('SIGKILL'), END_MS);
    const code = await ended;
    clearTimeout(timer);
    if (code === 0) continue;
    problems.push(`${child.spawnargs.at(-2)} ended with ${code}: ${output().slice(-1000)}`);
  }
  return problems;
}

function judge(history: History, promises: Promises, problems: readonly string[]): Outcome {
  const { exclusive, pairs = [], queues = [], counters = [] } = promises;
  const count = (op: Event['op']): number => history.filter((event) => event.op === op).length;
  // Clients send a request again after they lost its answer.
  const repeats = count('suspended') + count('lost');
  const pauses = [...exclusive, ...pairs, ...queues, ...counters].map((what) =>
    longestPauseMs(
      history.flatMap((event) => {
        if (!('what' in event) || event.what !== what || event.op === 'value') return [];
        return 'at' in event ? [event.at] : [event.begin];
      }),
    ),
  );
  return {
    problems: [
      ...problems,
      ...exclusive.flatMap((what) => [
        ...judgeHolds(history, what),
        ...judgeCounter(history, what),
      ]),
      ...pairs.flatMap((what) => judgeHolds(history, what, 2)),
      ...queues.flatMap((what) => judgeItems(history, what, repeats)),
      ...counters.flatMap((what) => judgeCounter(history, what, repeats)),
    ],
    counts: {
      ...(exclusive.length > 0 && { holds: count('hold') }),
      ...(queues.length > 0 && { items: count('done') }),
      ...(counters.length > 0 && { additions: count('add') }),
      'lost sessions': count('lost'),
    },
    durations: { 'longest pause': Math.max(...pauses) },
  };
}
