import { ENSEMBLE } from './config-keys-ensemble.js';
import { LIMITS } from './config-keys-limits.js';
import { AUTHENTICATION, STORE_TYPES, TLS } from './config-keys-security.js';
import { ensembleOnly, optionsOf, refused, withoutEffect } from './config-option.js';

/**
 * Every option of zoo.cfg, with Apache's key, default, and unit (QuorumPeerConfig; the
 * administrator's guide of 3.9). The names are the fields of Config. zoo.cfg(5) prints this table.
 */

const file = optionsOf('file');
const prop = optionsOf('property');
const MS = { unit: 'ms' };

const BASICS = {
  dataDir: file.optional('dataDir', 'folder of the snapshots, and of the log without dataLogDir', {
    defaultText: 'required',
  }),
  dataLogDir: file.optional('dataLogDir', 'folder of the transaction log', {
    defaultText: 'dataDir',
  }),
  clientPort: file.port('clientPort', 'port for clients'),
  clientPortAddress: file.optionalAddress('clientPortAddress', 'address to listen on for clients'),
  secureClientPort: file.port('secureClientPort', 'port for clients over TLS'),
  secureClientPortAddress: file.optionalAddress('secureClientPortAddress', 'address of that port'),
  tickTimeMs: file.int('tickTime', 3000, 'the tick, unit of all timeouts', { ...MS, min: 1 }),
  clientPortListenBacklog: file.int('clientPortListenBacklog', -1, 'limit of pending connections', {
    defaultText: '4096, or less if the kernel allows less',
  }),
  minSessionTimeoutMs: file.int('minSessionTimeout', -1, 'shortest session timeout', {
    ...MS,
    defaultText: '2 ticks',
  }),
  maxSessionTimeoutMs: file.int('maxSessionTimeout', -1, 'longest session timeout', {
    ...MS,
    defaultText: '20 ticks',
  }),
  maxClientCnxns: file.int('maxClientCnxns', 60, 'connections per client address; 0: no limit'),
  ...ensembleOnly({
    localSessionsEnabled: file.boolean(
      'localSessionsEnabled',
      false,
      'create sessions that live on one server',
    ),
    localSessionsUpgradingEnabled: file.boolean(
      'localSessionsUpgradingEnabled',
      false,
      'make a local session global when it creates an ephemeral',
    ),
  }),
  autopurgeSnapRetainCount: file.int('autopurge.snapRetainCount', 3, 'snapshots kept, at least 3'),
  autopurgePurgeIntervalHours: file.hours(
    'autopurge.purgeInterval',
    0,
    'time between purges; 0: never',
  ),
  maxCnxns: prop.int('maxCnxns', 0, 'connections in total; 0: no limit'),
  maxWatchesPerConnection: prop.int(
    'maxWatchesPerConnection',
    500000,
    'watches of a connection; 0: no limit',
  ),
  clientTcpKeepAlive: prop.boolean('clientTcpKeepAlive', false, 'keep client connections alive'),
};

