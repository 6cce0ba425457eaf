import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ServerAddress } from '../../client/connect-string.js';
import type { TlsOptions } from '../../client/tls.js';
import { packageVersion } from '../package-version.js';
import { givenTlsOption, readTlsFiles, TlsFileError, type TlsFiles } from '../tls-files.js';
import type { AskWord } from './ask.js';
import { TASKS, type TaskEntry, VERBS } from './index.js';
import { type MemberSource, resolveMembers } from './members.js';
import { EXIT_CODES, EXIT_USAGE, type OpsResult } from './result.js';
import { runVerb } from './run.js';
import { UsageError } from './usage-error.js';
import type { OpsVerb } from './verb.js';

export const OUTPUT_FORMATS = [
  'table',
  'json',
  'jsonl',
  'csv',
  'plain',
  'raw',
  'nagios',
  'prom',
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What a call asks to be shown. */
export interface ShowOptions {
  readonly output: OutputFormat;
  /** Every row or value, not only the summary of each member. */
  readonly isAll: boolean;
  /** `*latency*`: which values to show. */
  readonly keys: string | undefined;
  readonly isQuiet: boolean;
}

interface ParsedOptions extends MemberSource, TlsFiles {
  readonly timeout: number;
  readonly deadline: number;
  readonly confirm?: number;
  readonly output: OutputFormat;
  readonly quiet?: boolean;
  readonly all?: boolean;
  readonly keys?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** What main needs of the world; tests put their own there. */
export interface CliWorld {
  readonly ask: AskWord;
  readonly now: () => Date;
  /** Of the private key for TLS. */
  readonly keyPassphrase?: string | undefined;
  readonly writeOut: (text: string | Buffer) => void;
  readonly writeError: (text: string) => void;
  readonly render: (result: OpsResult, show: ShowOptions) => string | Buffer;
  /** Carries out what is no word; `args` without its name. */
  readonly runTask?: (entry: TaskEntry, args: readonly string[]) => Promise<number>;
}

const EXIT_STATUS = `
Exit status: 0 healthy, 1 warning (a member is down, the quorum holds), 2 critical (no quorum, no
leader, nothing answers), 3 cannot judge, 64 bad usage, 65 bad hosts file.`;

function milliseconds(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 86_400_000) {
    throw new InvalidArgumentError('expected milliseconds, 1 to 86400000.');
  }
  return value;
}

function traceMask(text: string): Buffer {
  const bytes = Buffer.alloc(8);
  try {
    bytes.writeBigInt64BE(BigInt(text));
  } catch {
    throw new InvalidArgumentError('expected a 64-bit integer.');
  }
  return bytes;
}

function addVerb(program: Command, verb: OpsVerb, run: RunVerb): void {
  const command = program
    .command(verb.name)
    .description(verb.summary)
    .option('--ensemble <file>', 'hosts file: one host[:port] a line, # comments')
    .option('--servers <list>', 'host[:port],host[:port]… (default: 127.0.0.1:2181)')
    .option('--connect <string>', 'a connect string; its chroot is ignored')
    .option('--config <zoo.cfg>', "the members of a server's configuration")
    .option('--cacert <file>', 'authorities to trust over TLS (members with zks://), PEM')
    .option('--cert <file>', 'own certificate for TLS, PEM')
    .option('--key <file>', 'its private key, PEM, unless it stands in --cert')
    .option('--servername <name>', "what the members' certificates must name, not their hosts")
    .option('--insecure', 'take any certificate over TLS')
    .option('--timeout <ms>', 'for one word of one member', milliseconds, 2000)
    .option('--deadline <ms>', 'for the whole run', milliseconds, 10_000)
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).default('table'),
    )
    .option('-q, --quiet', 'print nothing when healthy, else one line a problem')
    .addHelpText('after', EXIT_STATUS);
  if (verb.details !== undefined || verb.pairs !== undefined) {
    command.option('--all', 'show everything the members told');
  }
  if (verb.pairs !== undefined) {
    command.option('--keys <glob>', 'show the values whose names match, as in "*latency*"');
  }
  if (verb.isReset === true) {
    command.option('--yes', 'do it: this changes something in every member');
  }
  if (verb.isCostly === true) {
    command.option('--force', 'ask a server with more than 100000 watches too');
  }
  if (verb.isConfirmed === true) {
    command.option('--confirm <ms>', 'wait before the second look', milliseconds, 1000);
  }
  if (verb.name === 'stmk') command.argument('<mask>', '64-bit integer', traceMask);
  command.action(async (...args: unknown[]) => {
    const mask = Buffer.isBuffer(args[0]) ? args[0] : undefined;
    await run(verb, command.opts<ParsedOptions>(), mask);
  });
}

type RunVerb = (verb: OpsVerb, options: ParsedOptions, mask: Buffer | undefined) => Promise<void>;

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
    addVerb(program, verb, async (chosen, options, mask) => {
      exitCode = await runAndShow(chosen, options, mask, world);
    });
  }
  for (const { name, summary } of TASKS) program.command(name).description(summary);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (!(error instanceof UsageError)) throw error;
    for (const line of error.message.split('\n')) world.writeError(`zkops: ${line}\n`);
    return error.exitCode;
  }
  return exitCode;
}

/** @throws UsageError for a file that cannot be used, or options that no member needs */
async function tlsOf(
  files: TlsFiles,
  members: readonly ServerAddress[],
  passphrase: string | undefined,
): Promise<TlsOptions | undefined> {
  const option = givenTlsOption(files);
  if (option === undefined) return undefined;
  if (!members.some(({ isSecure }) => isSecure)) {
    throw new UsageError(`${option} is for TLS, but no member is given as zks://host[:port]`);
  }
  try {
    return await readTlsFiles(files, passphrase);
  } catch (error) {
    if (!(error instanceof TlsFileError)) throw error;
    throw new UsageError(error.message, undefined, { cause: error });
  }
}

async function runAndShow(
  verb: OpsVerb,
  options: ParsedOptions,
  mask: Buffer | undefined,
  world: CliWorld,
): Promise<number> {
  const { ensemble, servers, connect, config, timeout, deadline, confirm = 1000 } = options;
  if (verb.isReset === true && options.yes !== true) {
    throw new UsageError(`${verb.name} changes something in every member: say --yes to do it`);
  }
  const source = { ensemble, servers, connect, config };
  const given = Object.entries(source).filter(([, value]) => value !== undefined);
  const members = resolveMembers(Object.fromEntries(given));
  const tls = await tlsOf(options, members, world.keyPassphrase);
  const result = await runVerb(verb, members, {
    ask: world.ask,
    now: world.now,
    timeoutMs: timeout,
    deadlineMs: deadline,
    confirmMs: confirm,
    isForced: options.force === true,
    ...(mask === undefined ? {} : { argument: mask }),
    ...(tls === undefined ? {} : { tls }),
  });
  world.writeOut(
    world.render(result, {
      output: options.output,
      isAll: options.all === true,
      keys: options.keys,
      isQuiet: options.quiet === true,
    }),
  );
  return EXIT_CODES[result.verdict.level];
}
