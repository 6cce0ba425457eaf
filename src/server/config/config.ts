/**
 * Parses zoo.cfg and -D options into a Config (QuorumPeerConfig.parseProperties); reads no file.
 * Values that Apache refuses are errors. Values that it ignores (an unknown key, a bad system
 * property) are warnings, and the default applies.
 *
 * A key that Apache's parser does not know is the system property `zookeeper.<key>`. -D takes
 * precedence over the file. In Apache's server the file wins, so no flag can correct a file.
 */
import { nearestWord } from '../../protocol/nearest-word.js';
import {
  type AuthProblem,
  type AuthSchemes,
  authSchemesOf,
  quorumAuthProblems,
} from './config-auth.js';
import { effectProblems } from './config-effects.js';
import {
  type EnsembleLines,
  isEnsembleKey,
  parseEnsembleLine,
  problemOf,
  type QuorumServerConfig,
} from './config-ensemble.js';
import { OPTIONS, unreadKey } from './config-keys.js';
import type { Option, ValueOf } from './config-option.js';

export type OptionName = keyof typeof OPTIONS;
export type OptionValues = { readonly [K in OptionName]: ValueOf<(typeof OPTIONS)[K]> };

/** The options of a server, from zoo.cfg and -D options. */
export interface Config extends OptionValues {
  /** The lines server.N. */
  readonly servers: readonly QuorumServerConfig[];
  /** The lines group.N: sids by group. */
  readonly groups: ReadonlyMap<number, readonly number[]>;
  /** The lines weight.N, by sid; others have 1. */
  readonly weights: ReadonlyMap<number, number>;
  /** Whether zoo.cfg or -D sets snapCount or snapSizeLimitInKb. */
  readonly hasSnapshotLimit: boolean;
  /** Whether it is a member of an ensemble. */
  readonly isReplicated: boolean;
  /** How clients log in. */
  readonly auth: AuthSchemes;
  /** Properties that no option reads, such as `authProvider.N` and `superUser.N`, by full name. */
  readonly properties: ReadonlyMap<string, string>;
}

/** An error or a warning about a line of zoo.cfg. */
export interface ConfigProblem {
  /** From 1; absent if the problem belongs to no line. */
  readonly line?: number;
  /** In zoo.cfg: `tickTime`. */
  readonly key: string;
  /** Without file and key: `invalid: "x" (expected an integer)`. */
  readonly message: string;
  /** `zoo.cfg:12: tickTime: invalid: "x" (expected an integer)` */
  readonly text: string;
}

/** The options and the warnings about them, or the errors. */
export type ConfigResult =
  | { readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly errors: readonly ConfigProblem[] };

/**
 * For a server inside another program. Without dataDir it keeps all data in memory; without
 * clientPort the caller chooses the port.
 * @param options by zoo.cfg key or property name
 */
export function configFromOptions(options: Readonly<Record<string, string>> = {}): ConfigResult {
  const builder = new ConfigBuilder('config');
  for (const [key, value] of Object.entries(options)) builder.setOption(key.trim(), value.trim());
  return builder.finish();
}

const NAMES = Object.keys(OPTIONS) as OptionName[];
const BY_KEY = new Map<string, OptionName>(NAMES.map((name) => [OPTIONS[name].key, name]));
const BY_PROPERTY = new Map<string, OptionName>(
  NAMES.map((name) => [OPTIONS[name].property, name]),
);
/** Properties whose names end freely. */
const OPEN_KEY = /^(authProvider|superUser)\./;

/** The highest myid. Its low byte begins the session ids. A line server.N takes as many digits. */
export const MAX_SID = 999_999_999;
const MIN_RETAINED_SNAPSHOTS = 3;
const MIN_COMMIT_LOG_COUNT = 500;
const MIN_EXTRA_SIZE = 1024;

/** Collects options and problems; `finish` has the result. */
export class ConfigBuilder {
  private readonly fileName: string;
  private readonly values: Record<string, unknown> = {};
  private readonly lines: EnsembleLines = {
    servers: new Map(),
    groups: new Map(),
    weights: new Map(),
  };
  private readonly properties = new Map<string, string>();
  private readonly lineOf = new Map<string, number>();
  /** How each option was last set: by its key or "-D name". */
  private readonly saidAs = new Map<OptionName, string>();
  private readonly errors: ConfigProblem[] = [];
  private readonly warnings: ConfigProblem[] = [];

  constructor(fileName: string) {
    this.fileName = fileName;
    for (const name of NAMES) this.values[name] = OPTIONS[name].default;
  }

  error(key: string, message: string, line = this.lineOf.get(key)): void {
    this.errors.push(this.problem(key, message, line));
  }

