/** Logs one JSON object a line on stderr, with audit entries unless they have a file. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Logger as Pino } from 'pino';
import {
  checkFields,
  checkFunction,
  checkOneOf,
  checkString,
  checkText,
} from '../../../protocol/check-argument.js';
import { safeJson } from '../../../protocol/sanitize.js';
import { hex64 } from '../../../protocol/zxid.js';
import { checkConfig } from '../../config/check-config.js';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import { LIMITS } from '../../limits/limits.js';
import { type AuditEntry, formatAuditEntry } from '../../state/audit.js';
import type { Report } from '../../state/reports.js';
import { journalPrefixOf } from './journal.js';
import { serverUser } from './server-user.js';
import type { StateReport } from './state-report.js';

export type HostReport =
  /** Of the data on the disk, about once a second until `recovered`. */
  | { readonly kind: 'loading'; readonly percent: number }
  | {
      readonly kind: 'recovered';
      readonly snapshotZxid: bigint | undefined;
      readonly lastZxid: bigint;
      readonly replayedTxns: number;
      readonly ms: number;
    }
  | {
      readonly kind: 'serving';
      readonly connectString: string;
      readonly dataDir: string | null;
      /** Client connections that the limit of open files allows; null if unknown. */
      readonly maxConnections: number | null;
    }
  | { readonly kind: 'snapshot-written'; readonly path: string; readonly ms: number }
  | {
      readonly kind: 'restored';
      readonly zxid: bigint;
      readonly nodes: number;
      readonly sessions: number;
      readonly ms: number;
    }
  | StateReport
  | { readonly kind: 'purged'; readonly files: readonly string[] }
  | { readonly kind: 'warning'; readonly message: string };

/** A report of a server about itself, by `kind`. */
export type ServerReport = Report | HostReport;

export type LogLevel = Config['logLevel'];

/**
 * The configured level, or that of the environment (ZKSERVER_LOG_LEVEL).
 * @example
 * const parsed = parseConfig('dataDir=data', { fileName: 'zoo.cfg' });
 * if ('errors' in parsed) throw new Error(parsed.errors.map(({ text }) => text).join());
 * const logger = await createLogger({
 *   level: logLevelOf(parsed.config, process.env.ZKSERVER_LOG_LEVEL),
 * });
 */
export function logLevelOf(config: Config, environment: string | undefined): LogLevel {
  checkConfig('config', config);
  if (environment !== undefined) checkText('environment', environment);
  const { logLevel } = config;
  const { default: usual, parse } = OPTIONS.logLevel;
  return logLevel === usual ? (parse(environment ?? '') ?? usual) : logLevel;
}

export interface LoggerOptions {
  /** The lowest level to write. */
  readonly level: LogLevel;
  /** The file of audit entries, one per line; without it they go to the log. */
  readonly auditFile?: string | null;
  /** Gets each line. Default: stderr. */
  readonly write?: (line: string) => void;
}

/** Writes the log of a server, and its audit log. */
export interface ServerLogger {
  /** Pass it the reports of `onReport`. */
  report(report: ServerReport): void;
  /** Closes the audit log. */
  close(): void;
}

/**
 * @example
 * const logger = await createLogger({ level: 'info', auditFile: 'audit.log' });
 * const onReport = logger.report.bind(logger);
 * const server = await startServer({ dataDir: 'data', onReport });
 * @throws Error of the file system when the audit file cannot be opened
 */
export async function createLogger(given: LoggerOptions): Promise<ServerLogger> {
  const options = checkLoggerOptions(given);
  const { bundledPino } = await import('./bundled-pino.js');
  const { destination, pino, stdTimeFunctions } = bundledPino;
  const { write } = options;
  const journalPrefix = journalPrefixOf(write === undefined ? process.env : {});
  const prefixOf = (line: string) => journalPrefix(/^\{"level":"([a-z]+)"/.exec(line)?.[1] ?? '');
  const settings = {
    level: options.level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // pino adds the only newline of a line.
    hooks: { streamWrite: (line: string) => `${prefixOf(line)}${safeJson(line.trimEnd())}\n` },
  };
  // Synchronous: the last line before the process ends must not be lost.
  const stderr = destination({ fd: 2, sync: true });
  // Without a reader, the server continues without a log.
  stderr.on('error', () => undefined);
  const log = pino(settings, write === undefined ? stderr : { write });
  const auditFile = options.auditFile ? openSync(options.auditFile, 'a', 0o640) : undefined;
  const user = serverUser().username;
  const isTooOften = makeThrottle();
  const reportAudit = (entry: AuditEntry): void => {
    if (auditFile === undefined) {
      logAudit(log, entry, user);
      return;
    }
    try {
      writeSync(auditFile, auditLine(entry, user));
    } catch (error) {
      log.error({ event: 'audit', error }, 'cannot write the audit file; the entry follows');
      logAudit(log, entry, user);
    }
  };
  return {
    report: (report) => {
      if (report.kind === 'audit') reportAudit(report.entry);
      else if (!isTooOften(report.kind)) logReport(log, report);
    },
    close: () => {
      if (auditFile !== undefined) closeSync(auditFile);
    },
  };
}

const MAX_A_SECOND = 20;
const OFTEN: ReadonlySet<string> = new Set(['refused', 'request-failed', 'slow-request']);

/** Limits floods of reports, so that a server in trouble does not spend its time on logs. */
function makeThrottle(): (kind: string) => boolean {
  let second = 0;
  let count = 0;
  return (kind) => {
    if (!OFTEN.has(kind)) return false;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, count] = [now, 0];
    count++;
    return count > MAX_A_SECOND;
  };
}

