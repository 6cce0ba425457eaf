// The command line of what zkops does beyond words. Loaded only when one of them is called, so
// that a check every minute does not pay for it.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { TlsFiles } from '../connecting/tls-files.js';
import { FileFault } from '../data-files/file-fault.js';
import type { AskWord } from '../ensemble/ask.js';
import { EXIT_CODES, EXIT_USAGE } from '../ensemble/exit-codes.js';
import type { MemberAddress } from '../ensemble/member-address.js';
import { tlsOf } from '../ensemble/member-tls.js';
import { resolveMembers, withNamedServers } from '../ensemble/members.js';
import { UsageError } from '../ensemble/usage-error.js';
import type { OpsTerminal } from '../terminal/ops-terminal.js';
import { safeText } from '../terminal/sanitize.js';
import { addMemberOptions } from './calls/options.js';
import type { ProgressBar } from './calls/progress.js';
import {
  TASK_FORMATS,
  type Task,
  type TaskCall,
  type TaskGroup,
  type TaskOption,
} from './calls/task.js';
import { renderReport } from './render/ops-report.js';

const EXIT_INTERRUPTED = 130;

/** What a task needs of the world; tests put their own there. */
export interface TaskWorld {
  readonly ask: AskWord;
  readonly now: () => Date;
  readonly keyPassphrase?: string | undefined;
  /** Resolves when more may be written. */
  readonly writeOut: (text: string) => void | Promise<void>;
  readonly writeError: (text: string) => void;
  readonly terminal: OpsTerminal;
  readonly progress: ProgressBar;
  readonly signal: AbortSignal;
}

const EXIT_STATUS = `
Exit status: 0 healthy, 1 warning, 2 critical, 3 cannot judge, 64 bad usage, 65 bad hosts file,
130 interrupted.`;

/** Carries out one call, `args` without the group's name; gives the exit code. */
export async function runTask(
  group: TaskGroup,
  args: readonly string[],
  world: TaskWorld,
): Promise<number> {
  let exitCode: number = EXIT_CODES.healthy;
  const program = new Command(`zkops ${group.name}`)
    .description(group.summary)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.writeOut(text),
      writeErr: world.writeError,
      outputError: (text, write) => write(text.replace(/^error: /, 'zkops: ')),
    })
    .addHelpText('after', EXIT_STATUS);
  for (const task of group.tasks) {
    const isAlone = task.name === group.name;
    const command = isAlone ? program : program.command(task.name).description(task.summary);
    declare(command, task);
    command.action(async (...given: unknown[]) => {
      const values = given.slice(0, task.args.length).flat();
      const verb = isAlone ? group.name : `${group.name} ${task.name}`;
      exitCode = await carryOut(task, verb, values, command, world);
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    world.progress.clear();
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (world.signal.aborted) return EXIT_INTERRUPTED;
    if (!(error instanceof UsageError || error instanceof FileFault)) throw error;
    for (const line of safeText(error.message).split('\n')) world.writeError(`zkops: ${line}\n`);
    return error.exitCode;
  }
  return exitCode;
}

function declare(command: Command, task: Task): void {
  for (const arg of task.args) command.argument(arg);
  for (const option of task.options) command.addOption(makeOption(option));
  if (task.hasMembers) addMemberOptions(command);
  command
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(TASK_FORMATS).default('table'),
    )
    .option('-q, --quiet', 'print nothing when healthy, else one line a problem')
    .addHelpText('after', EXIT_STATUS);
}

function makeOption({ name, value, about, kind, fallback }: TaskOption): Option {
  const flags = kind === 'flag' ? `--${name}` : `--${name} <${value ?? 'value'}>`;
  const option = new Option(flags, about);
  if (kind === 'count') option.argParser(wholeNumber('a whole number', 1_000_000_000));
  else if (kind === 'ms') option.argParser(wholeNumber('milliseconds', 86_400_000));
  else if (typeof kind !== 'string') option.choices(kind);
  return fallback === undefined ? option : option.default(fallback);
}

function wholeNumber(what: string, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) {
      throw new InvalidArgumentError(`expected ${what}, 1 to ${most}.`);
    }
    return value;
  };
}

async function carryOut(
  task: Task,
  verb: string,
  given: readonly unknown[],
  command: Command,
  world: TaskWorld,
): Promise<number> {
  const options: Readonly<Record<string, unknown>> = command.opts();
  const optionOf = (name: string): unknown =>
    options[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
  const text = (name: string): string | undefined => {
    const value = optionOf(name);
    return typeof value === 'string' ? value : undefined;
  };
  const members = task.hasMembers ? await membersOf(text) : [];
  const call: TaskCall = {
    args: given.filter((value) => typeof value === 'string'),
    members,
    tls: task.hasMembers
      ? await tlsOf(command.opts<TlsFiles>(), members, world.keyPassphrase)
      : undefined,
    text,
    number: (name) => {
      const value = optionOf(name);
      return typeof value === 'number' ? value : undefined;
    },
    has: (name) => optionOf(name) === true,
    ask: world.ask,
    now: world.now,
    signal: world.signal,
    progress: world.progress.show,
  };
  const time = world.now().toISOString();
  const report = await task.run(call);
  const output = TASK_FORMATS.find((format) => format === text('output')) ?? 'table';
  const show = { output, isQuiet: options['quiet'] === true, verb, time };
  const pieces = renderReport(report, show, world.terminal);
  const whenAborted = report.isService === true ? EXIT_CODES.healthy : EXIT_INTERRUPTED;
  for (;;) {
    const { value, done } = await pieces.next();
    world.progress.clear();
    if (done === true) return world.signal.aborted ? whenAborted : EXIT_CODES[value];
    if (world.signal.aborted) {
      // Lets the report close what it has open.
      await pieces.return('healthy');
      return whenAborted;
    }
    await world.writeOut(value);
  }
}

async function membersOf(text: TaskCall['text']): Promise<readonly MemberAddress[]> {
  const names = ['ensemble', 'servers', 'connect', 'config'] as const;
  const given = names.flatMap((name) => {
    const value = text(name);
    return value === undefined ? [] : [[name, value]];
  });
  return resolveMembers(await withNamedServers(Object.fromEntries(given)));
}
