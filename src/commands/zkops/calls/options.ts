import { LOAD_KINDS, type LoadKind } from '../../../fourlw/base/load-view.js';
import type { TlsFiles } from '../../connecting/tls-files.js';
import type { MemberSource } from '../../ensemble/members.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { type LimitChange, type LimitLevel, parseLimit } from '../../ensemble/verdict/limits.js';
import {
  COUNT,
  fileOption,
  type OptionSpecs,
  textOption,
  WAIT,
} from '../../machine/declaration.js';
import { MEMBER_FORMATS, TASK_FORMATS } from '../../program/output-format.js';
import { type NameTest, parseNameGlob } from '../../znodes/path-glob.js';
import type { ProfileOptions } from './profile.js';
import type { Task } from './task.js';

const FAIL_ON = ['warn', 'crit', 'never'] as const;

const keysOf = (glob: string) => parseNameGlob(glob.replace(/^zk_/, ''));

export interface ParsedOptions extends MemberSource, TlsFiles, ProfileOptions {
  readonly timeout: number;
  readonly deadline: number;
  readonly confirm?: number;
  readonly interval?: number;
  readonly output: (typeof MEMBER_FORMATS)[number];
  readonly quiet?: boolean;
  readonly all?: boolean;
  readonly keys?: NameTest;
  readonly diff?: boolean;
  readonly leader?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly 'min-serving'?: number;
  readonly 'fail-on': (typeof FAIL_ON)[number];
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
  readonly by?: 'member' | LoadKind;
  readonly sort?: string;
  readonly filter?: string;
}

const TIME = { ...WAIT, valueName: 'TIME' } as const;
const NUMBER = { ...COUNT, valueName: 'N' } as const;

const PROFILE_OPTION = {
  profile: {
    letter: 'P',
    ...textOption('NAME', 'servers, TLS files, and credentials of a profile of zksh'),
  },
} as const;

const ALLOW_OPTION = {
  'allow-changes': { summary: 'allow changes with a protected profile' },
} as const;

const MEMBER_OPTIONS: OptionSpecs = {
  ensemble: fileOption('hosts file: one host[:port] per line, # for comments'),
  servers: textOption('LIST', 'host[:port],host[:port]… or srv://NAME (default: 127.0.0.1:2181)'),
  connect: textOption('STRING', 'connect string; its chroot is ignored'),
  ...PROFILE_OPTION,
  config: {
    kind: 'file',
    valueName: 'ZOO.CFG',
    summary: 'zoo.cfg of a server, which lists the members',
  },
  cacert: fileOption('PEM file of trusted CAs for TLS (members with zks://)'),
  cert: fileOption('PEM file of the client certificate for TLS'),
  key: fileOption('PEM file of its private key, unless --cert contains it'),
  servername: textOption(
    'NAME',
    "name to expect in the members' certificates, instead of their hosts",
  ),
  insecure: { summary: 'accept any certificate over TLS' },
};

export const AUTH_FILE_OPTION: OptionSpecs = {
  'auth-file': fileOption(
    'like --auth, from the first line of a file that only its owner may read',
  ),
};

export const AUTH_OPTIONS: OptionSpecs = {
  auth: textOption('USER:PASSWORD', 'credentials for the digest scheme; ZKOPS_AUTH hides them'),
  ...AUTH_FILE_OPTION,
  'sasl-file': fileOption(
    'login by SASL: user:password in a file that only its owner may read, or a JAAS file (Kerberos)',
  ),
};

export const TIMEOUT_OPTION: OptionSpecs = {
  timeout: { ...TIME, fallback: 2000, summary: 'timeout for one answer of one member' },
};

/** Of a check that polls until it passes, this often. */
export const WAIT_OPTION = {
  ...TIME,
  summary: 'repeat until the check passes, at most this long',
} as const;
export const POLL_MS = 1000;

export const TIME_OPTIONS: OptionSpecs = {
  ...TIMEOUT_OPTION,
  deadline: { ...TIME, fallback: 10_000, summary: 'timeout for all members together' },
};

/** Bounds the rows of a list. */
export function limitOptions(summary: string, fallback: number): OptionSpecs {
  return { limit: { ...NUMBER, fallback, summary } };
}

function outputOptions(formats: readonly string[], isJudged = true): OptionSpecs {
  return {
    output: {
      letter: 'o',
      choices: formats,
      fallback: 'table',
      ...textOption('FORMAT', `output format: ${formats.join(', ')}`),
    },
    quiet: { letter: 'q', summary: 'print nothing when healthy, otherwise one line per problem' },
    ...when(isJudged, {
      'fail-on': {
        choices: FAIL_ON,
        fallback: 'warn',
        ...textOption('LEVEL', 'lowest level with a nonzero exit status: warn, crit, or never'),
      },
    }),
  };
}

