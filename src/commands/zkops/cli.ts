import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { safeText } from '../../protocol/sanitize.js';
import { EXIT_CODES, EXIT_USAGE } from '../ensemble/exit-codes.js';
import { RunFault } from '../ensemble/run-fault.js';
import { UsageError } from '../ensemble/usage-error.js';
import { packageVersion } from '../program/package-version.js';
import type { CliWorld } from './calls/cli-world.js';
import {
  type CallOption,
  type OptionKind,
  type ParsedOptions,
  verbOptions,
} from './calls/options.js';
import type { TaskEntry } from './calls/task.js';
import { execute } from './execute.js';
import { TASKS, VERBS } from './index.js';

const EXAMPLES = `
Examples:
  zkops health --ensemble hosts.txt
  zkops smoke --servers zk1,zk2,zk3 -o prom --out smoke.prom --fail-on never`;

const EXIT_STATUS = `
Exit status: 0 healthy, 1 warning (a member is down, the quorum holds), 2 critical (no quorum, no
leader, nothing answers), 3 cannot judge, 64 bad usage, 65 bad hosts file, 130 interrupted.`;

/** What commander is to know of a verb or a task. */
interface Call {
  readonly summary: string;
  readonly args: readonly string[];
  readonly options: readonly CallOption[];
  readonly run: (given: readonly string[], options: ParsedOptions) => Promise<number>;
}

/** Carries out one call of zkops; gives the exit code and never throws for what a user typed. */
export async function main(
  args: readonly string[],
  world: CliWorld,
  tasks: readonly TaskEntry[] = TASKS,
): Promise<number> {
  let exitCode: number = EXIT_CODES.healthy;
  const program = makeProgram(world);
  const declare = (command: Command, { summary, args: names, options, run }: Call): void => {
    command.description(summary);
    for (const name of names) command.argument(name);
    for (const option of options) command.addOption(makeOption(option));
    command.action(async (...given: unknown[]) => {
      const values = given.flat().filter((value) => typeof value === 'string');
      exitCode = await run(values, command.opts<ParsedOptions>());
    });
  };
  for (const verb of VERBS) {
    declare(program.command(verb.name), {
      summary: verb.summary,
      args: verb.name === 'stmk' ? ['<mask>'] : [],
      // The others cost time at every start, and nobody sees them.
      options: args.includes(verb.name) ? verbOptions(verb) : [],
      run: ([mask], options) => execute(verb, options, mask, world),
    });
  }
  for (const { name, summary, load } of tasks) {
    const command = program.command(name).description(summary);
    if (!args.includes(name)) continue;
    const [{ taskCall }, own] = await Promise.all([import('./run-task.js'), load()]);
    for (const task of own) {
      const isAlone = task.name === name;
      const verb = isAlone ? name : `${name} ${task.name}`;
      const call = taskCall({ summary, ...task }, verb, world);
      declare(isAlone ? command : command.command(task.name), call);
    }
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return tellFault(error, world);
  }
}

function makeProgram(world: CliWorld): Command {
  return new Command('zkops')
    .description('Asks every member of a ZooKeeper ensemble at once, and says how it is.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.writeOut(text),
      writeErr: world.writeError,
      outputError: (text, write) => write(text.replace(/^error: /, 'zkops: ')),
    })
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', EXIT_STATUS);
}

/** Gives the exit code. What is a fault of zkops itself is thrown on. */
function tellFault(error: unknown, { writeError }: CliWorld): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (!(error instanceof UsageError || error instanceof RunFault)) throw error;
  for (const line of safeText(error.message).split('\n')) writeError(`zkops: ${line}\n`);
  return error.exitCode;
}

function makeOption([flags, about, kind = 'text', fallback]: CallOption): Option {
  const option = new Option(flags, about).default(fallback);
  if (Array.isArray(kind)) return option.choices(kind);
  if (!flags.includes('<') || kind === 'text') return option;
  return option.argParser((text, before) => {
    try {
      return readerOf(kind)(text, before);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  });
}

function readerOf(kind: OptionKind): (text: string, before: unknown) => unknown {
  if (typeof kind === 'function') return kind;
  const [what, most] = kind === 'ms' ? ['milliseconds', 86_400_000] : ['a whole number', 1e9];
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new RangeError(`expected ${what}, 1 to ${most}.`);
    return value;
  };
}
