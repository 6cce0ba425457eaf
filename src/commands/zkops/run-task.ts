import type { ParsedArguments } from '../machine/declaration.js';
import type { ProgramCommand } from '../machine/program.js';
// Loaded on demand, because a check every minute should not pay for the tasks.

import { tlsOf } from '../ensemble/member-tls.js';
import { resolveMembers, withNamedServers } from '../ensemble/members.js';
import { AtomicFile } from '../program/atomic-file.js';
import { VERDICT_STATUS } from '../program/exit-status.js';
import { renderReport } from '../results/report.js';
import type { Conclusion } from '../results/result.js';
import type { CliWorld, Job } from './calls/cli-world.js';
import { MEMBERS_HINT, type ParsedOptions, taskOptions } from './calls/options.js';
import { refuseGuarded, withProfile } from './calls/profile.js';
import type { Task, TaskCall, TaskEntry } from './calls/task.js';
import { asFault, keepState, loadState } from './cron.js';
import { exitCodeOf } from './execute.js';

const EXIT_INTERRUPTED = 130;

/** @param verb `log verify` */
export function taskCommand(
  task: Task & Pick<TaskEntry, 'summary'>,
  verb: string,
  world: CliWorld,
): ProgramCommand {
  const { summary, args = {} } = task;
  return {
    ...{ name: verb, summary, args, examples: [] },
    options: taskOptions(task),
    ...(task.hasMembers ? { surplusHint: MEMBERS_HINT } : {}),
    run: async (parsed) => {
      if (world.runJob === undefined) throw new Error('no task runs here');
      return world.runJob((job) =>
        carryOut(task, verb, parsed, world, job).catch((error: unknown) => {
          if (job.signal.aborted) return EXIT_INTERRUPTED;
          throw error;
        }),
      );
    },
  };
}

function isChange({ changesEnsemble }: Task, call: TaskCall): boolean {
  return typeof changesEnsemble === 'boolean' ? changesEnsemble : changesEnsemble(call);
}

async function carryOut(
  task: Task,
  verb: string,
  parsed: ParsedArguments,
  world: CliWorld,
  { signal, progress, clearProgress }: Job,
): Promise<number> {
  // The parser makes exactly the values of taskOptions.
  const options = await withProfile(parsed.options as unknown as ParsedOptions, world.env);
  const given = new Map<string, unknown>(Object.entries(options));
  const optionOf = (name: string): unknown => given.get(name);
  const args = Object.values(parsed.args).flat();
  const members = task.hasMembers ? resolveMembers(await withNamedServers(options)) : [];
  const call: TaskCall = {
    args: args.filter((value) => typeof value === 'string'),
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
    progress,
  };
  if (isChange(task, call)) refuseGuarded(verb, options);
  const now = world.now();
  const before = loadState(options, world);
  const report = await task.run(call);
  const run = { time: now.toISOString(), timeMs: now.getTime(), members: [] };
  let kept: Conclusion | undefined;
  const finish = () => {
    kept ??= keepState(options, before, { ...run, ...report.finish() });
    return kept;
  };
  const { output } = options;
  const show = { output, isQuiet: options.quiet === true, verb, time: run.time };
  const pieces = renderReport({ ...report, finish }, show, world.terminal);
  const { out } = options;
  const file = out === undefined ? undefined : asFault('--out', out, () => new AtomicFile(out));
  const whenAborted = report.isService === true ? VERDICT_STATUS.healthy : EXIT_INTERRUPTED;
  let isWhole = false;
  try {
    for (;;) {
      const { value, done } = await pieces.next();
      clearProgress();
      isWhole = done === true && !signal.aborted;
      if (done === true) return isWhole ? exitCodeOf(value, options['fail-on']) : whenAborted;
      if (signal.aborted) {
        // Lets the report close its files and sessions.
        await pieces.return('healthy');
        return whenAborted;
      }
      if (file === undefined) await world.writeOut(value);
      else asFault('--out', out, () => file.write(value));
    }
  } finally {
    if (file !== undefined) asFault('--out', out, () => file.close(isWhole));
  }
}
