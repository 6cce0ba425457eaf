import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TlsFiles } from '../../connecting/tls-files.js';
import type { MemberSource } from '../../ensemble/members.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { type LimitChange, type LimitLevel, parseLimit } from '../../ensemble/verdict/limits.js';

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

export const FAIL_ON = ['warn', 'crit', 'never'] as const;

/** A command line as Commander read it. */
export interface ParsedOptions extends MemberSource, TlsFiles {
  readonly timeout: number;
  readonly deadline: number;
  readonly confirm?: number;
  readonly interval?: number;
  readonly output: OutputFormat;
  readonly quiet?: boolean;
  readonly all?: boolean;
  readonly keys?: string;
  readonly diff?: boolean;
  readonly leader?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly minServing?: number;
  readonly failOn: (typeof FAIL_ON)[number];
  readonly warn?: readonly LimitChange[];
  readonly crit?: readonly LimitChange[];
  readonly limits?: string;
  readonly discover?: boolean;
  readonly explain?: boolean;
  readonly out?: string;
  readonly lock?: string;
  readonly state?: string;
  readonly for?: number;
  readonly html?: string;
  readonly once?: boolean;
  readonly batch?: boolean;
  readonly count?: number;
  readonly sort?: string;
  readonly filter?: string;
}

export const EXIT_STATUS = `
Exit status: 0 healthy, 1 warning (a member is down, the quorum holds), 2 critical (no quorum, no
leader, nothing answers), 3 cannot judge, 64 bad usage, 65 bad hosts file.`;

export function milliseconds(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 86_400_000) {
    throw new InvalidArgumentError('expected milliseconds, 1 to 86400000.');
  }
  return value;
}

export function count(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 100_000) throw new InvalidArgumentError('expected 1 to 100000.');
  return value;
}

/** Gathers `--warn a=1 --warn b=2`. */
function limitOption(level: LimitLevel) {
  return (text: string, before: readonly LimitChange[] = []): readonly LimitChange[] => {
    try {
      return [...before, parseLimit(level, text)];
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}

/** Which members, and how they are reached. */
export function addMemberOptions(command: Command): void {
  command
    .option('--ensemble <file>', 'hosts file: one host[:port] a line, # comments')
    .option('--servers <list>', 'host[:port],host[:port]… or srv://NAME (default: 127.0.0.1:2181)')
    .option('--connect <string>', 'a connect string; its chroot is ignored')
    .option('--config <zoo.cfg>', "the members of a server's configuration")
    .option('--cacert <file>', 'authorities to trust over TLS (members with zks://), PEM')
    .option('--cert <file>', 'own certificate for TLS, PEM')
    .option('--key <file>', 'its private key, PEM, unless it stands in --cert')
    .option('--servername <name>', "what the members' certificates must name, not their hosts")
    .option('--insecure', 'take any certificate over TLS');
}

/** How long they may take, and what is printed: with those above what all verbs share. */
function addCommonOptions(command: Command): void {
  addMemberOptions(command);
  command
    .option('--discover', 'all members of the ensemble that those given belong to')
    .option('--timeout <ms>', 'for one word of one member', milliseconds, 2000)
    .option('--deadline <ms>', 'for the whole run', milliseconds, 10_000)
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).default('table'),
    )
    .option('-q, --quiet', 'print nothing when healthy, else one line a problem')
    .addOption(
      new Option('--fail-on <level>', 'from which level on the exit status is not 0')
        .choices(FAIL_ON)
        .default('warn'),
    );
}

function addJudgingOptions(command: Command, verb: OpsVerb): void {
  if (verb.isLive !== true) {
    command
      .option('--out <file>', 'write into a file instead, whole or not at all')
      .option('--lock <file>', 'do nothing while another run holds this file');
  }
  if (verb.judge === 'ensemble') {
    command.option('--min-serving <n>', 'critical when fewer members serve', count);
  }
  if (verb.isConfirmed === true) {
    command.option('--confirm <ms>', 'wait before the second look', milliseconds, 1000);
  }
  if (verb.isMeasured !== true) return;
  if (verb.isLive === true) addLiveOptions(command, verb);
  else addCronOptions(command);
  command
    .option('--warn <name=limit>', '[role:]name=limit, or =off', limitOption('warning'))
    .option('--crit <name=limit>', '[role:]name=limit, or =off', limitOption('critical'))
    .option('--limits <file>', 'a file of limits: [warn] and [crit], name = limit');
}

function addLiveOptions(command: Command, { columns }: OpsVerb): void {
  const keys = columns.map(({ key }) => key);
  command
    .option('--interval <ms>', 'from look to look', milliseconds, 3000)
    .option('--once', 'print one screen and end')
    .option('--batch', 'print screens instead of drawing on the terminal')
    .option('-n, --count <looks>', 'end after so many', count)
    .addOption(new Option('--sort <column>', 'the column to sort by').choices(keys))
    .option('--filter <text>', 'show the members whose name or state holds this', '');
}

function addCronOptions(command: Command): void {
  command
    .option('--state <file>', 'remember this run, and tell what is new since the one before')
    .option('--for <runs>', 'with --state: a problem counts from this many runs in a row', count)
    .option('--interval <ms>', 'look twice, this far apart, for rates', milliseconds);
}

/** Declares a verb: what its declaration says decides which options it takes. */
export function declareVerb(command: Command, verb: OpsVerb): void {
  command.description(verb.summary);
  addCommonOptions(command);
  addJudgingOptions(command, verb);
  if (verb.details !== undefined || verb.pairs !== undefined) {
    command.option('--all', 'show everything the members told');
  }
  if (verb.pairs !== undefined) {
    command
      .option('--keys <glob>', 'show the values whose names match, as in "*latency*"')
      .option('--diff', 'show the values that are not the same on all members')
      .option('--leader', 'show the leader alone; all are judged');
  }
  if (verb.isReset === true) {
    command.option('--yes', 'do it: this changes something in every member');
  }
  if (verb.isCostly === true) {
    command.option('--force', 'ask a server with more than 100000 watches too');
  }
  if (verb.hasPage === true) {
    command.option('--html <file>', 'write one page that needs nothing else');
  }
  if (verb.hasExplanation === true) {
    command.option('--explain', 'list the limits, ask nobody');
  }
  if (verb.name === 'stmk') command.argument('<mask>', '64-bit integer', traceMask);
  command.addHelpText('after', EXIT_STATUS);
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
