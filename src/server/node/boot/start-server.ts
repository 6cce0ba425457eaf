import { SERVER_VERSION } from '../../../base/version.js';
import type { ServerMode } from '../../../fourlw/base/server-view.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import type { ConfigFacts } from '../../admin/host-view.js';
import { LiveView } from '../../admin/view.js';
import { type Config, configFromOptions } from '../../config/config.js';
import type { QuorumServerConfig } from '../../config/config-ensemble.js';
import { OPTIONS } from '../../config/config-keys.js';
import { Primary } from '../../pipeline/primary.js';
import { NOTHING_LOGGED } from '../../pipeline/snapshot-trigger.js';
import { Standalone } from '../../standalone.js';
import type { ServerReport } from '../log/logger.js';
import type { ClientPlaces } from '../ports/client-ports.js';
import { LoadingPort } from '../ports/loading-port.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { type OpenedStorage, openStorage } from '../storage/open-storage.js';
import { checkStartOptions } from './check-options.js';
import { hostViewOf } from './host.js';
import { makeAuth } from './make-auth.js';
import { makeMember, makePeerPorts } from './make-member.js';
import { makeContainers, makeServer, makeSnapshots, whitelistOf } from './make-server.js';
import { readLoneParticipant, readMembership } from './read-membership.js';
import { runServer } from './run-server.js';
import type { ServerControl } from './server-control.js';
import { makeSessionPasswords } from './session-passwords.js';

/** Assembles a server from configuration, core, driver, disk, and sockets. */

export interface StartServerOptions {
  /** Null opens none. Default: clientPort, or 0 (a free port) without a secureClientPort. */
  readonly port?: number | null;
  /** The TLS port; 0 uses a free port. Default: secureClientPort of `config`, or none. */
  readonly securePort?: number | null;
  /** Default: clientPortAddress of `config`, or 127.0.0.1. */
  readonly host?: string;
  /** The folder of log and snapshots; without it, data stays in memory. */
  readonly dataDir?: string;
  /** Lines of a zoo.cfg (`tickTime`, `4lw.commands.whitelist` …), by name. */
  readonly config?: Readonly<Record<string, string>>;
  /** A parsed zoo.cfg; replaces `config`. */
  readonly parsed?: Config;
  /** The file of `parsed`, which stores a reconfiguration of the ensemble. */
  readonly configFile?: string;
  /** Called with warnings for the operator, one sentence each. */
  readonly onWarning?: (message: string) => void;
  /** Called with everything worth a log entry, including the warnings: see createLogger. */
  readonly onReport?: (report: ServerReport) => void;
  /** Called with the reason when a running server had to stop, after it closed its connections. */
  readonly onFatal?: (error: ServerError) => void;
}

