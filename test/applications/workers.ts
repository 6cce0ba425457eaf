/** Worker processes of our own, which use a library and print a history. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../support/machine/watched-process.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';
import type { Outcome, Running } from './application.js';
import type { Ensemble } from './ensemble.js';
import { type Event, type History, parseEvent } from './history.js';
import { judgeCounter, judgeHolds, judgeItems, longestPauseMs } from './judges.js';

export const WORKERS = ['worker0', 'worker1', 'worker2'];
const CONTINUES_MS = 60_000;
const END_MS = 120_000;

/** What the history must show, by the names in it. */
export interface Promises {
  /** Only one holds each. Its holders count in a file of that name. */
  readonly exclusive?: readonly string[];
  /** The number of holders that each may have. */
  readonly holders?: Readonly<Record<string, number>>;
  readonly queues?: readonly string[];
  readonly counters?: readonly string[];
}

export const namesIn = ({ exclusive, holders, queues, counters }: Promises): string[] =>
  [exclusive, Object.keys(holders ?? {}), queues, counters].flatMap((names) => names ?? []);

export const programOf = (name: string): string =>
  join(PROJECT_ROOT, 'test/applications/programs', name);

/**
 * Starts one of {@link WORKERS}, or "rest", which takes and reads at the end what they left.
 * @param args HOSTS WHO FOLDER
 */
export type StartWorker = (args: readonly string[]) => ChildProcess;

export interface WorkersOptions {
  /** Default: {@link WORKERS}. */
  readonly workers?: readonly string[];
  /** The number of events that shows that a part continues. Default: 10. */
  readonly more?: number;
  /** Writes files of the workers into their folder. */
  readonly prepare?: (folder: string) => void;
}

export function startWorkers(
  { connectString }: Ensemble,
  run: StartWorker,
  promises: Promises,
  { workers = WORKERS, more = 10, prepare = () => undefined }: WorkersOptions = {},
): Running {
  const names = namesIn(promises);
  const { exclusive = [] } = promises;
  const home = makeTempDir('applications');
  prepare(home.path);
  const file = (what: string): string => join(home.path, what);
  for (const what of exclusive) writeFileSync(file(what), '0');
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
  const continues = async (): Promise<void> => {
    const before = new Map(counts);
    const waits = (): string[] =>
      names.filter((name) => (counts.get(name) ?? 0) < (before.get(name) ?? 0) + more);
    await waitFor(
      'all parts to continue',
      () => {
        const ended = processes.find(
          ({ process: { exitCode, signalCode } }) => (exitCode ?? signalCode) !== null,
        );
        if (ended !== undefined) throw new Error(`a worker ended:\n${ended.output().slice(-2000)}`);
        return waits().length === 0;
      },
      CONTINUES_MS,
    ).catch((error) => {
      const outputs = processes.map((each) => each.output().slice(-1000));
      const said = [`${error.message}: ${waits().join(', ')}`, ...outputs].join('\n--\n');
      throw new Error(said, { cause: error });
    });
  };
  for (const who of workers) begin(who);
  return {
    continues,
    close: async () => {
      await Promise.all(processes.map(({ stop }) => stop('SIGKILL')));
      home.remove();
    },
    finish: async () => {
      const pauseMs = longestPauseOf(history, names);
      for (const { process: child } of processes) child.stdin?.end();
      const problems = await endsOf(processes);
      // A fresh session takes what the others left.
      const rest = begin('rest');
      rest.process.stdin?.end();
      problems.push(...(await endsOf([rest])));
      for (const what of exclusive) {
        history.push({ op: 'value', what, value: Number(readFileSync(file(what), 'utf8')) });
      }
      return judge(history, promises, problems, pauseMs);
    },
  };
}

/** Waits until all have ended. @returns what went wrong */
async function endsOf(processes: readonly WatchedProcess[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { process: child, ended, output, stop } of processes) {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void stop('SIGKILL');
    }, END_MS);
    const code = await ended;
    clearTimeout(timer);
    // A worker may kill itself.
    if (code === 0 || (child.signalCode === 'SIGKILL' && !isLate)) continue;
    problems.push(`${child.spawnargs.at(-2)} ended with ${code}: ${output().slice(-1000)}`);
  }
  return problems;
}

function judge(
  history: History,
  promises: Promises,
  problems: readonly string[],
  pauseMs: number,
): Outcome {
  const { exclusive = [], holders = {}, queues = [], counters = [] } = promises;
  const count = (op: Event['op']): number => history.filter((event) => event.op === op).length;
  // Clients send a request again after they lost its answer.
  const repeats = count('suspended') + count('lost');
  return {
    problems: [
      ...problems,
      ...exclusive.flatMap((what) => [
        ...judgeHolds(history, what),
        ...judgeCounter(history, what),
      ]),
      ...Object.entries(holders).flatMap(([what, limit]) => judgeHolds(history, what, limit)),
      ...queues.flatMap((what) => judgeItems(history, what, repeats)),
      ...counters.flatMap((what) => judgeCounter(history, what, repeats)),
    ],
    counts: {
      ...(count('hold') > 0 && { holds: count('hold') }),
      ...(queues.length > 0 && { items: count('done') }),
      ...(counters.length > 0 && { additions: count('add') }),
      // Only some libraries report connections.
      ...(count('suspended') > 0 && { 'lost sessions': count('lost') }),
    },
    durations: { 'longest pause': pauseMs },
  };
}

/** The longest pause of any part. */
function longestPauseOf(history: History, names: readonly string[]): number {
  const timesOf = (what: string): number[] =>
    history.flatMap((event) =>
      'what' in event && event.what === what && 'at' in event ? [event.at] : [],
    );
  return Math.max(...names.map((what) => longestPauseMs(timesOf(what))));
}
