import { MEMBER_SOURCES } from '../ensemble/members.js';
import { CommandError, errorLines } from '../program/command-error.js';
import { CommandLine, type Program } from '../program/command-line.js';
import { EXIT_STATUSES, ExitCode, VERDICT_STATUS } from '../program/exit-status.js';
import { packageVersion } from '../program/package-version.js';
import type { CliWorld } from './calls/cli-world.js';
import { type ParsedOptions, verbOptions } from './calls/options.js';
import type { TaskEntry } from './calls/task.js';
import { execute } from './execute.js';
import { TASKS, VERBS } from './index.js';

export const ZKOPS: Program = {
  name: 'zkops',
  summary: 'Query every member of a ZooKeeper ensemble at once, and judge its health',
  examples: [
    'zkops health --ensemble hosts.txt',
    'zkops smoke --servers zk1,zk2,zk3 -o prom --out smoke.prom --fail-on never',
  ],
  exitStatus: EXIT_STATUSES.zkops,
  exclusive: [...MEMBER_SOURCES, 'profile'],
  suggestions: { '--json': '-o json' },
};

/** Runs one call of zkops. Returns the exit status; never throws for an error of the user. */
export async function main(
  args: readonly string[],
  world: CliWorld,
  tasks: readonly TaskEntry[] = TASKS,
): Promise<number> {
  const line = new CommandLine(ZKOPS, packageVersion(), {
    writeOut: (text) => void world.writeOut(text),
    writeError: world.writeError,
    env: world.env,
  });
  for (const verb of VERBS) {
    line.declare<ParsedOptions>(verb.name, {
      summary: verb.summary,
      args: verb.args ?? [],
      // Declaring the options of all verbs would cost time at every start.
      options: args.includes(verb.name) ? verbOptions(verb) : [],
      run: ([mask], options) => execute(verb, options, mask, world),
    });
  }
  for (const { name, summary, load } of tasks) {
    line.describe(name, summary);
    if (!args.includes(name)) continue;
    const [{ taskCall }, own] = await Promise.all([import('./run-task.js'), load()]);
    for (const task of own) {
      const verb = task.name === name ? name : `${name} ${task.name}`;
      line.declare(verb, taskCall({ summary, ...task }, verb, world));
    }
  }
  line.declareCompletion((text) => void world.writeOut(text));
  try {
    if (args[0] === '__complete') return await printCandidates(line, args.slice(1), world);
    if (showsPassword(args)) {
      world.writeError(
        'zkops: --auth: other users can see this password in the list of processes; use --auth-file or ZKOPS_AUTH\n',
      );
    }
    return await line.run(args);
  } catch (error) {
    return printFault(error, world);
  }
}

/** `--auth user:password` or `--auth=user:password`. */
function showsPassword(args: readonly string[]): boolean {
  return args.some(
    (arg, at) => arg.startsWith('--auth=') || (arg === '--auth' && args[at + 1]?.includes(':')),
  );
}

async function printCandidates(
  line: CommandLine,
  args: readonly string[],
  world: CliWorld,
): Promise<number> {
  const { completeOpsValue } = await import('./complete-value.js');
  await world.writeOut(await line.complete(args, (expected) => completeOpsValue(expected, world)));
  return 0;
}

/** Prints an error of the user or of the run, and returns the exit status. Rethrows others. */
function printFault(error: unknown, { writeError }: CliWorld): number {
  if (!(error instanceof CommandError)) throw error;
  for (const line of errorLines('zkops', error)) {
    writeError(`${line}
`);
  }
  const { exitCode } = error;
  const isOwn = exitCode === ExitCode.usage || exitCode === ExitCode.badFile;
  // Other statuses of zksh would be a verdict here.
  return isOwn ? exitCode : VERDICT_STATUS.unknown;
}
