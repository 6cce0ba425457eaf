import type { TlsFiles } from '../../connecting/tls-files.js';
import type { MemberSource } from '../../ensemble/members.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { type LimitChange, type LimitLevel, parseLimit } from '../../ensemble/verdict/limits.js';
import type { CallOption } from '../../program/command-line.js';
import { type NameTest, parseNameGlob } from '../../zksh/language/path-glob.js';
import type { Task } from './task.js';

/** The last but for those that judge nothing. */
export const TASK_FORMATS = ['table', 'json', 'jsonl', 'csv', 'plain', 'nagios', 'prom'] as const;
export type TaskFormat = (typeof TASK_FORMATS)[number];
export const OUTPUT_FORMATS = [...TASK_FORMATS, 'raw'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const FAIL_ON = ['warn', 'crit', 'never'] as const;

const keysOf = (glob: string) => parseNameGlob(glob.replace(/^zk_/, ''));

/** A command line as Commander read it. */
export interface ParsedOptions extends MemberSource, TlsFiles {
  readonly timeout: number;
  readonly deadline: number;
  readonly confirm?: number;
  readonly interval?: number;
  readonly output: OutputFormat;
  readonly quiet?: boolean;
  readonly all?: boolean;
  readonly keys?: NameTest;
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

/** Which members, and how they are reached. */
const MEMBER_OPTIONS: readonly CallOption[] = [
  ['--ensemble <file>', 'hosts file: one host[:port] a line, # comments'],
  ['--servers <list>', 'host[:port],host[:port]… or srv://NAME (default: 127.0.0.1:2181)'],
  ['--connect <string>', 'a connect string; its chroot is ignored'],
  ['--config <zoo.cfg>', "the members of a server's configuration"],
  ['--cacert <file>', 'authorities to trust over TLS (members with zks://), PEM'],
  ['--cert <file>', 'own certificate for TLS, PEM'],
  ['--key <file>', 'its private key, PEM, unless it stands in --cert'],
  ['--servername <name>', "what the members' certificates must name, not their hosts"],
  ['--insecure', 'take any certificate over TLS'],
];

/** How long members may take. */
export const TIME_OPTIONS: readonly CallOption[] = [
  ['--timeout <ms>', 'for one answer of one member', 'ms', 2000],
  ['--deadline <ms>', 'for asking all members', 'ms', 10_000],
];

/** What is printed, and what the exit status tells. */
function outputOptions(formats: readonly string[], isJudged = true): readonly CallOption[] {
  const about = 'from which level on the exit status is not 0';
  return [
    ['-o, --output <format>', 'how to print', formats, 'table'],
    ['-q, --quiet', 'print nothing when healthy, else one line a problem'],
    ...when(isJudged, ['--fail-on <level>', about, FAIL_ON, 'warn']),
  ];
}

const OUT_OPTION: CallOption = ['--out <file>', 'write into a file instead, whole or not at all'];

/** What a run from cron remembers. */
const STATE_OPTIONS: readonly CallOption[] = [
  ['--state <file>', 'remember this run, and tell what is new since the one before'],
  ['--for <runs>', 'with --state: a problem counts from this many runs in a row', 'count'],
];

function when(is: boolean | undefined, ...options: readonly CallOption[]): readonly CallOption[] {
  return is === true ? options : [];
}

/** The options of a task: its own, and those that it shares with verbs. */
export function taskOptions(task: Task): readonly CallOption[] {
  const isJudged = task.isListing !== true;
  return [
    ...task.options,
    ...when(task.hasMembers, ...MEMBER_OPTIONS),
    ...outputOptions(TASK_FORMATS.slice(0, isJudged ? undefined : -1), isJudged),
    OUT_OPTION,
    ...when(isJudged && task.hasMembers, ...STATE_OPTIONS),
  ];
}

/** The options of a verb: what its declaration says decides which it takes. */
export function verbOptions(verb: OpsVerb): readonly CallOption[] {
  const isLive = verb.isLive === true;
  const isMeasured = verb.isMeasured === true;
  const hasPairs = verb.pairs !== undefined;
  return [
    ...MEMBER_OPTIONS,
    ['--discover', 'all members of the ensemble that those given belong to'],
    ...TIME_OPTIONS,
    ...outputOptions(OUTPUT_FORMATS),
    ...when(!isLive, OUT_OPTION, ['--lock <file>', 'do nothing while another run holds this file']),
    ...when(verb.judge === 'ensemble', ['--min-serving <n>', 'critical when fewer serve', 'count']),
    ...when(verb.isConfirmed, ['--confirm <ms>', 'wait before the second look', 'ms', 1000]),
    ...when(
      isMeasured && isLive,
      ['--interval <ms>', 'from look to look', 'ms', 3000],
      ['--once', 'print one screen and end'],
      ['--batch', 'print screens instead of drawing on the terminal'],
      ['-n, --count <looks>', 'end after so many', 'count'],
      ['--sort <column>', 'the column to sort by', verb.columns.map(({ key }) => key)],
      ['--filter <text>', 'show the members whose name or state holds this', 'text', ''],
    ),
    ...when(isMeasured && !isLive, ...STATE_OPTIONS, [
      '--interval <ms>',
      'look twice, this far apart, for rates',
      'ms',
    ]),
    ...when(
      isMeasured,
      ['--warn <name=limit>', '[role:]name=limit, or =off', limitOption('warning')],
      ['--crit <name=limit>', '[role:]name=limit, or =off', limitOption('critical')],
      ['--limits <file>', 'a file of limits: [warn] and [crit], name = limit'],
    ),
    ...when(verb.details !== undefined || hasPairs, ['--all', 'show everything the members told']),
    ...when(
      hasPairs,
      ['--keys <glob>', 'show the values whose names match, as in "*latency*"', keysOf],
      ['--diff', 'show the values that are not the same on all members'],
      ['--leader', 'show the leader alone; all are judged'],
    ),
    ...when(verb.isReset, ['--yes', 'do it: this changes something in every member']),
    ...when(verb.isCostly, ['--force', 'ask a server with more than 100000 watches too']),
    ...when(verb.hasPage, ['--html <file>', 'write one page that needs nothing else']),
    ...when(verb.hasExplanation, ['--explain', 'list the limits, ask nobody']),
  ];
}

/** Gathers `--warn a=1 --warn b=2`. */
function limitOption(level: LimitLevel) {
  return (text: string, before: unknown): readonly LimitChange[] => [
    ...(Array.isArray(before) ? before : []),
    parseLimit(level, text),
  ];
}
