import type { AskWord } from '../../../src/commands/ensemble/ask.js';
import type { Job } from '../../../src/commands/zkops/calls/cli-world.js';
import type { Task } from '../../../src/commands/zkops/calls/task.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { TASKS } from '../../../src/commands/zkops/index.js';

export interface TaskOutcome {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
}

export interface TaskOptions {
  readonly ask?: AskWord;
  readonly signal?: AbortSignal;
  /** Replaces the task that the line names. */
  readonly group?: readonly Task[];
}

/** One call of zkops in this process: `['log', 'verify', file]`. */
export async function callTask(
  args: readonly string[],
  { ask, group, signal = new AbortController().signal }: TaskOptions = {},
): Promise<TaskOutcome> {
  const entry = TASKS.find(({ name }) => name === args[0]);
  if (entry === undefined) throw new Error(`no task ${args[0]}`);
  let out = '';
  let error = '';
  const world = {
    ask: ask ?? (() => Promise.reject(new Error('the call may query no member'))),
    now: () => new Date(0),
    writeOut: (text: string | Buffer) => {
      out += text;
    },
    writeError: (text: string) => {
      error += text;
    },
    terminal: { width: 80, isColor: false },
    render: () => '',
    runJob: (work: (job: Job) => Promise<number>) =>
      work({ signal, progress: () => undefined, clearProgress: () => undefined }),
  };
  const loaded = { ...entry, load: async () => group ?? (await entry.load()) };
  const exitCode = await main(args, world, [loaded]);
  return { exitCode, out, error };
}

export interface TaskJson {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly verdict: {
    readonly level: string;
    readonly summary: string;
    readonly exitCode: number;
    readonly problems: readonly {
      readonly level: string;
      readonly code: string;
      readonly text: string;
    }[];
  };
  readonly totals: Readonly<Record<string, unknown>>;
}

/** The same, parsed from JSON. */
export async function taskJson(
  args: readonly string[],
  options: TaskOptions = {},
): Promise<TaskJson & { readonly exitCode: number }> {
  const { exitCode, out, error } = await callTask([...args, '-o', 'json'], options);
  if (error !== '') throw new Error(error);
  return { ...JSON.parse(out), exitCode };
}