const OUT_OPTION: OptionSpecs = {
  out: fileOption('write to a file, atomically, instead of standard output'),
};

const STATE_OPTIONS: OptionSpecs = {
  state: fileOption('remember this run, and report changes since the previous one'),
  for: {
    ...COUNT,
    valueName: 'RUNS',
    summary: 'with --state: report a problem, or its end, after this many runs in a row',
  },
};

function when(is: boolean | undefined, options: OptionSpecs): OptionSpecs {
  return is === true ? options : {};
}

/** For words after a call that names its members by options. */
export const MEMBERS_HINT = 'name the servers by an option: --servers zk1:2181,zk2:2181';

export function taskOptions(task: Task): OptionSpecs {
  const isJudged = task.isListing !== true;
  return {
    ...task.options,
    ...when(task.hasMembers, MEMBER_OPTIONS),
    ...when(task.changesEnsemble !== false && !task.hasMembers, PROFILE_OPTION),
    ...when(task.changesEnsemble !== false, ALLOW_OPTION),
    ...outputOptions(TASK_FORMATS.slice(0, isJudged ? undefined : -1), isJudged),
    ...OUT_OPTION,
    ...when(isJudged && task.hasMembers, STATE_OPTIONS),
  };
}

export function verbOptions(verb: OpsVerb): OptionSpecs {
  const isLive = verb.isLive === true;
  const isMeasured = verb.isMeasured === true;
  const hasPairs = verb.pairs !== undefined;
  return {
    ...MEMBER_OPTIONS,
    discover: { summary: 'query all members of the ensemble that the given members belong to' },
    ...AUTH_OPTIONS,
    ...TIME_OPTIONS,
    ...outputOptions(MEMBER_FORMATS),
    ...when(!isLive, {
      ...OUT_OPTION,
      lock: fileOption('do nothing while another run holds this lock file'),
    }),
    ...when(verb.judge === 'ensemble', {
      'min-serving': { ...NUMBER, summary: 'critical when fewer members serve' },
    }),
    ...when(verb.isConfirmed, {
      confirm: { ...TIME, fallback: 1000, summary: 'wait before the second query' },
    }),
    ...when(isMeasured && isLive, liveOptions(verb)),
    ...when(isMeasured && !isLive, {
      ...STATE_OPTIONS,
      interval: { ...TIME, summary: 'query twice, this far apart, for rates' },
    }),
    ...when(isMeasured, {
      warn: limitOption('warning'),
      crit: limitOption('critical'),
      limits: fileOption('file of limits: [warn] and [crit], name = limit'),
    }),
    ...when(verb.details !== undefined || hasPairs, {
      all: { summary: 'show everything that the members report' },
    }),
    ...when(hasPairs, {
      keys: {
        read: keysOf,
        ...textOption('GLOB', 'show the values whose names match, as in "*latency*"'),
      },
      diff: { summary: 'show the values that differ between members' },
      leader: { summary: 'show only the leader; all members are judged' },
    }),
    ...when(verb.isReset, {
      yes: { letter: 'y', summary: 'confirm: this changes every member' },
    }),
    // The screen of a live verb can reset the statistics.
    ...when(verb.isReset === true || isLive, ALLOW_OPTION),
    ...when(verb.isCostly, {
      force: { summary: 'also query a server with more than 100000 watches' },
    }),
    ...when(verb.hasExplanation, { explain: { summary: 'list the limits, and query no member' } }),
  };
}

function liveOptions({ columns }: OpsVerb): OptionSpecs {
  return {
    interval: { ...TIME, fallback: 3000, summary: 'time between two queries' },
    once: { summary: 'print one screen and exit' },
    batch: { summary: 'print screens instead of drawing on the terminal' },
    count: { ...NUMBER, summary: 'exit after this many queries' },
    by: {
      choices: ['member', ...LOAD_KINDS],
      fallback: 'member',
      ...textOption(
        'WHAT',
        'what a row is: member, or who loads them: path, session, address, user',
      ),
    },
    sort: {
      choices: [...columns.map(({ key }) => key), 'bytes_per_second'],
      ...textOption('COLUMN', 'column to sort by'),
    },
    filter: {
      fallback: '',
      ...textOption('TEXT', 'show the rows whose name (or state, of a member) contains this text'),
    },
  };
}

function limitOption(level: LimitLevel) {
  return {
    ...textOption('NAME=LIMIT', `change a ${level} limit: [role:]name=limit, or name=off`),
    isRepeatable: true,
    read: (text: string): LimitChange => parseLimit(level, text),
  } as const;
}
