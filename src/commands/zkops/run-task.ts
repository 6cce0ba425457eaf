// What zkops does beyond words. Loaded only when one of them is called, so that a check every
// minute does not pay for it.

import { EXIT_CODES } from '../ensemble/exit-codes.js';
import { tlsOf } from '../ensemble/member-tls.js';
import type { CliWorld, Job } from './calls/cli-world.js';
import { MEMBER_OPTIONS, outputOptions, type ParsedOptions } from './calls/options.js';
import { TASK_FORMATS, type Task, type TaskCall } from './calls/task.js';
import { listedMembers } from './execute.js';
import { renderReport } from './render/ops-report.js';

const EXIT_INTERRUPTED = 130;

/** A task as a command line knows it; `verb` is `log verify`. */
export function taskCall(task: Task, verb: string, world: CliWorld) {
  const { summary, args, hasMembers } = task;
  return {
    summary,
    args,
    options: [
      ...task.options,
      ...(hasMembers ? MEMBER_OPTIONS : []),
      ...outputOptions(TASK_FORMATS),
    ],
    run: (given: readonly string[], options: ParsedOptions): Promise<number> => {
      if (world.runJob === undefined) throw new Error('no task runs here');
      return world.runJob(async (job) => {
        try {
          return await carryOut(task, verb, given, options, world, job);
        } catch (error) {
          if (job.signal.aborted) return EXIT_INTERRUPTED;
          throw error;
        }
      });
    },
  };
}

async function carryOut(
  task: Task,
  verb: string,
  args: readonly string[],
  options: ParsedOptions,
  world: CliWorld,
  { signal, progress }: Job,
): Promise<number> {
  const given = new Map<string, unknown>(Object.entries(options));
  const optionOf = (name: string): unknown =>
    given.get(name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
  const members = task.hasMembers ? await listedMembers(options) : [];
  const call: TaskCall = {
    args,
    members,
    tls: task.hasMembers ? await tlsOf(options, members, world.keyPassphrase) : undefined,
    text: (name) => {
      const value = optionOf(name);
      return typeof value === 'string' ? value : undefined;
    },
    number: (name) => {
      const value = optionOf(name);
      return typeof value === 'number' ? value : undefined;
    },
    has: (name) => optionOf(name) === true,
    ask: world.ask,
    now: world.now,
    signal,
    progress: progress.show,
  };
  const time = world.now().toISOString();
  const report = await task.run(call);
  const output = TASK_FORMATS.find((format) => format === options.output) ?? 'table';
  const show = { output, isQuiet: options.quiet === true, verb, time };
  const pieces = renderReport(report, show, world.terminal);
  const whenAborted = report.isService === true ? EXIT_CODES.healthy : EXIT_INTERRUPTED;
  for (;;) {
    const { value, done } = await pieces.next();
    progress.clear();
    if (done === true) return signal.aborted ? whenAborted : EXIT_CODES[value];
    if (signal.aborted) {
      // Lets the report close what it has open.
      await pieces.return('healthy');
      return whenAborted;
    }
    await world.writeOut(value);
  }
}