  private warn(key: string, message: string, line = this.lineOf.get(key)): void {
    this.warnings.push(this.problem(key, message, line));
  }

  private problem(key: string, message: string, line: number | undefined): ConfigProblem {
    const isFlag = key.startsWith('-D ');
    const place = line === undefined ? this.fileName : `${this.fileName}:${line}`;
    const text = isFlag ? `${key}: ${message}` : `${place}: ${key}: ${message}`;
    return { ...(line === undefined ? {} : { line }), key, message, text };
  }

  setFromFile(key: string, value: string, line: number): void {
    const before = this.lineOf.get(key);
    if (before !== undefined) this.warn(key, `duplicate of line ${before}; this line counts`, line);
    this.lineOf.set(key, line);
    const name = BY_KEY.get(key) ?? BY_PROPERTY.get(`zookeeper.${key}`);
    if (name === undefined) {
      this.setOther(key, value);
    } else if (
      OPTIONS[name].origin === 'property' &&
      BY_PROPERTY.get(`zookeeper.${key}`) !== name
    ) {
      this.warn(key, `ignored in a file, as in Apache's server: use -D ${OPTIONS[name].property}`);
    } else {
      this.set(name, key, value);
    }
  }

  /** For an embedding program. @param key a zoo.cfg key or a property name */
  setOption(key: string, value: string): void {
    const name = BY_KEY.get(key) ?? BY_PROPERTY.get(key);
    if (name === undefined) this.setOther(key, value);
    else this.set(name, key, value);
  }

  setProperty(property: string, value: string): void {
    const name =
      BY_PROPERTY.get(property) ??
      BY_KEY.get(property.startsWith('zookeeper.') ? property.slice(10) : property);
    if (name === undefined) {
      this.properties.set(property, value);
      const key = property.startsWith('zookeeper.') ? property.slice(10) : property;
      const isKnown = key !== property && OPEN_KEY.test(key);
      if (!isKnown && !this.isUnread(`-D ${property}`, key)) {
        this.warn(`-D ${property}`, 'no option reads this property');
      }
    } else {
      this.set(name, `-D ${property}`, value);
    }
  }

  private set(name: OptionName, key: string, value: string): void {
    const option: Option<unknown> = OPTIONS[name];
    const parsed = option.parse(value);
    if (parsed !== undefined) {
      this.values[name] = parsed;
      this.saidAs.set(name, key);
      return;
    }
    const message = `invalid: "${value}" (expected ${option.expects})`;
    if (option.origin === 'file') this.error(key, message);
    else this.warn(key, `${message}; using the default ${option.defaultText}`);
  }

  private setOther(key: string, value: string): void {
    if (isEnsembleKey(key)) {
      const problem = parseEnsembleLine(this.lines, key, value);
      if (problem !== undefined) this.error(key, problem);
      return;
    }
    this.properties.set(key.startsWith('zookeeper.') ? key : `zookeeper.${key}`, value);
    if (OPEN_KEY.test(key) || this.isUnread(key, key.replace(/^zookeeper\./, ''))) return;
    const similar = nearestWord(key, BY_KEY.keys(), 2);
    const hint = similar === undefined ? '' : `; did you mean ${similar}?`;
    this.warn(key, `unknown key, taken as the unused property zookeeper.${key}${hint}`);
  }

  /** Reports a key of Apache's server that has no effect here. */
  private isUnread(subject: string, key: string): boolean {
    const unread = unreadKey(key);
    if (unread?.isRefused === true) this.error(subject, `not supported: ${unread.why}`);
    else if (unread !== undefined) this.warn(subject, `has no effect: ${unread.why}`);
    return unread !== undefined;
  }

  /** Options that a standalone program needs and an embedded server does not. */
  requirePlaces(): void {
    if (this.values['dataDir'] === null) this.error('dataDir', 'not set (expected a folder)');
    if (this.values['clientPort'] !== null || this.values['secureClientPort'] !== null) return;
    if ([...this.lines.servers.values()].some(({ client, secureClient }) => client ?? secureClient))
      return;
    if (this.values['dynamicConfigFile'] !== null) return;
    if (this.errors.some(({ key }) => /clientPort$/i.test(key))) return;
    this.error('clientPort', 'not set (expected clientPort or secureClientPort)');
  }

