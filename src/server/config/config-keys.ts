/**
 * Every option of zoo.cfg, with Apache's key, default and unit (QuorumPeerConfig, and the 3.9
 * administrator's guide for the properties). The field names of Config are the names here. The
 * table of zoo.cfg(5) is checked against this one.
 */

import { ENSEMBLE } from './config-keys-ensemble.js';
import { AUTHENTICATION, TLS } from './config-keys-security.js';
import { ensembleOnly, later, optionsOf, withoutMeaning } from './config-option.js';

const file = optionsOf('file');
const prop = optionsOf('property');
const MS = { unit: 'ms' };
const BYTES = { unit: 'bytes' };

const BASICS = {
  dataDir: file.optional('dataDir', 'folder of the snapshots, and of the log without dataLogDir', {
    defaultText: 'required',
  }),
  dataLogDir: file.optional('dataLogDir', 'folder of the transaction log', {
    defaultText: 'dataDir',
  }),
  clientPort: file.port('clientPort', 'port for clients'),
  clientPortAddress: file.optional('clientPortAddress', 'address to listen on for clients', {
    defaultText: 'all',
  }),
  secureClientPort: file.port('secureClientPort', 'port for clients over TLS'),
  secureClientPortAddress: file.optional('secureClientPortAddress', 'address of that port', {
    defaultText: 'all',
  }),
  tickTimeMs: file.int('tickTime', 3000, 'the tick, unit of all timeouts', { ...MS, min: 1 }),
  clientPortListenBacklog: file.int('clientPortListenBacklog', -1, 'connections not accepted yet'),
  minSessionTimeoutMs: file.int('minSessionTimeout', -1, 'shortest session timeout', {
    ...MS,
    defaultText: '2 ticks',
  }),
  maxSessionTimeoutMs: file.int('maxSessionTimeout', -1, 'longest session timeout', {
    ...MS,
    defaultText: '20 ticks',
  }),
  maxClientCnxns: file.int('maxClientCnxns', 60, 'connections of one address; 0 is no limit'),
  ...ensembleOnly({
    localSessionsEnabled: file.boolean(
      'localSessionsEnabled',
      false,
      'sessions of one server only',
    ),
    localSessionsUpgradingEnabled: file.boolean(
      'localSessionsUpgradingEnabled',
      false,
      'make a local session global when it creates an ephemeral',
    ),
  }),
  autopurgeSnapRetainCount: file.int('autopurge.snapRetainCount', 3, 'snapshots kept, at least 3'),
  autopurgePurgeIntervalHours: file.int(
    'autopurge.purgeInterval',
    0,
    'time between purges; 0 is never',
    {
      unit: 'hours',
    },
  ),
  maxCnxns: prop.int('maxCnxns', 0, 'connections in all; 0 is no limit'),
};

const STORAGE = {
  preAllocSizeKb: prop.long('preAllocSize', 65536, 'by how much the log grows', { unit: 'KB' }),
  snapCount: prop.int('snapCount', 100000, 'txns between snapshots, less a random part', {
    min: 2,
  }),
  snapSizeLimitKb: prop.long('snapSizeLimitInKb', 4194304, 'log size that asks for a snapshot', {
    unit: 'KB',
  }),
  txnLogSizeLimitKb: prop.long('txnLogSizeLimitInKb', -1, 'log size that starts a new file', {
    unit: 'KB',
  }),
  ...ensembleOnly({
    commitLogCount: prop.int('commitLogCount', 500, 'txns kept in memory for learners'),
    snapshotSizeFactor: prop.float(
      'snapshotSizeFactor',
      0.33,
      'how much log, beside the newest snapshot, is sent in its stead; 0 is any, negative none',
    ),
  }),
  forceSync: prop.yesNo('forceSync', true, 'sync the log before an acknowledgement'),
  fsyncWarningThresholdMs: prop.long(
    'fsync.warningthresholdms',
    1000,
    'a sync this slow is told',
    MS,
  ),
  snapshotCompressionMethod: prop.choice(
    'snapshot.compression.method',
    '',
    ['', 'gz', 'snappy'],
    'how snapshots are compressed',
  ),
  snapshotTrustEmpty: prop.boolean(
    'snapshot.trust.empty',
    false,
    'start on a log without snapshot',
  ),
  digestEnabled: prop.boolean('digest.enabled', true, 'keep the digest of the tree'),
  serializeLastProcessedZxidEnabled: prop.boolean(
    'serializeLastProcessedZxid.enabled',
    true,
    'write the last zxid into snapshots',
  ),
  ...withoutMeaning('the list is always written: every release since 3.6 reads it', {
    closeSessionTxnEnabled: prop.boolean(
      'closeSessionTxn.enabled',
      true,
      'list the ephemerals a close deletes',
    ),
  }),
  datadirAutocreate: prop.boolean('datadir.autocreate', true, 'make missing folders'),
  dbAutocreate: prop.boolean('db.autocreate', true, 'start empty on an empty folder'),
  ...withoutMeaning('what comes during a sync shares the next one, and none waits for company', {
    flushDelayMs: prop.long('flushDelay', 0, 'how long a sync may wait for company', MS),
    maxWriteQueuePollTimeMs: prop.long(
      'maxWriteQueuePollTime',
      0,
      'how long a flush waits when idle',
      {
        ...MS,
        defaultText: 'flushDelay / 3',
      },
    ),
    maxBatchSize: prop.int('maxBatchSize', 1000, 'txns that ask for a sync'),
  }),
};

