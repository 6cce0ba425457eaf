import { MEMBER_SOURCES } from '../ensemble/members.js';
import type { OpsVerb } from '../ensemble/verb.js';
import {
  type Program,
  type ProgramCommand,
  type ProgramVerb,
  runProgram,
  withShortHint,
} from '../machine/program.js';
import { defineFamily } from '../machine/subcommands.js';
import { CommandError, errorLines } from '../program/command-error.js';
import { EXIT_STATUSES, ExitCode, VERDICT_STATUS } from '../program/exit-status.js';
import type { CliWorld } from './calls/cli-world.js';
import { MEMBERS_HINT, type ParsedOptions, verbOptions } from './calls/options.js';
import type { TaskEntry } from './calls/task.js';
import { execute } from './execute.js';
import { TASKS, VERBS } from './index.js';

export const ZKOPS = {
  name: 'zkops',
  summary: 'Query every member of a ZooKeeper ensemble at once, and judge its health',
  examples: [
    'zkops health --ensemble hosts.txt',
    'zkops smoke --servers zk1,zk2,zk3 -o prom --out smoke.prom --fail-on never',
  ],
  exitStatus: EXIT_STATUSES.zkops,
  exclusive: [...MEMBER_SOURCES, 'profile'],
} as const;

/** Runs one call of zkops. Returns the exit status; never throws for an error of the user. */
export async function main(
  args: readonly string[],
  world: CliWorld,
  tasks: readonly TaskEntry[] = TASKS,
): Promise<number> {
  const program: Program = {
    ...ZKOPS,
    entries: [
      ...VERBS.map((verb) => ({ ...verb, load: async () => verbCommand(verb, world) })),
      ...tasks.map((entry) => ({ ...entry, load: () => loadTask(entry, world) })),
    ],
  };
  try {
    if (args[0] === '__complete') return await printCandidates(program, args.slice(1), world);
    if (showsPassword(args)) {
      world.writeError(
        'zkops: --auth: other users can see this password in the list of processes; use --auth-file or ZKOPS_AUTH\n',
      );
    }
    const { writeError, env } = world;
    return await runProgram(program, args, {
      writeOut: (text) => void world.writeOut(text),
      writeError,
      env,
    });
  } catch (error) {
    return printFault(error, world);
  }
}

function verbCommand(verb: OpsVerb, world: CliWorld): ProgramCommand {
  const { name, summary, args = {} } = verb;
  return {
    ...{ name, summary, args, examples: [] },
    options: verbOptions(verb),
    surplusHint: MEMBERS_HINT,
    run: (parsed) => {
      const { mask } = parsed.args;
      const text = typeof mask === 'string' ? mask : undefined;
      // The parser makes exactly the values of verbOptions.
      return execute(verb, parsed.options as unknown as ParsedOptions, text, world);
    },
  };
}

/** One task with the name of its entry, or a family such as `snap`. */
async function loadTask({ name, summary, load }: TaskEntry, world: CliWorld): Promise<ProgramVerb> {
  const [{ taskCommand }, tasks] = await Promise.all([import('./run-task.js'), load()]);
  const commands = tasks.map((task) => {
    const verb = task.name === name ? name : `${name} ${task.name}`;
    return taskCommand({ summary, ...task }, verb, world);
  });
  const own = commands.find((command) => command.name === name);
  return own ?? defineFamily({ name, summary, subcommands: commands });
}

/** `--auth user:password` or `--auth=user:password`. */
function showsPassword(args: readonly string[]): boolean {
  return args.some(
    (arg, at) => arg.startsWith('--auth=') || (arg === '--auth' && args[at + 1]?.includes(':')),
  );
}

async function printCandidates(
  program: Program,
  args: readonly string[],
  world: CliWorld,
): Promise<number> {
  const { completeOpsValue } = await import('./complete-value.js');
  const { answerCompletion } = await import('../machine/completion-answer.js');
  const { completeProgram } = await import('../machine/complete.js');
  const answer = await answerCompletion(args, (before, word) =>
    completeProgram(program, before, word, (expected) => completeOpsValue(expected, world)),
  );
  await world.writeOut(answer);
  return 0;
}

/** Prints an error of the user or of the run, and returns the exit status. Rethrows others. */
function printFault(error: unknown, { writeError }: CliWorld): number {
  if (!(error instanceof CommandError)) throw error;
  for (const line of errorLines('zkops', withShortHint('zkops', error))) {
    writeError(`${line}
`);
  }
  const { exitCode } = error;
  const isOwn = exitCode === ExitCode.usage || exitCode === ExitCode.badFile;
  // Other statuses of zksh would be a verdict here.
  return isOwn ? exitCode : VERDICT_STATUS.unknown;
}
