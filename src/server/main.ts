/** The composition root: a server of configuration, state, driver, disk and sockets. */
import { parseWhitelist } from '../fourlw/whitelist.js';
import { type Config, configFromOptions } from './config.js';
import { OPTIONS } from './config-keys.js';
import type { ConfigFacts } from './host-view.js';
import { ConnectionThrottle } from './limits/connection-throttle.js';
import { connectionThrottleOf, limitOptionsOf } from './limits/limit-options.js';
import { ClientPorts } from './node/client-ports.js';
import { Driver, type DriverOptions, type Storage } from './node/driver.js';
import { ExitCode, ServerError } from './node/errors.js';
import { makeHostView } from './node/host.js';
import type { ServerReport } from './node/logger.js';
import { makeAuth } from './node/make-auth.js';
import { openStorage } from './node/open-storage.js';
import { type Operators, startOperators } from './node/operators.js';
import type { Database } from './persistence/replay.js';
import { ContainerManager } from './pipeline/container-manager.js';
import { Prep } from './pipeline/prep.js';
import { Primary } from './pipeline/primary.js';
import { Server } from './server.js';
import { type ServerSettings, ServerState } from './server-state.js';
import { SessionTracker } from './session/session-tracker.js';
import { SERVER_VERSION } from './version.js';
import { LiveView } from './view.js';

export { ExitCode, ServerError } from './node/errors.js';
export { createLogger, logLevelOf, type ServerLogger } from './node/logger.js';

export interface StartServerOptions {
  /**
   * Default: clientPort of `config`, else 0, a free port, unless there is a secureClientPort. Null
   * has no port without TLS.
   */
  readonly port?: number | null;
  /** For TLS; 0 takes a free port. Default: secureClientPort of `config`, else none. */
  readonly securePort?: number | null;
  /** Default: clientPortAddress of `config`, else 127.0.0.1. */
  readonly host?: string;
  /** Where log and snapshots are kept; in memory without it. */
  readonly dataDir?: string;
  /** Lines of a zoo.cfg (`tickTime`, `4lw.commands.whitelist` …) by name. */
  readonly config?: Readonly<Record<string, string>>;
  /** A whole zoo.cfg that was read already; `config` is not looked at then. */
  readonly parsed?: Config;
  /** Told what an operator should know and the server survives, a sentence each. */
  readonly onWarning?: (message: string) => void;
  /** Told everything worth a log, those sentences among it: see createLogger. */
  readonly onReport?: (report: ServerReport) => void;
  /** Told why a running server had to stop; its connections are closed by then. */
  readonly onFatal?: (error: ServerError) => void;
}

export interface RunningServer {
  readonly host: string;
  /** -1 when there is no port without TLS. */
  readonly port: number;
  /** -1 when there is no port for TLS alone. */
  readonly securePort: number;
  /** "127.0.0.1:2181", or "zks://127.0.0.1:2281" when there is no port without TLS. */
  readonly connectString: string;
  /** Of the AdminServer; undefined where none listens. */
  readonly adminPort: number | undefined;
  /** Of the one that Prometheus asks; undefined where none listens. */
  readonly metricsPort: number | undefined;
  /** Closes connections, log and sockets in order; sessions live on in the data directory. */
  close(): Promise<void>;
}

/**
 * Starts a standalone server in this process and resolves when it serves.
 * @throws ServerError with a `code` (ECONFIG, EDATADIR, EDATADIRINUSE, EDATA, EBIND), a sentence and
 * the exit code of zkserver
 */
