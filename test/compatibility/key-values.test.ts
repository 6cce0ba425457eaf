// The keys that no other test names: each is read, accepted without an effect, or refused.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Config, ConfigResult } from '../../src/server/config/config.js';
import { parseConfig } from '../../src/server/config/parse-config.js';

const BASE = 'dataDir=/var/zk\nclientPort=2181\n';
const SASL = 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider';

function parse(lines: string, properties: Readonly<Record<string, string>> = {}): ConfigResult {
  return parseConfig(`${BASE}${lines}\n`, { fileName: 'zoo.cfg', properties });
}

function configOf(result: ConfigResult): Config {
  if ('errors' in result) throw new Error(result.errors.map(({ text }) => text).join('\n'));
  return result.config;
}

/** Key, a value other than its default, the field of Config, and what it holds then. */
const READ: readonly (readonly [string, string, keyof Config, unknown])[] = [
  ['SASLAuthenticationProvider.superPassword', 'secret', 'saslSuperPassword', 'secret'],
  ['admin.idleTimeout', '1234', 'adminIdleTimeoutMs', 1234],
  ['cnxTimeout', '1234', 'cnxTimeoutMs', 1234],
  ['connectToLearnerMasterLimit', '7', 'connectToLearnerMasterLimit', 7],
  ['electionPortBindRetry', '7', 'electionPortBindRetry', 7],
  ['fastleader.maxNotificationInterval', '1234', 'fastleaderMaxNotificationIntervalMs', 1234],
  ['fastleader.minNotificationInterval', '12', 'fastleaderMinNotificationIntervalMs', 12],
  ['fsync.warningthresholdms', '1234', 'fsyncWarningThresholdMs', 1234],
  ['kerberos.canonicalizeHostNames', 'true', 'kerberosCanonicalizeHostNames', true],
  ['leaderConnectDelayDuringRetryMs', '12', 'leaderConnectDelayDuringRetryMs', 12],
  ['letAnySaslUserDoX', 'user', 'letAnySaslUserDoX', 'user'],
  ['multiAddress.enabled', 'true', 'multiAddressEnabled', true],
  ['quorum.auth.learner.saslLoginContext', 'Own', 'quorumAuthLearnerLoginContext', 'Own'],
  ['quorum.auth.server.saslLoginContext', 'Own', 'quorumAuthServerLoginContext', 'Own'],
  ['quorumListenOnAllIPs', 'true', 'quorumListenOnAllIPs', true],
  ['server.realm', 'EXAMPLE.ORG', 'kerberosServerRealm', 'EXAMPLE.ORG'],
  ['requireKerberosConfig', 'true', 'requireKerberosConfig', true],
  ['ssl.allowReverseDnsLookup', 'true', 'sslAllowReverseDnsLookup', true],
  ['ssl.authProvider', 'other', 'sslAuthProvider', 'other'],
  ['ssl.keyStore.password', 'secret', 'sslKeyStorePassword', 'secret'],
  ['ssl.keyStore.passwordPath', '/secret', 'sslKeyStorePasswordPath', '/secret'],
  ['ssl.quorum.ciphersuites', 'A,B', 'sslQuorumCiphersuites', 'A,B'],
  ['ssl.quorum.clientAuth', 'want', 'sslQuorumClientAuth', 'want'],
  ['ssl.quorum.clientHostnameVerification', 'false', 'sslQuorumClientHostnameVerification', false],
  ['ssl.quorum.enabledProtocols', 'TLSv1.2', 'sslQuorumEnabledProtocols', 'TLSv1.2'],
  ['ssl.quorum.keyStore.password', 'secret', 'sslQuorumKeyStorePassword', 'secret'],
  ['ssl.quorum.keyStore.passwordPath', '/secret', 'sslQuorumKeyStorePasswordPath', '/secret'],
  ['ssl.quorum.trustStore.password', 'secret', 'sslQuorumTrustStorePassword', 'secret'],
  ['ssl.quorum.trustStore.passwordPath', '/secret', 'sslQuorumTrustStorePasswordPath', '/secret'],
  ['ssl.trustStore.password', 'secret', 'sslTrustStorePassword', 'secret'],
  ['ssl.trustStore.passwordPath', '/secret', 'sslTrustStorePasswordPath', '/secret'],
  ['sslQuorumReloadCertFiles', 'true', 'sslQuorumReloadCertFiles', true],
  ['tcpKeepAlive', 'true', 'tcpKeepAlive', true],
  [
    'metricsProvider.ssl.keyStore.password',
    'secret',
    'metricsProviderSslKeyStorePassword',
    'secret',
  ],
  ['metricsProvider.ssl.keyStore.type', 'JKS', 'metricsProviderSslKeyStoreType', 'JKS'],
  [
    'metricsProvider.ssl.trustStore.password',
    'secret',
    'metricsProviderSslTrustStorePassword',
    'secret',
  ],
  ['metricsProvider.ssl.trustStore.type', 'JKS', 'metricsProviderSslTrustStoreType', 'JKS'],
];

