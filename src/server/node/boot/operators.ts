/** The ports for operators besides the words: AdminServer and Prometheus. */
import { hostname } from 'node:os';
import { refuseUnauthorized } from '../../admin/authorize.js';
import type { Config } from '../../config/config.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { adminQuorumView } from '../../quorum/member-view.js';
import { QuorumPeer } from '../../quorum/quorum-peer.js';
import { AdminServer } from '../admin/admin-server.js';
import type { HttpTls } from '../admin/http-gate.js';
import { makeAdminView } from '../admin/make-admin-view.js';
import { MetricsServer, type SecureMetrics } from '../admin/metrics-server.js';
import type { SlowRequests } from '../admin/slow-requests.js';
import type { Core, Driver } from '../driver/driver.js';
import { TreeTransfer } from '../driver/tree-transfer.js';
import type { ServerReport } from '../log/logger.js';
import { RateLimitedWarnings } from '../log/rate-limited-warnings.js';
import type { Storage } from '../storage/disk-options.js';
import { readMetricsTlsOptions } from '../tls/metrics-tls.js';
import { readAdminTlsOptions } from '../tls/tls-options.js';

export interface OperatorsOptions {
  readonly config: Config;
  readonly core: Core;
  readonly driver: Driver;
  readonly storage: Storage | null;
  readonly isAdminServerAsked: boolean;
  readonly onWarning: (message: string) => void;
  readonly onReport: (report: ServerReport) => void;
  readonly slowRequests: SlowRequests;
}

/** Names by which an operator knows this server, or another member. */
function* hostNamesOf(config: Config, core: Core): Generator<string> {
  yield* config.adminHostNames.split(',');
  yield hostname();
  yield config.adminServerAddress;
  if (!(core instanceof QuorumPeer)) return;
  for (const { addresses, client, secureClient } of core.membership.config.members.values()) {
    for (const { host } of addresses) yield host;
    yield client?.address ?? '';
    yield secureClient?.address ?? '';
  }
}

export interface Operators {
  readonly adminPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** The same port as metricsPort if it takes clients with TLS and without. */
  readonly secureMetricsPort: number | undefined;
  close(): Promise<void>;
}

/** An unavailable port is only a warning, as in Apache's server: clients are served anyway. */
export async function startOperators(options: OperatorsOptions): Promise<Operators> {
  const adminServer = options.isAdminServerAsked ? makeAdminServer(options) : undefined;
  const metricsServer = makeMetricsServer(options);
  await metricsServer?.start();
  const { plain, secure } = metricsServer ?? {};
  const adminPort = await tryListen('AdminServer', adminServer, options);
  const metricsPort = await tryListen('Prometheus port', plain, options);
  const secureMetricsPort =
    secure === plain ? metricsPort : await tryListen('Prometheus port with TLS', secure, options);
  return {
    adminPort,
    metricsPort,
    secureMetricsPort,
    close: async () => {
      await adminServer?.close();
      await metricsServer?.close();
    },
  };
}

async function tryListen(
  name: string,
  server: { readonly port: number; listen(): Promise<void> } | undefined,
  { onWarning }: OperatorsOptions,
): Promise<number | undefined> {
  try {
    await server?.listen();
    return server?.port;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onWarning(`${name}: cannot start: ${why}; clients are served without it`);
    return undefined;
  }
}

const PROMETHEUS = 'org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider';
/** The default of 3.9.5; 3.10 has none. */
const DEFAULT_METRICS_PORT = 7000;
const OTHER_PROVIDERS = /^org\.apache\.zookeeper\.metrics\.impl\.(Default|Null)MetricsProvider$/;

const limitReporter =
  ({ step }: Driver) =>
  (limit: LimitName, from: string, value: number = LIMITS[limit].value): void =>
    step({ kind: 'limit-exceeded', limit, from, value });