  finish(): ConfigResult {
    const values = this.values as { -readonly [K in OptionName]: OptionValues[K] };
    this.report(effectProblems(values, this.saidAs));
    this.derive(values);
    this.check(values);
    const auth = this.checkAuth(values);
    const isReplicated = this.checkEnsemble(values);
    if (this.errors.length > 0) {
      // Problems without a line come last: they are about missing options.
      const byLine = (problem: ConfigProblem) => problem.line ?? Number.MAX_SAFE_INTEGER;
      return { errors: [...this.errors].sort((a, b) => byLine(a) - byLine(b)) };
    }
    const { groups, weights } = this.lines;
    const servers = [...this.lines.servers.values()];
    const { properties, warnings } = this;
    const hasSnapshotLimit = this.saidAs.has('snapCount') || this.saidAs.has('snapSizeLimitKb');
    const lines = { servers, groups, weights, isReplicated, hasSnapshotLimit };
    return { config: { ...values, ...lines, auth, properties }, warnings };
  }

  private derive(values: { -readonly [K in OptionName]: OptionValues[K] }): void {
    values.dataLogDir ??= values.dataDir;
    if (!this.saidAs.has('sslQuorumHostnameVerification')) {
      values.sslQuorumHostnameVerification = !values.fipsMode;
    }
    if (values.minSessionTimeoutMs === -1) values.minSessionTimeoutMs = values.tickTimeMs * 2;
    if (values.maxSessionTimeoutMs === -1) values.maxSessionTimeoutMs = values.tickTimeMs * 20;
    values.connectToLearnerMasterLimit ||= values.initLimit;
    values.maxWriteQueuePollTimeMs ||= Math.floor(values.flushDelayMs / 3);
    if (values.juteMaxBufferExtraSize < 0) values.juteMaxBufferExtraSize = values.juteMaxBuffer;
    values.juteMaxBufferExtraSize = Math.max(values.juteMaxBufferExtraSize, MIN_EXTRA_SIZE);
    values.autopurgeSnapRetainCount = this.atLeast(
      values.autopurgeSnapRetainCount,
      MIN_RETAINED_SNAPSHOTS,
      'autopurge.snapRetainCount',
    );
    values.commitLogCount = this.atLeast(
      values.commitLogCount,
      MIN_COMMIT_LOG_COUNT,
      'commitLogCount',
    );
  }

  private atLeast(value: number, min: number, key: string): number {
    if (value >= min) return value;
    this.warn(key, `${value} is too small; using ${min}`);
    return min;
  }

  private check(values: OptionValues): void {
    const { minSessionTimeoutMs: min, maxSessionTimeoutMs: max } = values;
    if (min > max)
      this.error('minSessionTimeout', `${min} ms is more than maxSessionTimeout (${max} ms)`);
    if (values.electionAlg !== 3) {
      this.error('electionAlg', `invalid: ${values.electionAlg} (expected 3)`);
    }
    for (const [address, port, key] of [
      [values.clientPortAddress, values.clientPort, 'clientPort'],
      [values.secureClientPortAddress, values.secureClientPort, 'secureClientPort'],
    ] as const) {
      if (address !== null && port === null && this.lineOf.has(`${key}Address`)) {
        this.error(`${key}Address`, `set without ${key}`);
      }
    }
  }

  private checkAuth(values: OptionValues): AuthSchemes {
    const auth = authSchemesOf(values, this.properties);
    this.report(auth.problems);
    return auth;
  }

  private report(problems: readonly AuthProblem[]): void {
    for (const { key, message, isError } of problems) {
      if (isError) this.error(key, message);
      else this.warn(key, message);
    }
  }

  /** Returns whether the server needs a quorum. */
  private checkEnsemble(values: OptionValues): boolean {
    const servers = [...this.lines.servers.values()];
    const voters = servers.filter(({ role }) => role === 'participant').length;
    if (servers.length > 0 && values.dynamicConfigFile !== null) {
      const [first] = servers;
      this.error(`server.${first?.sid}`, 'must be in the dynamicConfigFile, not in this file');
    }
    const problem = problemOf(servers, values);
    if (problem !== '') this.error('server', problem);
    if (servers.length === 1 && values.standaloneEnabled) {
      this.warn(
        `server.${servers[0]?.sid}`,
        'a single server runs standalone; only its client address counts',
      );
      return false;
    }
    const isReplicated = servers.length > 0 || values.dynamicConfigFile !== null;
    if (!isReplicated) return false;
    for (const { key, message } of quorumAuthProblems(values)) this.error(key, message);
    if (voters === 2 && values.oraclePath === null)
      this.warn('server', 'two participants tolerate no failure');
    else if (voters > 2 && voters % 2 === 0) {
      this.warn('server', `${voters} participants tolerate no more failures than ${voters - 1}`);
    }
    for (const key of ['initLimit', 'syncLimit'] as const) {
      if (values[key] === 0 && !this.errors.some((problem) => problem.key === key)) {
        this.error(key, 'not set (expected a number of ticks)');
      }
    }
    return true;
  }
}