test('a key sets its field of the configuration', () => {
  const byDefault = configOf(parse(''));
  for (const [key, text, field, value] of READ) {
    assert.not.equal(byDefault[field], value, `${key}: the default`);
    assert.equal(configOf(parse(`${key}=${text}`))[field], value, key);
  }
});

test('superUser.N names superusers beside superUser', () => {
  const lines = `authProvider.1=${SASL}\nsuperUser.1=alice`;
  assert.equal(configOf(parse(lines)).properties.get('zookeeper.superUser.1'), 'alice');
});

/** Lines that change nothing. */
const WITHOUT_EFFECT = [
  'admin.httpVersion=1',
  'audit.impl.class=com.example.Log',
  'bitHashCacheSize=1',
  'commitProcessor.maxCommitBatchSize=2',
  'commitProcessor.maxReadBatchSize=2',
  'commitProcessor.shutdownTimeout=2',
  'enableEagerACLCheck=true',
  'flushDelay=7',
  'follower.nodelay=false',
  'follower.skipLearnerRequestToNextProcessor=true',
  'forceSnapshotSync=true',
  'forward_learner_requests_to_commit_processor_disabled=true',
  'intBufferStartingSizeBytes=7',
  'jmx.log4j.disable=true',
  'jmx.log4j.mbean=a',
  'jvm.pause.info-threshold.ms=7',
  'jvm.pause.monitor=true',
  'jvm.pause.sleep.time.ms=7',
  'jvm.pause.warn-threshold.ms=7',
  'kerberos.minReLoginTimeMs=7',
  'leader.ackLoggingFrequency=7',
  'leader.closeSocketAsync=true',
  'leader.nodelay=false',
  'learner.asyncSending=true',
  'learner.closeSocketAsync=true',
  'maxBatchSize=7',
  'maxGetChildrenResponseCacheSize=7',
  'maxInProcessingDeadWatchers=7',
  'maxResponseCacheSize=7',
  'maxWriteQueuePollTime=7',
  'messageTracker.BufferSize=7',
  'messageTracker.Enabled=true',
  'metricsProvider.httpVersion=2',
  'metricsProvider.maxQueueSize=7',
  'metricsProvider.numWorkerThreads=7',
  'metricsProvider.prometheusMetricsSummaryRotateIntervalSeconds=7',
  'metricsProvider.workerShutdownTimeoutMs=7',
  'multiAddress.reachabilityCheckEnabled=false',
  'multiAddress.reachabilityCheckTimeoutMs=7',
  'netty.advancedFlowControl.enabled=true',
  'netty.server.earlyDropSecureConnectionHandshakes=true',
  'nio.directBufferBytes=7',
  'nio.numSelectorThreads=7',
  'nio.numWorkerThreads=7',
  'nio.shutdownTimeout=7',
  'pathStats.delay=7',
  'pathStats.enabled=true',
  'pathStats.initialDelay=7',
  'pathStats.maxDepth=7',
  'pathStats.sampleRate=1',
  'pathStats.slotCapacity=7',
  'pathStats.slotDuration=7',
  'pathStats.topPathMax=7',
  'quorum.cnxn.threads.size=7',
  'request_throttle_stall_time=7',
  'request_throttler.shutdownTimeout=7',
  'syncEnabled=false',
  'watchManagerName=com.example.Watches',
  'watcherCleanIntervalInSeconds=7',
  'watcherCleanThreadsNum=7',
  'watcherCleanThreshold=7',
];

test('a key without effect is accepted with one warning', () => {
  for (const line of WITHOUT_EFFECT) {
    const result = parse(line);
    configOf(result);
    const warnings = 'errors' in result ? [] : result.warnings.map(({ text }) => text);
    assert.is(warnings.length, 1, `${line}: ${warnings.join()}`);
    assert.match(warnings[0] ?? '', `${line.replace(/=.*/, '')}: has no effect`);
  }
});

test.run();