function logAudit(log: Pino, entry: AuditEntry, serverUser: string): void {
  const line = formatAuditEntry(entry, serverUser);
  log[levelOf(entry)]({ event: 'audit' }, line);
}

function auditLine(entry: AuditEntry, serverUser: string): string {
  const level = levelOf(entry).toUpperCase();
  return `${new Date().toISOString()} ${level} ${formatAuditEntry(entry, serverUser)}\n`;
}

function levelOf({ result }: AuditEntry): 'info' | 'error' {
  return result === 'failure' ? 'error' : 'info';
}

function logReport(log: Pino, report: Exclude<ServerReport, { kind: 'audit' }>): void {
  const event = report.kind;
  switch (report.kind) {
    case 'session-opened':
    case 'session-resumed':
    case 'session-closed':
    case 'session-expired':
      logSession(log, report);
      break;
    case 'refused': {
      const { remoteIp, reason } = report;
      log.warn({ event, remoteIp }, `refused a connection: ${reason}`);
      break;
    }
    case 'request-failed': {
      const { remoteIp, operation, problem } = report;
      const sentence = `a request of a client failed: ${problem}`;
      log.error({ event, remoteIp, operation }, sentence);
      break;
    }
    case 'slow-request': {
      const { operation, path, ms } = report;
      const session = sessionText(report.sessionId);
      log.warn({ event, session, operation, path, ms }, `a request took ${ms} ms`);
      break;
    }
    case 'quota-exceeded': {
      const { owner, what, used, limit, isHard, isRefused } = report;
      const name = `${isHard ? 'hard' : 'soft'}${what === 'count' ? 'Count' : 'Byte'}Limit`;
      const sentence = `Quota exceeded: ${owner} [current ${what}=${used}, ${name}=${limit}]`;
      log.warn({ event, path: owner, isRefused }, sentence);
      break;
    }
    case 'limit-exceeded': {
      const { limit, value, from, times } = report;
      const { unit, action, what, above } = LIMITS[limit];
      const sentence = `limit ${limit} exceeded by ${from}: over ${value} ${unit} (${what}); ${above}`;
      log[action === 'pause' ? 'info' : 'warn']({ event, limit, value, from, times }, sentence);
      break;
    }
    case 'loading':
    case 'recovered':
      logStart(log, report);
      break;
    case 'serving': {
      const { connectString, dataDir, maxConnections } = report;
      const most = maxConnections === null ? '' : `, at most ${maxConnections} client connections`;
      const sentence = `serving on ${connectString}, data in ${dataDir ?? 'memory'}${most}`;
      log.info({ event, connectString, dataDir, maxConnections }, sentence);
      break;
    }
    case 'snapshot-written': {
      const ms = Math.round(report.ms);
      log.info({ event, path: report.path, ms }, `wrote a snapshot in ${ms} ms`);
      break;
    }
    case 'restored': {
      const { nodes, sessions, ms } = report;
      const fields = { event, zxid: zxidText(report.zxid), nodes, sessions, ms };
      log.warn(
        fields,
        `an operator restored another tree in ${ms} ms: the previous data was replaced`,
      );
      break;
    }
    case 'state':
      logState(log, report);
      break;
    case 'purged':
      log.info({ event, files: report.files }, `purged ${report.files.length} old files`);
      break;
    case 'quorum':
      log.info({ event }, report.message);
      break;
    case 'warning':
      log.warn({ event }, report.message);
      break;
  }
}

type StartReport = Extract<ServerReport, { kind: 'loading' | 'recovered' }>;

function logStart(log: Pino, report: StartReport): void {
  const { kind: event } = report;
  if (report.kind === 'loading') {
    const { percent } = report;
    log.info({ event, percent }, `loading the data: ${percent} %`);
    return;
  }
  const { replayedTxns } = report;
  const ms = Math.round(report.ms);
  const [snapshotZxid, lastZxid] = [report.snapshotZxid, report.lastZxid].map(zxidText);
  log.info({ event, snapshotZxid, lastZxid, replayedTxns, ms }, `recovered in ${ms} ms`);
}

type SessionReport = Extract<ServerReport, { kind: `session-${string}` }>;

function logSession(log: Pino, { kind, sessionId, ...from }: SessionReport): void {
  const fields = { event: kind, session: sessionText(sessionId), ...from };
  log.debug(fields, kind.replace('-', ' '));
}

function logState(log: Pino, { kind, lastZxid, mode, ...figures }: StateReport): void {
  const state = { event: kind, mode, lastZxid: zxidText(lastZxid), ...figures };
  log.warn(state, `state of the server: ${mode ?? 'not serving'}`);
}

function sessionText(id: bigint): string {
  return `0x${hex64(id)}`;
}

function zxidText(zxid: bigint | undefined): string | undefined {
  return zxid === undefined ? undefined : `0x${hex64(zxid)}`;
}

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Returns a copy. @throws TypeError or RangeError that names the option */
function checkLoggerOptions(given: LoggerOptions): LoggerOptions {
  const options = checkFields('options', given, {
    level: (name, value) => checkOneOf(name, value as LogLevel, LEVELS),
    auditFile: (name, value) => value === null || checkText(name, value),
    write: checkFunction,
  });
  checkString('options.level', options.level);
  return options;
}
