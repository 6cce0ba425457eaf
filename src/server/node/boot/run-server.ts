import { getActiveResourcesInfo, memoryUsage } from 'node:process';
import type { ServerView } from '../../../fourlw/base/server-view.js';
import type { ConfigFacts } from '../../admin/host-view.js';
import type { Config } from '../../config/config.js';
import { ForeignTreeError } from '../../pipeline/foreign-tree-error.js';
import { SlowRequests } from '../admin/slow-requests.js';
import { type Core, Driver } from '../driver/driver.js';
import type { PeerPorts } from '../driver/perform.js';
import type { ServerReport } from '../log/logger.js';
import type { StateReport } from '../log/state-report.js';
import { type ClientPlaces, ClientPorts } from '../ports/client-ports.js';
import { fileBudget } from '../sockets/file-budget.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import type { OpenedStorage } from '../storage/open-storage.js';
import { type Operators, startOperators } from './operators.js';
import { makeControl, type ServerControl } from './server-control.js';

/** Runs a core with its driver, ports, and operators, and closes all of them in order. */

export interface RunServerOptions {
  readonly config: Config;
  readonly opened: OpenedStorage;
  readonly places: ClientPlaces;
  readonly isAdminServerAsked: boolean;
  readonly makeCore: (facts: () => ConfigFacts) => Core | Promise<Core>;
  /** Null for a standalone server. */
  readonly makePeerPorts: ((driver: Driver, clients: ClientPorts) => PeerPorts) | null;
  readonly onWarning: (message: string) => void;
  readonly onReport: (report: ServerReport) => void;
  readonly onFatal: (error: ServerError) => void;
}

export interface RunningServer {
  readonly core: Core;
  /** A reconfig may move them. */
  readonly ports: Pick<ClientPorts, 'host' | 'port' | 'securePort' | 'connectString'>;
  readonly adminPort: number | undefined;
  readonly metricsPort: number | undefined;
  readonly secureMetricsPort: number | undefined;
  readonly control: ServerControl;
  reportState(): void;
  close(): Promise<void>;
}

const SERVER_START: ServerReport = {
  kind: 'audit',
  entry: { operation: 'serverStart', result: 'success' },
};
const SERVER_STOP: ServerReport = {
  kind: 'audit',
  entry: { operation: 'serverStop', result: 'invoked' },
};
const HOUR_MS = 3_600_000;

/** Resolves when all ports listen. If one fails, closes the others again. */
export function runServer(options: RunServerOptions): Promise<RunningServer> {
  const slowRequests = new SlowRequests();
  const onReport = (report: ServerReport): void => {
    slowRequests.add(report, Date.now());
    options.onReport(report);
  };
  return run({ ...options, onReport }, slowRequests);
}

async function run(options: RunServerOptions, slowRequests: SlowRequests): Promise<RunningServer> {
  const { config, opened, places, onWarning, onReport } = options;
  const { storage, lock } = opened;
  const parts: {
    driver?: Driver;
    ports?: ClientPorts;
    peers?: PeerPorts;
    operators?: Operators;
    closing?: Promise<void>;
  } = {};
  const shutDown = async (): Promise<void> => {
    if (config.auditEnable) onReport(SERVER_STOP);
    await inTurn([
      async () => parts.operators?.close(),
      async () => parts.driver?.stop(),
      async () => parts.peers?.close(),
      async () => parts.ports?.shutDown(),
      async () => lock?.release(),
    ]);
  };
  const close = (): Promise<void> => {
    parts.closing ??= shutDown();
    return parts.closing;
  };
  const onFatal = (cause: unknown): void => {
    const error = asServerError(cause);
    close().then(
      () => options.onFatal(error),
      () => options.onFatal(error),
    );
  };
  opened.listener.onLogError = onFatal;
  try {
    const core = await options.makeCore(() => factsOf(options, parts.ports));
    const driver = new Driver({
      core,
      storage,
      tickTimeMs: config.tickTimeMs,
      purge: {
        everyMs: config.autopurgePurgeIntervalHours * HOUR_MS,
        retain: config.autopurgeSnapRetainCount,
      },
      onWarning,
      onReport,
      onFatal,
    });
    parts.driver = driver;
    const ports = new ClientPorts({ config, places, step: driver.step, onWarning });
    parts.ports = ports;
    driver.port = ports.plain;
    if (options.makePeerPorts !== null) {
      parts.peers = options.makePeerPorts(driver, ports);
      driver.peers = parts.peers;
      await parts.peers.listen();
    }
    opened.listener.onMeasured = (what, value) => driver.measured(what, value);
    for (const [what, value] of opened.startup) driver.measured(what, value);
    await ports.listen();
    driver.start();
    const operators = await startOperators({
      config,
      core,
      driver,
      storage,
      isAdminServerAsked: options.isAdminServerAsked,
      onWarning,
      onReport,
      slowRequests,
    });
    parts.operators = operators;
    onReport(servingReportOf(options, ports));
    if (config.auditEnable) onReport(SERVER_START);
    const { adminPort, metricsPort, secureMetricsPort } = operators;
    const control = makeControl(core, driver, ports.plain);
    const reportState = (): void => onReport(stateReportOf(core.server.view));
    const numbers = { adminPort, metricsPort, secureMetricsPort };
    return { core, ports, ...numbers, control, reportState, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs all steps, even after a failure: an open port or lock would block the next server. */
async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const [first, ...rest] = steps;
  if (first === undefined) return;
  try {
    await first();
  } finally {
    await inTurn(rest);
  }
}

function servingReportOf(
  { opened: { storage } }: RunServerOptions,
  { connectString }: ClientPorts,
): ServerReport {
  const dataDir = storage?.dir.options.dataDir ?? null;
  const maxConnections = Number.isFinite(fileBudget.clients) ? fileBudget.clients : null;
  return { kind: 'serving', connectString, dataDir, maxConnections };
}

function factsOf(
  { config, opened }: RunServerOptions,
  ports: ClientPorts | undefined,
): ConfigFacts {
  const { storage } = opened;
  return {
    clientPort: ports?.port ?? -1,
    secureClientPort: ports?.securePort ?? -1,
    outstandingTlsHandshakes: ports?.outstandingHandshakes ?? 0,
    dataDir: storage?.dir.snapFolder ?? '',
    dataLogDir: storage?.dir.logFolder ?? '',
    maxClientCnxns: config.maxClientCnxns,
    clientPortListenBacklog: config.clientPortListenBacklog,
  };
}

function asServerError(cause: unknown): ServerError {
  if (cause instanceof ServerError) return cause;
  if (cause instanceof ForeignTreeError) {
    return new ServerError(cause.code, ExitCode.DATA, cause.message, cause);
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `internal error: ${why}. The server stops: report this error with the log`;
  return new ServerError('EUNEXPECTED', ExitCode.UNEXPECTED, message, cause);
}

function stateReportOf(view: ServerView): StateReport {
  const waitsFor: Record<string, number> = {};
  for (const name of getActiveResourcesInfo()) waitsFor[name] = (waitsFor[name] ?? 0) + 1;
  return {
    kind: 'state',
    mode: view.isServing ? view.mode : null,
    uptimeMs: view.uptimeMs,
    lastZxid: view.lastProcessedZxid,
    connections: view.connectionCount,
    sessions: view.globalSessionCount + view.localSessionCount,
    outstanding: view.outstandingRequests,
    znodes: view.nodeCount,
    watches: view.watchCount,
    ephemerals: view.ephemeralCount,
    openFiles: view.openFileCount,
    memory: { ...memoryUsage() },
    waitsFor,
  };
}