/** The server of startServer. */
export interface RunningServer {
  /** A reconfig of the ensemble may move the plain port. */
  readonly host: string;
  /** -1 without a plain port. */
  readonly port: number;
  /** -1 without a TLS port. */
  readonly securePort: number;
  /** "127.0.0.1:2181", or "zks://127.0.0.1:2281" without a plain port. */
  readonly connectString: string;
  /** The port of the AdminServer; undefined without one. */
  readonly adminPort: number | undefined;
  /** The port without TLS of the metrics for Prometheus; undefined without them. */
  readonly metricsPort: number | undefined;
  /** The same over TLS; undefined without metricsProvider.httpsPort. */
  readonly secureMetricsPort: number | undefined;
  /** Undefined for a member of an ensemble without a leader. */
  readonly mode: ServerMode | undefined;
  /** Faults, for tests of applications. */
  readonly control: ServerControl;
  /** Reports its state to `onReport`, as zkserver does on SIGQUIT. */
  reportState(): void;
  /** Closes connections, log, and sockets in order; sessions stay in the data directory. */
  close(): Promise<void>;
  /** close(), for `await using server = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a server in this process. With server.N lines it is a member of an ensemble, which needs a
 * data directory. Resolves when it accepts connections; it serves once there is a quorum.
 * @example
 * await using server = await startServer({ dataDir: 'data', port: 2181 });
 * console.log(server.connectString);
 * @throws ServerError with a `code` (ECONFIG, EDATADIR, EDATADIRINUSE, EDATA, EBIND), a sentence,
 * and the exit status of zkserver
 */
export async function startServer(given: StartServerOptions = {}): Promise<RunningServer> {
  const options = checkStartOptions(given);
  const config = configOf(options);
  const onReport = options.onReport ?? (() => undefined);
  const onWarning = (message: string): void => {
    options.onWarning?.(message);
    onReport({ kind: 'warning', message });
  };
  const dataDir = options.dataDir ?? config.dataDir;
  const configFile = options.configFile ?? 'config';
  const membership = await readMembership(config, dataDir, configFile);
  const own = membership?.own ?? (await readLoneParticipant(config, configFile));
  if (config.peerType === 'observer' && membership?.own.role === 'participant') {
    const line = `server.${membership.sid}`;
    onWarning(`peerType: ignored: observer (expected participant, as in the line ${line})`);
  }
  const places = placesOf(own, options, config);
  const opened = await openWithProgress(config, dataDir, places, onWarning, onReport);
  const run = await runServer({
    config,
    opened,
    places,
    isAdminServerAsked: isAdminServerAsked(options, config),
    makeCore: (facts) =>
      membership === null
        ? makeStandalone(config, opened, facts)
        : makeMember(config, membership, opened, facts),
    makePeerPorts:
      membership === null
        ? null
        : ({ step }, clients) =>
            makePeerPorts(config, membership, {
              configFile: options.configFile,
              clients,
              step,
              onWarning,
            }),
    onWarning,
    onReport,
    onFatal: (error) => {
      if (options.onFatal === undefined) onWarning(error.message);
      else options.onFatal(error);
    },
  });
  const { ports, adminPort, metricsPort, secureMetricsPort, control, reportState, close } = run;
  return {
    get host() {
      return ports.host;
    },
    get port() {
      return ports.port;
    },
    get securePort() {
      return ports.securePort;
    },
    get connectString() {
      return ports.connectString;
    },
    adminPort,
    metricsPort,
    secureMetricsPort,
    control,
    get mode() {
      const { view } = run.core.server;
      // A leader that refuses clients (leaderServes=no) is still a leader.
      return view.isServing || view.mode === 'leader' ? view.mode : undefined;
    },
    reportState,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** While it reads, the port for clients tells how much it has read. */
async function openWithProgress(
  config: Config,
  dataDir: string | null,
  { client }: ClientPlaces,
  onWarning: (message: string) => void,
  onReport: (report: ServerReport) => void,
): Promise<OpenedStorage> {
  const port = new LoadingPort(client, whitelistOf(config));
  try {
    return await openStorage(config, dataDir, onWarning, (report) => {
      if (report.kind === 'loading') port.show(report.percent);
      onReport(report);
    });
  } finally {
    await port.close();
  }
}

const DEFAULT_HOST = '127.0.0.1';

/** @param own the line server.N of this server; it has precedence */
function placesOf(
  own: QuorumServerConfig | null,
  options: StartServerOptions,
  config: Config,
): ClientPlaces {
  const host = options.host ?? config.clientPortAddress ?? DEFAULT_HOST;
  const { securePort = config.secureClientPort } = options;
  const secureAt = own?.secureClient?.port ?? securePort;
  const { port = config.clientPort ?? (secureAt === null ? 0 : null) } = options;
  const plainAt = own?.client?.port ?? port;
  const address = own?.client?.address ?? host;
  const secureAddress = own?.secureClient?.address ?? config.secureClientPortAddress ?? address;
  return {
    client: plainAt === null ? null : { address, port: plainAt },
    secureClient: secureAt === null ? null : { address: secureAddress, port: secureAt },
  };
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

/** Inside another program, an unexpected port must be requested explicitly. */
function isAdminServerAsked(options: StartServerOptions, config: Config): boolean {
  if (options.parsed !== undefined) return config.adminEnableServer;
  const { config: own = {} } = options;
  const key = OPTIONS.adminEnableServer.key;
  return (key in own || `zookeeper.${key}` in own) && config.adminEnableServer;
}

export function makeStandalone(
  config: Config,
  { storage, database, replayed }: OpenedStorage,
  facts: () => ConfigFacts,
): Standalone {
  const host = hostViewOf(storage, config.adminRateLimiterIntervalMs);
  const auth = makeAuth(config);
  const passwordOf = makeSessionPasswords(config);
  const { tree: first, sessions } = database;
  return new Standalone(
    ({ tree, sessions: known }, stats) =>
      makeServer({
        config,
        auth,
        passwordOf,
        sid: 0,
        ensembleSize: 1,
        tree,
        sessions: known,
        ...(stats === undefined ? {} : { stats }),
        reconfigure: () => ErrorCode.UNIMPLEMENTED,
        makePipeline: (state, pipelineHost) =>
          new Primary(state, pipelineHost, {
            // A restored tree was just written.
            snapshots: makeSnapshots(config, tree === first ? replayed : NOTHING_LOGGED),
            listener: null,
            containers: makeContainers(config, tree),
          }),
        makeView: (made) => new LiveView(made, host, facts, SERVER_VERSION),
      }),
    { tree: first, sessions: [...sessions.values()] },
  );
}
