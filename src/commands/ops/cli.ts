import { Command, CommanderError } from 'commander';
import { packageVersion } from '../package-version.js';
import type { AskAdmin } from './admin.js';
import { explainLimits } from './alarms.js';
import type { AskWord } from './ask.js';
import type { AskCertificate } from './certificate.js';
import { earlierOf, keepState, loadState, underLock, writeResult } from './cron.js';
import type { Grid } from './grid.js';
import { TASKS, type TaskEntry, VERBS } from './index.js';
import { readLimits } from './limits-file.js';
import { tlsOf } from './member-tls.js';
import { resolveMembers } from './members.js';
import { declareVerb, EXIT_STATUS, type OutputFormat, type ParsedOptions } from './options.js';
import { EXIT_CODES, EXIT_USAGE, type Level, type OpsResult } from './result.js';
import { runVerb } from './run.js';
import { RunFault } from './run-fault.js';
import { UsageError } from './usage-error.js';
import type { OpsVerb } from './verb.js';

/** What a call asks to be shown. */
export interface ShowOptions {
  readonly output: OutputFormat;
  /** Every row or value, not only the summary of each member. */
  readonly isAll: boolean;
  /** `*latency*`: which values to show. */
  readonly keys: string | undefined;
  readonly isQuiet: boolean;
}

/** What main needs of the world; tests put their own there. */
export interface CliWorld {
  readonly ask: AskWord;
  readonly askAdmin?: AskAdmin;
  readonly askCertificate?: AskCertificate;
  readonly now: () => Date;
  /** Of the private key for TLS. */
  readonly keyPassphrase?: string | undefined;
  readonly writeOut: (text: string | Buffer) => void;
  readonly writeError: (text: string) => void;
  readonly render: (result: OpsResult, show: ShowOptions) => string | Buffer;
  /** A list that is about no member. */
  readonly renderGrid?: (grid: Grid, output: OutputFormat) => string;
  /** Carries out what is no word; `args` without its name. */
  readonly runTask?: (entry: TaskEntry, args: readonly string[]) => Promise<number>;
}

/** Carries out one call of zkops; gives the exit code and never throws for what a user typed. */
export async function main(args: readonly string[], world: CliWorld): Promise<number> {
  const task = TASKS.find(({ name }) => name === args[0]);
  if (task !== undefined && world.runTask !== undefined) return world.runTask(task, args.slice(1));
  let exitCode: number = EXIT_CODES.healthy;
  const program = new Command('zkops')
    .description('Asks every member of a ZooKeeper ensemble at once, and says how it is.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: world.writeOut,
      writeErr: world.writeError,
      outputError: (text, write) => write(text.replace(/^error: /, 'zkops: ')),
    })
    .addHelpText('after', EXIT_STATUS);
  for (const verb of VERBS) {
    const command = program.command(verb.name);
    declareVerb(command, verb);
    command.action(async (...given: unknown[]) => {
      const mask = Buffer.isBuffer(given[0]) ? given[0] : undefined;
      exitCode = await runAndShow(verb, command.opts<ParsedOptions>(), mask, world);
    });
  }
  for (const { name, summary } of TASKS) program.command(name).description(summary);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (!(error instanceof UsageError || error instanceof RunFault)) throw error;
    for (const line of error.message.split('\n')) world.writeError(`zkops: ${line}\n`);
    return error.exitCode;
  }
  return exitCode;
}

async function runAndShow(
  verb: OpsVerb,
  options: ParsedOptions,
  mask: Buffer | undefined,
  world: CliWorld,
): Promise<number> {
  const { ensemble, servers, connect, config, confirm = 1000 } = options;
  if (verb.isReset === true && options.yes !== true) {
    throw new UsageError(`${verb.name} changes something in every member: say --yes to do it`);
  }
  const limits = readLimits(options);
  if (options.explain === true && world.renderGrid !== undefined) {
    world.writeOut(world.renderGrid(explainLimits(limits), options.output));
    return EXIT_CODES.healthy;
  }
  if (options.for !== undefined && options.state === undefined) {
    throw new UsageError('--for counts runs, which only --state FILE remembers');
  }
  const source = { ensemble, servers, connect, config };
  const given = Object.entries(source).filter(([, value]) => value !== undefined);
  const members = resolveMembers(Object.fromEntries(given));
  const tls = await tlsOf(options, members, world.keyPassphrase);
  const { failOn, output, out } = options;
  const result = await underLock(options, world.now(), async () => {
    const before = loadState(options, (says) => world.writeError(`zkops: ${says}\n`));
    const found = await runVerb(verb, members, {
      ...worldOptions(world),
      timeoutMs: options.timeout,
      deadlineMs: options.deadline,
      confirmMs: confirm,
      intervalMs: options.interval,
      limits,
      minServing: options.minServing,
      earlier: earlierOf(before),
      isForced: options.force === true,
      ...(mask === undefined ? {} : { argument: mask }),
      ...(tls === undefined ? {} : { tls }),
    });
    return keepState(options, before, found);
  });
  const content = world.render(result, {
    output,
    isAll: options.all === true,
    keys: options.keys,
    isQuiet: options.quiet === true,
  });
  if (out === undefined) world.writeOut(content);
  else writeResult(out, content);
  return exitCodeOf(result.verdict.level, failOn);
}

function worldOptions({ ask, askAdmin, askCertificate, now }: CliWorld) {
  return { ask, askAdmin, askCertificate, now };
}

/** `--fail-on crit` lets a warning pass; what cannot be judged passes only with `never`. */
function exitCodeOf(level: Level, failOn: ParsedOptions['failOn']): number {
  if (failOn === 'never' || (failOn === 'crit' && level === 'warning')) return 0;
  return EXIT_CODES[level];
}