const STORAGE = {
  preAllocSizeKb: prop.long('preAllocSize', 65536, 'preallocated space of the log', { unit: 'KB' }),
  snapCount: prop.int(
    'snapCount',
    100000,
    'most txns between snapshots, minus a random part; the least if neither this nor snapSizeLimitInKb is set: a snapshot then waits until the log has half the size of the tree',
    {
      min: 2,
    },
  ),
  snapSizeLimitKb: prop.long('snapSizeLimitInKb', 4194304, 'log size that triggers a snapshot', {
    unit: 'KB',
  }),
  txnLogSizeLimitKb: prop.long('txnLogSizeLimitInKb', -1, 'log size that starts a new file', {
    unit: 'KB',
  }),
  ...ensembleOnly({
    commitLogCount: prop.int('commitLogCount', 500, 'txns to keep in memory for learners'),
    snapshotSizeFactor: prop.float(
      'snapshotSizeFactor',
      0.33,
      'log size to send instead of a snapshot, relative to it; 0: any, negative: none',
    ),
  }),
  forceSync: prop.yesNo('forceSync', true, 'sync the log before an acknowledgment'),
  fsyncWarningThresholdMs: prop.long(
    'fsync.warningthresholdms',
    1000,
    'log syncs that take longer',
    MS,
  ),
  snapshotCompressionMethod: prop.choice(
    'snapshot.compression.method',
    '',
    ['', 'gz', 'snappy'],
    'compression of snapshots',
  ),
  snapshotTrustEmpty: prop.boolean(
    'snapshot.trust.empty',
    false,
    'start with a log but no snapshot',
  ),
  digestEnabled: prop.boolean('digest.enabled', true, 'keep the digest of the tree'),
  serializeLastProcessedZxidEnabled: prop.boolean(
    'serializeLastProcessedZxid.enabled',
    true,
    'write the last zxid into snapshots',
  ),
  ...withoutEffect('the list is always written, and every release since 3.6 reads it', {
    closeSessionTxnEnabled: prop.boolean(
      'closeSessionTxn.enabled',
      true,
      'list the ephemerals that a close deletes',
    ),
  }),
  datadirAutocreate: prop.boolean('datadir.autocreate', true, 'create missing folders'),
  dbAutocreate: prop.boolean('db.autocreate', true, 'start without data if the folder is empty'),
  ...withoutEffect('requests during a sync share the next one, so a sync never waits for more', {
    flushDelayMs: prop.long('flushDelay', 0, 'how long a sync may wait for more txns', MS),
    maxWriteQueuePollTimeMs: prop.long(
      'maxWriteQueuePollTime',
      0,
      'how long a flush waits when idle',
      {
        ...MS,
        defaultText: 'flushDelay / 3',
      },
    ),
    maxBatchSize: prop.int('maxBatchSize', 1000, 'txns that trigger a sync'),
  }),
};

const FEATURES = {
  extendedTypesEnabled: prop.boolean('extendedTypesEnabled', false, 'allow TTL nodes'),
  ...refused(
    'TTL nodes of 3.5.3 would be taken for ephemeral ones; delete them before you migrate',
    {
      emulate353TTLNodes: prop.boolean('emulate353TTLNodes', false, 'read TTL nodes of 3.5.3'),
    },
  ),
  keeperDialect: prop.choice(
    'keeperDialect',
    'off',
    ['off', 'on'],
    'serve operations of ClickHouse Keeper, too',
  ),
  enforceQuota: prop.boolean('enforceQuota', false, 'refuse requests that exceed a hard quota'),
  containerCheckIntervalMs: prop.int(
    'znode.container.checkIntervalMs',
    60000,
    'time between checks',
    {
      ...MS,
      property: 'znode.container.checkIntervalMs',
    },
  ),
  containerMaxPerMinute: prop.int('znode.container.maxPerMinute', 10000, 'containers to delete', {
    property: 'znode.container.maxPerMinute',
  }),
  containerMaxNeverUsedIntervalMs: prop.long(
    'znode.container.maxNeverUsedIntervalMs',
    0,
    'age at which a never used container is deleted; 0: never',
    { ...MS, property: 'znode.container.maxNeverUsedIntervalMs' },
  ),
  readonlymodeEnabled: prop.boolean(
    'readonlymode.enabled',
    false,
    'without a quorum, serve reads in local sessions (localSessionsEnabled)',
    { property: 'readonlymode.enabled' },
  ),
  fourLetterWordWhitelist: prop.text('4lw.commands.whitelist', 'srvr', 'allowed words; *: all'),
  auditEnable: prop.boolean('audit.enable', false, 'write an audit log'),
  auditFile: prop.optional('audit.file', 'file to append it to; default: the server log'),
  sessionSecretFile: prop.optional(
    'session.secretFile',
    'file with a secret that is the same on all members: passwords of sessions depend on it',
  ),
  logLevel: prop.choice(
    'log.level',
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'lowest level that zkserver logs',
  ),
  slowRequestThresholdMs: prop.int(
    'slowRequestThresholdMs',
    1000,
    'log requests that take longer; 0: off',
    MS,
  ),
};