const LIMITS = {
  juteMaxBuffer: prop.int('jute.maxbuffer', 0xfffff, 'longest request', {
    ...BYTES,
    min: 1,
    property: 'jute.maxbuffer',
  }),
  juteMaxBufferExtraSize: prop.int('jute.maxbuffer.extrasize', -1, 'what a txn may be longer by', {
    ...BYTES,
    defaultText: 'jute.maxbuffer',
  }),
  globalOutstandingLimit: prop.int('globalOutstandingLimit', 1000, 'requests in the pipeline'),
  requestThrottleMaxRequests: prop.int(
    'request_throttle_max_requests',
    0,
    'requests before throttling; 0 is off',
  ),
  requestThrottleDropStale: prop.boolean(
    'request_throttle_drop_stale',
    true,
    'drop stale requests',
  ),
  requestStaleConnectionCheck: prop.boolean(
    'request_stale_connection_check',
    true,
    'a request of a closed connection is stale',
  ),
  requestStaleLatencyCheck: prop.boolean(
    'request_stale_latency_check',
    false,
    'a request older than its session timeout is stale',
  ),
  throttledOpWaitTimeMs: prop.int(
    'throttled_op_wait_time',
    0,
    'a request queued longer is refused; 0 is off',
    MS,
  ),
  largeRequestThreshold: prop.int(
    'largeRequestThreshold',
    -1,
    'a request this long is large; -1 is off',
    BYTES,
  ),
  largeRequestMaxBytes: prop.long(
    'largeRequestMaxBytes',
    104857600,
    'large requests at a time',
    BYTES,
  ),
  connectionThrottleTokens: prop.int(
    'connection_throttle_tokens',
    0,
    'size of the token bucket; 0 is off',
  ),
  connectionThrottleFillTimeMs: prop.int(
    'connection_throttle_fill_time',
    1,
    'time between fills',
    MS,
  ),
  connectionThrottleFillCount: prop.int('connection_throttle_fill_count', 1, 'tokens of a fill'),
  connectionThrottleFreezeTimeMs: prop.int(
    'connection_throttle_freeze_time',
    -1,
    'time between changes of the drop rate',
    MS,
  ),
  connectionThrottleDropIncrease: prop.float(
    'connection_throttle_drop_increase',
    0.02,
    'step up of the drop rate',
  ),
  connectionThrottleDropDecrease: prop.float(
    'connection_throttle_drop_decrease',
    0.002,
    'step down of the drop rate',
  ),
  connectionThrottleDecreaseRatio: prop.float(
    'connection_throttle_decrease_ratio',
    0,
    'fill that lowers the drop rate',
  ),
  connectionThrottleWeightEnabled: prop.boolean(
    'connection_throttle_weight_enabled',
    false,
    'weigh connections by session kind',
  ),
  connectionThrottleGlobalSessionWeight: prop.int(
    'connection_throttle_global_session_weight',
    3,
    'tokens of a global session',
  ),
  connectionThrottleLocalSessionWeight: prop.int(
    'connection_throttle_local_session_weight',
    1,
    'tokens of a local session',
  ),
  connectionThrottleRenewSessionWeight: prop.int(
    'connection_throttle_renew_session_weight',
    2,
    'tokens of a renewed session',
  ),
  ...withoutMeaning('a request that waits goes on as soon as there is room', {
    requestThrottleStallTimeMs: prop.int(
      'request_throttle_stall_time',
      100,
      'how long a throttled request waits',
      MS,
    ),
  }),
  ...withoutMeaning('a close waits for the disk alone', {
    requestThrottlerShutdownTimeoutMs: prop.int(
      'request_throttler.shutdownTimeout',
      10000,
      'how long a close waits for requests',
      MS,
    ),
  }),
  sessionlessCnxnTimeoutMs: prop.int(
    'nio.sessionlessCnxnTimeout',
    10000,
    'how long a connection may lack a session',
    MS,
  ),
  ...withoutMeaning('replies are copied from the tree as fast', {
    maxResponseCacheSize: prop.int('maxResponseCacheSize', 400, 'getData replies kept encoded'),
    maxGetChildrenResponseCacheSize: prop.int(
      'maxGetChildrenResponseCacheSize',
      400,
      'getChildren replies kept encoded',
    ),
  }),
  outstandingHandshakeLimit: prop.int(
    'netty.server.outstandingHandshake.limit',
    -1,
    'TLS handshakes at a time; -1 is no limit',
  ),
};

