import type { TlsFiles } from '../../connecting/tls-files.js';
import type { MemberSource } from '../../ensemble/members.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { type LimitChange, type LimitLevel, parseLimit } from '../../ensemble/verdict/limits.js';
import type { CallOption } from '../../program/command-line.js';
import { MEMBER_FORMATS, TASK_FORMATS } from '../../program/output-format.js';
import { type NameTest, parseNameGlob } from '../../znodes/path-glob.js';
import type { ProfileOptions } from './profile.js';
import type { Task } from './task.js';

export type TaskFormat = (typeof TASK_FORMATS)[number];
export type OutputFormat = (typeof MEMBER_FORMATS)[number];

const FAIL_ON = ['warn', 'crit', 'never'] as const;

const keysOf = (glob: string) => parseNameGlob(glob.replace(/^zk_/, ''));

export interface ParsedOptions extends MemberSource, TlsFiles, ProfileOptions {
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
  readonly once?: boolean;
  readonly batch?: boolean;
  readonly count?: number;
  readonly sort?: string;
  readonly filter?: string;
}

const PROFILE_OPTION: CallOption = [
  '-P, --profile <name>',
  'servers, TLS files, and credentials of a profile of zksh',
];

const ALLOW_OPTION: CallOption = ['--allow-changes', 'allow changes with a protected profile'];

const MEMBER_OPTIONS: readonly CallOption[] = [
  ['--ensemble <file>', 'hosts file: one host[:port] per line, # for comments'],
  ['--servers <list>', 'host[:port],host[:port]… or srv://NAME (default: 127.0.0.1:2181)'],
  ['--connect <string>', 'connect string; its chroot is ignored'],
  PROFILE_OPTION,
  ['--config <zoo.cfg>', 'zoo.cfg of a server, which lists the members'],
  ['--cacert <file>', 'PEM file of trusted CAs for TLS (members with zks://)'],
  ['--cert <file>', 'PEM file of the client certificate for TLS'],
  ['--key <file>', 'PEM file of its private key, unless --cert contains it'],
  ['--servername <name>', "name to expect in the members' certificates, instead of their hosts"],
  ['--insecure', 'accept any certificate over TLS'],
];

export const AUTH_FILE_OPTION: CallOption = [
  '--auth-file <file>',
  'like --auth, from the first line of a file that only its owner may read',
];

export const AUTH_OPTIONS: readonly CallOption[] = [
  ['--auth <user:password>', 'credentials for the digest scheme; ZKOPS_AUTH hides them'],
  AUTH_FILE_OPTION,
  [
    '--sasl-file <file>',
    'login by SASL: user:password in a file that only its owner may read, or a JAAS file (Kerberos)',
  ],
];

export const TIME_OPTIONS: readonly CallOption[] = [
  ['--timeout <time>', 'timeout for one answer of one member', 'ms', 2000],
  ['--deadline <time>', 'timeout for all members together', 'ms', 10_000],
];

/** Bounds the rows of a list. */
export function limitOptions(about: string, fallback: number): readonly CallOption[] {
  return [['--limit <n>', about, 'count', fallback]];
}

function outputOptions(formats: readonly string[], isJudged = true): readonly CallOption[] {
  const about = 'lowest level with a nonzero exit status';
  return [
    ['-o, --output <format>', 'output format', formats, 'table'],
    ['-q, --quiet', 'print nothing when healthy, otherwise one line per problem'],
    ...when(isJudged, ['--fail-on <level>', about, FAIL_ON, 'warn']),
  ];
}

const OUT_OPTION: CallOption = [
  '--out <file>',
  'write to a file, atomically, instead of standard output',
];

const STATE_OPTIONS: readonly CallOption[] = [
  ['--state <file>', 'remember this run, and report changes since the previous one'],
  ['--for <runs>', 'with --state: report a problem after this many runs in a row', 'count'],
];

function when(is: boolean | undefined, ...options: readonly CallOption[]): readonly CallOption[] {
  return is === true ? options : [];
}

export function taskOptions(task: Task): readonly CallOption[] {
  const isJudged = task.isListing !== true;
  return [
    ...task.options,
    ...when(task.hasMembers, ...MEMBER_OPTIONS),
    ...when(task.changesEnsemble !== false && !task.hasMembers, PROFILE_OPTION),
    ...when(task.changesEnsemble !== false, ALLOW_OPTION),
    ...outputOptions(TASK_FORMATS.slice(0, isJudged ? undefined : -1), isJudged),
    OUT_OPTION,
    ...when(isJudged && task.hasMembers, ...STATE_OPTIONS),
  ];
}

export function verbOptions(verb: OpsVerb): readonly CallOption[] {
  const isLive = verb.isLive === true;
  const isMeasured = verb.isMeasured === true;
  const hasPairs = verb.pairs !== undefined;
  return [
    ...MEMBER_OPTIONS,
    ['--discover', 'query all members of the ensemble that the given members belong to'],
    ...AUTH_OPTIONS,
    ...TIME_OPTIONS,
    ...outputOptions(MEMBER_FORMATS),
    ...when(!isLive, OUT_OPTION, [
      '--lock <file>',
      'do nothing while another run holds this lock file',
    ]),
    ...when(verb.judge === 'ensemble', [
      '--min-serving <n>',
      'critical when fewer members serve',
      'count',
    ]),
    ...when(verb.isConfirmed, ['--confirm <time>', 'wait before the second query', 'ms', 1000]),
    ...when(
      isMeasured && isLive,
      ['--interval <time>', 'time between two queries', 'ms', 3000],
      ['--once', 'print one screen and exit'],
      ['--batch', 'print screens instead of drawing on the terminal'],
      ['--count <n>', 'exit after this many queries', 'count'],
      ['--sort <column>', 'column to sort by', verb.columns.map(({ key }) => key)],
      ['--filter <text>', 'show the members whose name or state contains this text', 'text', ''],
    ),
    ...when(isMeasured && !isLive, ...STATE_OPTIONS, [
      '--interval <time>',
      'query twice, this far apart, for rates',
      'ms',
    ]),
    ...when(
      isMeasured,
      [
        '--warn <name=limit>',
        'change a warning limit: [role:]name=limit, or name=off',
        limitOption('warning'),
      ],
      [
        '--crit <name=limit>',
        'change a critical limit: [role:]name=limit, or name=off',
        limitOption('critical'),
      ],
      ['--limits <file>', 'file of limits: [warn] and [crit], name = limit'],
    ),
    ...when(verb.details !== undefined || hasPairs, [
      '--all',
      'show everything that the members report',
    ]),
    ...when(
      hasPairs,
      ['--keys <glob>', 'show the values whose names match, as in "*latency*"', keysOf],
      ['--diff', 'show the values that differ between members'],
      ['--leader', 'show only the leader; all members are judged'],
    ),
    ...when(verb.isReset, ['-y, --yes', 'confirm: this changes every member']),
    // The screen of a live verb can reset the statistics.
    ...when(verb.isReset === true || isLive, ALLOW_OPTION),
    ...when(verb.isCostly, ['--force', 'also query a server with more than 100000 watches']),
    ...when(verb.hasExplanation, ['--explain', 'list the limits, and query no member']),
  ];
}

function limitOption(level: LimitLevel) {
  return (text: string, before: unknown): readonly LimitChange[] => [
    ...(Array.isArray(before) ? before : []),
    parseLimit(level, text),
  ];
}