const ADMIN = {
  adminEnableServer: prop.boolean('admin.enableServer', true, 'serve HTTP for operators'),
  adminServerAddress: prop.address('admin.serverAddress', '0.0.0.0', 'address of the AdminServer'),
  adminServerPort: prop.int('admin.serverPort', 8080, 'port of the AdminServer', { min: 0 }),
  adminIdleTimeoutMs: prop.int('admin.idleTimeout', 30000, 'idle timeout of HTTP connections', MS),
  adminCommandURL: prop.text('admin.commandURL', '/commands', 'root URL of the commands'),
  adminPortUnification: prop.boolean('admin.portUnification', false, 'HTTP and HTTPS on one port'),
  adminForceHttps: prop.boolean('admin.forceHttps', false, 'HTTPS only'),
  adminNeedClientAuth: prop.boolean('admin.needClientAuth', true, 'require client certificates'),
  adminSnapshotEnabled: prop.boolean('admin.snapshot.enabled', true, 'allow the snapshot command'),
  adminRestoreEnabled: prop.boolean('admin.restore.enabled', true, 'allow the restore command'),
  adminAnyoneMayTransfer: prop.boolean(
    'admin.anyoneMayTransfer',
    false,
    'allow snapshot and restore to anyone while the ACL of / grants everyone everything',
  ),
  adminHostNames: prop.text(
    'admin.hostNames',
    '',
    'further names of the AdminServer in the header Host, with commas between them; * for any',
  ),
  adminRateLimiterIntervalMs: prop.int(
    'admin.rateLimiterIntervalInMS',
    300000,
    'time between two of these commands',
    MS,
  ),
};

const METRICS = {
  metricsProviderClassName: file.optional('metricsProvider.className', 'provider of metrics', {
    defaultText: 'DefaultMetricsProvider',
  }),
  metricsProviderHttpHost: file.address(
    'metricsProvider.httpHost',
    '0.0.0.0',
    'Prometheus address',
  ),
  metricsProviderHttpPort: file.int('metricsProvider.httpPort', -1, 'Prometheus port', {
    min: -1,
    defaultText: '7000 without metricsProvider.httpsPort',
  }),
  metricsProviderExportJvmInfo: file.boolean(
    'metricsProvider.exportJvmInfo',
    true,
    'export metrics of the process',
  ),
  metricsProviderHttpsPort: file.int(
    'metricsProvider.httpsPort',
    -1,
    'Prometheus port with TLS; it may be the port without TLS, too',
    { min: -1, defaultText: 'none' },
  ),
  metricsProviderSslKeyStoreLocation: file.optional(
    'metricsProvider.ssl.keyStore.location',
    'its key and certificate',
  ),
  metricsProviderSslKeyStorePassword: file.optional(
    'metricsProvider.ssl.keyStore.password',
    'password of that file',
  ),
  metricsProviderSslKeyStoreType: file.choice(
    'metricsProvider.ssl.keyStore.type',
    '',
    STORE_TYPES,
    'format of that file',
  ),
  metricsProviderSslTrustStoreLocation: file.optional(
    'metricsProvider.ssl.trustStore.location',
    'certificates to trust',
  ),
  metricsProviderSslTrustStorePassword: file.optional(
    'metricsProvider.ssl.trustStore.password',
    'password of that file',
  ),
  metricsProviderSslTrustStoreType: file.choice(
    'metricsProvider.ssl.trustStore.type',
    '',
    STORE_TYPES,
    'format of that file',
  ),
  metricsProviderSslNeedClientAuth: file.boolean(
    'metricsProvider.ssl.need.client.auth',
    true,
    'refuse clients without a certificate',
  ),
  metricsProviderSslWantClientAuth: file.boolean(
    'metricsProvider.ssl.want.client.auth',
    true,
    'ask clients for a certificate, and refuse an untrusted one',
  ),
  metricsProviderSslEnabledProtocols: file.optional(
    'metricsProvider.ssl.enabledProtocols',
    'accepted TLS versions',
    { defaultText: 'TLSv1.2,TLSv1.3' },
  ),
  metricsProviderSslCiphersuites: file.optional(
    'metricsProvider.ssl.ciphersuites',
    'accepted cipher suites',
  ),
};