const FEATURES = {
  extendedTypesEnabled: prop.boolean('extendedTypesEnabled', false, 'allow TTL nodes'),
  ...later('TTL nodes have the form of 3.5.4 and later', {
    emulate353TTLNodes: prop.boolean('emulate353TTLNodes', false, 'read the TTL nodes of 3.5.3'),
  }),
  enforceQuota: prop.boolean('enforceQuota', false, 'refuse what breaks a hard quota'),
  containerCheckIntervalMs: prop.int(
    'znode.container.checkIntervalMs',
    60000,
    'time between looks',
    {
      ...MS,
      property: 'znode.container.checkIntervalMs',
    },
  ),
  containerMaxPerMinute: prop.int('znode.container.maxPerMinute', 10000, 'containers deleted', {
    property: 'znode.container.maxPerMinute',
  }),
  containerMaxNeverUsedIntervalMs: prop.long(
    'znode.container.maxNeverUsedIntervalMs',
    0,
    'age of a container never used that is deleted; 0 is never',
    { ...MS, property: 'znode.container.maxNeverUsedIntervalMs' },
  ),
  readonlymodeEnabled: prop.boolean('readonlymode.enabled', false, 'serve reads without a quorum', {
    property: 'readonlymode.enabled',
  }),
  fourLetterWordWhitelist: prop.text('4lw.commands.whitelist', 'srvr', 'words answered; * is all'),
  auditEnable: prop.boolean('audit.enable', false, 'write an audit log'),
  auditFile: prop.optional('audit.file', 'the file it is appended to; the server log without it'),
  logLevel: prop.choice(
    'log.level',
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'the least that zkserver logs',
  ),
  slowRequestThresholdMs: prop.int(
    'slowRequestThresholdMs',
    1000,
    'requests that take so long are logged; 0 logs none',
    MS,
  ),
};

const ADMIN = {
  adminEnableServer: prop.boolean('admin.enableServer', true, 'HTTP for operators'),
  adminServerAddress: prop.text('admin.serverAddress', '0.0.0.0', 'its address'),
  adminServerPort: prop.int('admin.serverPort', 8080, 'its port', { min: 0 }),
  adminIdleTimeoutMs: prop.int('admin.idleTimeout', 30000, 'how long its connections may idle', MS),
  adminCommandURL: prop.text('admin.commandURL', '/commands', 'its root'),
  adminPortUnification: prop.boolean('admin.portUnification', false, 'HTTP and HTTPS on its port'),
  adminForceHttps: prop.boolean('admin.forceHttps', false, 'HTTPS only'),
  adminNeedClientAuth: prop.boolean('admin.needClientAuth', true, 'ask for client certificates'),
  adminSnapshotEnabled: prop.boolean('admin.snapshot.enabled', true, 'allow snapshot'),
  adminRestoreEnabled: prop.boolean('admin.restore.enabled', true, 'allow restore'),
  adminRateLimiterIntervalMs: prop.int(
    'admin.rateLimiterIntervalInMS',
    300000,
    'time between them',
    MS,
  ),
  metricsProviderClassName: file.optional('metricsProvider.className', 'who tells the metrics', {
    defaultText: 'DefaultMetricsProvider',
  }),
  metricsProviderHttpHost: file.text('metricsProvider.httpHost', '0.0.0.0', 'Prometheus address'),
  metricsProviderHttpPort: file.int('metricsProvider.httpPort', 7000, 'Prometheus port', {
    min: 0,
  }),
  metricsProviderExportJvmInfo: file.boolean(
    'metricsProvider.exportJvmInfo',
    true,
    'tell of the process too',
  ),
};

export const OPTIONS = {
  ...BASICS,
  ...STORAGE,
  ...LIMITS,
  ...FEATURES,
  ...ADMIN,
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
  AUTHENTICATION,
  ENSEMBLE,
  TLS,
};

/** What only a Java server has a use for: known, and without effect here. */
export const JVM_ONLY: readonly string[] = [
  'serverCnxnFactory',
  'nio.numSelectorThreads',
  'nio.numWorkerThreads',
  'nio.directBufferBytes',
  'nio.shutdownTimeout',
  'netty.advancedFlowControl.enabled',
  'commitProcessor.numWorkerThreads',
  'commitProcessor.shutdownTimeout',
  'commitProcessor.maxReadBatchSize',
  'commitProcessor.maxCommitBatchSize',
  'learner.asyncSending.threads',
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
  'audit.impl.class',
  'metricsProvider.numWorkerThreads',
  'metricsProvider.maxQueueSize',
  'metricsProvider.workerShutdownTimeoutMs',
  'ssl.context.supplier.class',
  'ssl.quorum.context.supplier.class',
];