export async function startServer(options: StartServerOptions = {}): Promise<RunningServer> {
  const config = configOf(options);
  refuseUnsupported(config);
  const onReport = options.onReport ?? (() => undefined);
  const onWarning = (message: string): void => {
    options.onWarning?.(message);
    onReport({ kind: 'warning', message });
  };
  const dataDir = options.dataDir ?? config.dataDir;
  const opened = await openStorage(config, dataDir, onWarning, onReport);
  const { storage, lock, database, replayed } = opened;
  const host = options.host ?? config.clientPortAddress ?? DEFAULT_HOST;
  const running: { ports: ClientPorts | null; closing: Promise<void> | null } = {
    ports: null,
    closing: null,
  };
  const server = makeServer(config, database, replayed, storage, () =>
    factsOf(config, storage, running.ports),
  );
  const close = (): Promise<void> => {
    running.closing ??= shutDown();
    return running.closing;
  };
  const onFatal = (cause: unknown): void => {
    const error = asServerError(cause);
    close().then(
      () => options.onFatal?.(error),
      () => options.onFatal?.(error),
    );
    if (options.onFatal === undefined) onWarning(error.message);
  };
  opened.listener.onLogError = onFatal;
  const driver = makeDriver(config, { server, storage, onWarning, onReport, onFatal });
  opened.listener.onMeasured = (what, value) => driver.measured(what, value);
  for (const [what, value] of opened.startup) driver.measured(what, value);
  let operators: Operators | undefined;
  async function shutDown(): Promise<void> {
    if (config.auditEnable) onReport(SERVER_STOP);
    await inTurn([
      async () => operators?.close(),
      () => driver.stop(),
      async () => running.ports?.shutDown(),
      async () => lock?.release(),
    ]);
  }
  try {
    const { port: asked, securePort: askedSecure } = options;
    const listening = { port: asked, securePort: askedSecure, step: driver.step };
    const ports = new ClientPorts({ config, host, onWarning, ...listening });
    running.ports = ports;
    driver.port = ports.plain;
    await ports.listen();
    driver.start();
    operators = await startOperators({
      config,
      server,
      driver,
      storage,
      isAdminServerAsked: isAdminServerAsked(options, config),
      onWarning,
    });
    const { port, securePort, connectString } = ports;
    onReport({ kind: 'serving', connectString, dataDir });
    if (config.auditEnable) onReport(SERVER_START);
    const { adminPort, metricsPort } = operators;
    return { host, port, securePort, connectString, adminPort, metricsPort, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Each in its turn, whatever becomes of the one before: a port or a lock left behind would keep the
 * next server out. Rejects with the first error.
 */
async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const [first, ...rest] = steps;
  if (first === undefined) return;
  try {
    await first();
  } finally {
    await inTurn(rest);
  }
}

const SERVER_START: ServerReport = {
  kind: 'audit',
  entry: { operation: 'serverStart', result: 'success' },
};
const SERVER_STOP: ServerReport = {
  kind: 'audit',
  entry: { operation: 'serverStop', result: 'invoked' },
};

const DEFAULT_HOST = '127.0.0.1';
const HOUR_MS = 3_600_000;

function makeDriver(config: Config, parts: Omit<DriverOptions, 'tickTimeMs' | 'purge'>): Driver {
  const purge = {
    everyMs: config.autopurgePurgeIntervalHours * HOUR_MS,
    retain: config.autopurgeSnapRetainCount,
  };
  return new Driver({ ...parts, tickTimeMs: config.tickTimeMs, purge });
}

function configOf(options: StartServerOptions): Config {
  if (options.parsed !== undefined) return options.parsed;
  const { dataDir } = options;
  const result = configFromOptions({
    ...options.config,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  if ('config' in result) return result.config;
  const [first] = result.errors;
  throw new ServerError('ECONFIG', ExitCode.USAGE, first?.text ?? 'the configuration is not valid');
}

/** Inside another program it takes a word to open a port that nobody may expect. */
function isAdminServerAsked(options: StartServerOptions, config: Config): boolean {
  if (options.parsed !== undefined) return config.adminEnableServer;
  const { config: own = {} } = options;
  const key = OPTIONS.adminEnableServer.key;
  return (key in own || `zookeeper.${key}` in own) && config.adminEnableServer;
}

function refuseUnsupported(config: Config): void {
  const refuse = (what: string): never => {
    throw new ServerError('ECONFIG', ExitCode.USAGE, `${what} not supported by this release`);
  };
  if (config.isReplicated) refuse('server.N lines (an ensemble) are');
  if (config.snapshotCompressionMethod === 'snappy') {
    refuse('snapshot.compression.method=snappy is');
  }
}

function makeServer(
  config: Config,
  database: Database,
  replayed: number,
  storage: Storage | null,
  facts: () => ConfigFacts,
): Server {
  const settings: ServerSettings = {
    serverId: 0,
    tickTimeMs: config.tickTimeMs,
    minSessionTimeoutMs: config.minSessionTimeoutMs,
    maxSessionTimeoutMs: config.maxSessionTimeoutMs,
    maxFrameLength: config.juteMaxBuffer,
    globalOutstandingLimit: config.globalOutstandingLimit,
    snapCount: config.snapCount,
    snapSize: Number(config.snapSizeLimitKb) * 1024,
    isTTLEnabled: config.extendedTypesEnabled,
    sessionlessTimeoutMs: config.sessionlessCnxnTimeoutMs,
    limits: limitOptionsOf(config),
    reports: { slowRequestMs: config.slowRequestThresholdMs, isAudited: config.auditEnable },
  };
  const nowMs = Math.floor(performance.now());
  const sessions = new SessionTracker(settings.tickTimeMs, nowMs);
  for (const { id, timeoutMs } of database.sessions.values()) sessions.add(id, timeoutMs, nowMs);
  const auth = makeAuth(config);
  const { tree } = database;
  const prep = new Prep(tree, auth, {
    isTTLEnabled: settings.isTTLEnabled,
    isDigestEnabled: config.digestEnabled,
    isQuotaEnforced: config.enforceQuota,
    isReconfigEnabled: config.reconfigEnabled,
    maxTxnLength: config.juteMaxBuffer + config.juteMaxBufferExtraSize,
  });
  const throttled = connectionThrottleOf(config);
  const connectionThrottle = new ConnectionThrottle(throttled, nowMs, Math.random);
  const { dir } = storage ?? {};
  const host = makeHostView(
    dir === undefined ? null : { snap: dir.snapFolder, log: dir.logFolder },
  );
  return new Server({
    state: new ServerState({ settings, tree, sessions, auth, prep, connectionThrottle }),
    whitelist: parseWhitelist(config.fourLetterWordWhitelist, config.readonlymodeEnabled),
    maxClientCnxns: config.maxClientCnxns,
    maxCnxns: config.maxCnxns,
    makePath: (state, host) =>
      new Primary(state, host, {
        seed: Date.now(),
        replayed,
        listener: null,
        containers: new ContainerManager(
          tree,
          {
            checkIntervalMs: config.containerCheckIntervalMs,
            maxPerMinute: config.containerMaxPerMinute,
            maxNeverUsedMs: Number(config.containerMaxNeverUsedIntervalMs),
          },
          nowMs,
        ),
      }),
    makeView: (server) => new LiveView(server, host, facts, SERVER_VERSION),
  });
}

function factsOf(config: Config, storage: Storage | null, ports: ClientPorts | null): ConfigFacts {
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
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `the server stops, since something happened that must not: ${why}`;
  return new ServerError('EUNEXPECTED', ExitCode.UNEXPECTED, message, cause);
}