export const OPTIONS = {
  ...BASICS,
  ...STORAGE,
  ...LIMITS,
  ...FEATURES,
  ...ADMIN,
  ...METRICS,
  ...AUTHENTICATION,
  ...ENSEMBLE,
  ...TLS,
};

/** The sections of zoo.cfg(5). */
export const OPTION_SECTIONS = {
  BASICS,
  STORAGE,
  LIMITS,
  FEATURES,
  ADMINISTRATION: ADMIN,
  METRICS,
  AUTHENTICATION,
  ENSEMBLE,
  TLS,
};

// Keys that no option reads. Those without which a server would be less safe are errors.

export interface UnreadKeys {
  readonly why: string;
  readonly isRefused?: boolean;
  readonly keys: readonly string[];
}

export const UNREAD_KEYS: readonly UnreadKeys[] = [
  {
    why: 'a server cannot run a Java class, so clients or servers would not be checked as it says',
    isRefused: true,
    keys: ['ssl.context.supplier.class', 'ssl.quorum.context.supplier.class', 'authProvider'],
  },
  {
    why: 'only a Java server needs it',
    keys: [
      'serverCnxnFactory',
      'nio.numSelectorThreads',
      'nio.numWorkerThreads',
      'nio.directBufferBytes',
      'nio.shutdownTimeout',
      'netty.advancedFlowControl.enabled',
      'netty.server.earlyDropSecureConnectionHandshakes',
      'commitProcessor.numWorkerThreads',
      'commitProcessor.shutdownTimeout',
      'commitProcessor.maxReadBatchSize',
      'commitProcessor.maxCommitBatchSize',
      'watchManagerName',
      'watcherCleanThreadsNum',
      'watcherCleanThreshold',
      'watcherCleanIntervalInSeconds',
      'maxInProcessingDeadWatchers',
      'bitHashCacheSize',
      'intBufferStartingSizeBytes',
      'jvm.pause.monitor',
      'jvm.pause.warn-threshold.ms',
      'jvm.pause.info-threshold.ms',
      'jvm.pause.sleep.time.ms',
      'jmx.log4j.disable',
      'jmx.log4j.mbean',
      'admin.httpVersion',
      'metricsProvider.numWorkerThreads',
      'metricsProvider.maxQueueSize',
      'metricsProvider.workerShutdownTimeoutMs',
      'metricsProvider.prometheusMetricsSummaryRotateIntervalSeconds',
      'metricsProvider.httpVersion',
      'ssl.sslProvider',
    ],
  },
  {
    why: 'the audit log has one form, a line for each change',
    keys: ['audit.impl.class'],
  },
  {
    why: 'a learner forwards a write once, and its leader proposes it once',
    keys: [
      'forward_learner_requests_to_commit_processor_disabled',
      'follower.skipLearnerRequestToNextProcessor',
    ],
  },
  {
    why: 'the log of the server shows why a learner left, not its last packets',
    keys: ['messageTracker.Enabled', 'messageTracker.BufferSize', 'leader.ackLoggingFrequency'],
  },
  {
    why: 'a leader sends a snapshot only to a learner that its log cannot sync',
    keys: ['forceSnapshotSync'],
  },
  {
    why: 'requests are always counted by path: see load, and zkops top --by path',
    keys: [
      'pathStats.enabled',
      'pathStats.delay',
      'pathStats.initialDelay',
      'pathStats.maxDepth',
      'pathStats.sampleRate',
      'pathStats.slotCapacity',
      'pathStats.slotDuration',
      'pathStats.topPathMax',
    ],
  },
  {
    why: 'a server gets a ticket when it dials and has none, and runs no kinit',
    keys: ['kerberos.minReLoginTimeMs', 'kinit'],
  },
];

/** Undefined if Apache's server does not know the key, either. */
export function unreadKey(key: string): UnreadKeys | undefined {
  return UNREAD_KEYS.find(({ keys }) => keys.includes(key));
}