function makeMetricsServer({
  config,
  core,
  driver,
  onWarning,
}: OperatorsOptions): MetricsServer | undefined {
  const { metricsProviderClassName: name } = config;
  if (name !== PROMETHEUS) {
    if (name !== null && !OTHER_PROVIDERS.test(name)) {
      onWarning(`metricsProvider.className: unknown: ${name} (expected ${PROMETHEUS})`);
    }
    return undefined;
  }
  const { metricsProviderHttpPort: port, metricsProviderHttpsPort: securePort } = config;
  const usualPort = securePort >= 0 ? undefined : DEFAULT_METRICS_PORT;
  if (securePort < 0 && config.metricsProviderSslKeyStoreLocation !== null) {
    onWarning(
      'metricsProvider.ssl.keyStore.location: has no effect: metricsProvider.httpsPort is not set, so the metrics are served without TLS',
    );
  }
  return new MetricsServer({
    host: config.metricsProviderHttpHost,
    port: port >= 0 ? port : usualPort,
    secure: securePort >= 0 ? secureMetricsOf(config, onWarning) : undefined,
    onLimit: limitReporter(driver),
    view: () => core.server.view,
    hasProcessMetrics: config.metricsProviderExportJvmInfo,
  });
}

function secureMetricsOf(config: Config, onWarning: (message: string) => void): SecureMetrics {
  const warnings = new RateLimitedWarnings(onWarning);
  return {
    port: config.metricsProviderHttpsPort,
    readTls: () => readMetricsTlsOptions(config, onWarning),
    detectionTimeoutMs: config.sslHandshakeDetectionTimeoutMs,
    onFailure: (reason) =>
      warnings.say(`TLS of the metrics: ${reason}`, reason.replace(/^\S+:\d+ /, '')),
    onWarning,
  };
}

/** admin.forceHttps and admin.portUnification: TLS with the certificates of ssl.quorum.*. */
function tlsOf(
  config: Config,
  driver: Driver,
  onWarning: (message: string) => void,
): { readonly tls?: HttpTls } {
  const { adminForceHttps, adminPortUnification, adminNeedClientAuth } = config;
  if (!adminForceHttps && !adminPortUnification) return {};
  const warnings = new RateLimitedWarnings(onWarning);
  return {
    tls: {
      tls: readAdminTlsOptions(config, adminNeedClientAuth ? 'need' : 'none', onWarning),
      isPlainTaken: !adminForceHttps,
      detectionTimeoutMs: config.sslQuorumHandshakeDetectionTimeoutMs,
      onFailure: (reason) =>
        warnings.say(`TLS of the AdminServer: ${reason}`, reason.replace(/^\S+:\d+ /, '')),
      onPlain: () => driver.step({ kind: 'counted', what: 'insecure_admin_count' }),
    },
  };
}

function makeAdminServer({
  config,
  core,
  driver,
  storage,
  onWarning,
  onReport,
  slowRequests,
}: OperatorsOptions): AdminServer {
  const snapFolder = storage?.dir.snapFolder ?? null;
  return new AdminServer({
    host: config.adminServerAddress,
    port: config.adminServerPort,
    idleTimeoutMs: config.adminIdleTimeoutMs,
    onLimit: limitReporter(driver),
    isForwardedForTaken: config.ipUseXForwardedFor,
    commandURL: config.adminCommandURL.replace(/(?<!\/)\/+$/, ''),
    admin: makeAdminView({
      core,
      quorum: core instanceof QuorumPeer ? () => adminQuorumView(core) : undefined,
      config,
      snapFolder,
      step: driver.step,
      slowRequests,
    }),
    authorize: (who, { run }) => {
      const { auth, tree } = core.server.state;
      const isForAnyone = run !== undefined || config.adminAnyoneMayTransfer;
      return refuseUnauthorized(auth, tree.aclOf(tree.root), who, isForAnyone);
    },
    hostNames: () => hostNamesOf(config, core),
    ...tlsOf(config, driver, onWarning),
    transfer: new TreeTransfer({ config, core, driver, storage, onReport }),
  });
}
