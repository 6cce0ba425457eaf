/** Keys that no option reads. Those without which a server would be less safe are errors. */

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
    why: 'requests are not counted by path',
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
