import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ADVANCED_SUMMARIES,
  ADVANCED_SUMMARY_SETS,
  BASIC_SUMMARIES,
  BASIC_SUMMARY_SETS,
  COUNTERS,
} from '../../src/fourlw/base/mntr-keys.js';
import type {
  AdvancedSummaryView,
  ConnectionView,
  MetricsView,
  ServerMode,
  ServerView,
} from '../../src/fourlw/base/server-view.js';

/** The repository's root, seen from a compiled test wherever it was built to. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(folder, 'biome.json'));
      return folder;
    } catch {
      if (dirname(folder) === folder) throw new Error('no biome.json above the tests');
      folder = dirname(folder);
    }
  }
}

const GOLDEN = join(repositoryRoot(), 'test', 'golden', 'fourlw');

/** An answer of Apache's 3.8.0 server, as its bytes came; edited only in paths. */
export function golden(server: string, word: string): string {
  return readFileSync(join(GOLDEN, `${server}.${word}`), 'utf8');
}

/** The lines of mntr as pairs, read without the code under test. */
function metricsOf(server: string): ReadonlyMap<string, string> {
  return new Map(
    golden(server, 'mntr')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [key = '', value = ''] = line.split('\t');
        return [key, value] as const;
      }),
  );
}

/** A view that gives what mntr of that server told: every figure from the capture. */
export function metricsView(server: string): Partial<ServerView> {
  const values = metricsOf(server);
  const number = (key: string) => Number(values.get(`zk_${key}`));
  const optional = (key: string) => (values.has(`zk_${key}`) ? number(key) : undefined);
  const quorumSize = optional('quorum_size');
  const masterId = values.get('zk_observer_master_id');
  const sizes = (name: string) => ({
    last: number(`last_${name}`),
    min: number(`min_${name}`),
    max: number(`max_${name}`),
  });
  return {
    mode: values.get('zk_server_state') as ServerMode,
    version: values.get('zk_version') ?? '',
    uptimeMs: number('uptime'),
    latency: {
      minMs: number('min_latency'),
      avgMs: number('avg_latency'),
      maxMs: number('max_latency'),
    },
    packetsReceived: number('packets_received'),
    packetsSent: number('packets_sent'),
    connectionCount: number('num_alive_connections'),
    outstandingRequests: number('outstanding_requests'),
    nodeCount: number('znode_count'),
    ephemeralCount: number('ephemerals_count'),
    dataSize: number('approximate_data_size'),
    watchCount: number('watch_count'),
    globalSessionCount: number('global_sessions'),
    localSessionCount: number('local_sessions'),
    clientResponseSizes: sizes('client_response_size'),
    openFileCount: number('open_file_descriptor_count'),
    maxFileCount: number('max_file_descriptor_count'),
    connectionDropProbability: number('connection_drop_probability'),
    authFailedCount: number('auth_failed_count'),
    outstandingTlsHandshakes: number('outstanding_tls_handshake'),
    nonMtlsRemoteConnectionCount: number('non_mtls_remote_conn_count'),
    nonMtlsLocalConnectionCount: number('non_mtls_local_conn_count'),
    metrics: summariesOf(values),
    ...(quorumSize === undefined
      ? {}
      : {
          quorum: {
            quorumSize,
            peerState: values.get('zk_peer_state') ?? '',
            ...(masterId === undefined ? {} : { observerMasterId: BigInt(masterId) }),
          },
        }),
    ...(values.get('zk_server_state') !== 'leader'
      ? {}
      : {
          leader: {
            proposalSizes: sizes('proposal_size'),
            learners: number('learners'),
            syncedFollowers: number('synced_followers'),
            syncedNonVotingFollowers: number('synced_non_voting_followers'),
            syncedObservers: number('synced_observers'),
            pendingSyncs: number('pending_syncs'),
            leaderUptimeMs: number('leader_uptime'),
          },
        }),
  };
}

function summariesOf(values: ReadonlyMap<string, string>): MetricsView {
  const number = (key: string) => Number(values.get(`zk_${key}`) ?? 0);
  const summary = (name: string): AdvancedSummaryView => ({
    count: number(`cnt_${name}`),
    sum: number(`sum_${name}`),
    min: number(`min_${name}`),
    max: number(`max_${name}`),
    p50: number(`p50_${name}`),
    p95: number(`p95_${name}`),
    p99: number(`p99_${name}`),
    p999: number(`p999_${name}`),
  });
  const each = <Name extends string, Value>(names: readonly Name[], make: (name: Name) => Value) =>
    Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
  // The order of arrival is not told: keys of one bucket go in as they came out.
  const family = (name: string) => {
    const keys = [...values.keys()]
      .filter((key) => key.startsWith('zk_cnt_') && key.endsWith(`_${name}`))
      .map((key) => key.slice('zk_cnt_'.length, -name.length - 1))
      .filter((key) => key !== 'quorum'); // quorum_ack_latency is not a member of ack_latency;
    return new Map(keys.map((key) => [key, summary(`${key}_${name}`)]));
  };
  return {
    counters: each(COUNTERS, number),
    basicSummaries: each(BASIC_SUMMARIES, summary),
    advancedSummaries: each(ADVANCED_SUMMARIES, summary),
    basicSummarySets: each(BASIC_SUMMARY_SETS, family),
    advancedSummarySets: each(ADVANCED_SUMMARY_SETS, family),
  };
}

/** As Debian's build of Apache's server prints it, its placeholder unfilled. */
const VERSION = `3.8.0-$\{mvngit.commit.id}, built on 2024-12-29 17:54 UTC`;

/** A probe's own connection, as `cons` and `stat` show it. */
export function probeConnection(remote: string): ConnectionView {
  return {
    remote,
    interestOps: 0,
    outstanding: 0,
    packetsReceived: 1,
    packetsSent: 0,
    sessionId: 0n,
    lastOperation: 'NA',
    establishedMs: 0,
    sessionTimeoutMs: 0,
    lastCxid: -1n,
    lastZxid: -1n,
    lastResponseMs: 0,
    lastLatencyMs: 0,
    minLatencyMs: 0,
    avgLatencyMs: 0,
    maxLatencyMs: 0,
  };
}

/** A quiet standalone server that serves; `overrides` are what a test is about. */
export function makeView(overrides: Partial<ServerView> = {}): ServerView {
  return {
    isServing: true,
    isReadOnly: false,
    mode: 'standalone',
    version: VERSION,
    uptimeMs: 0,
    latency: { minMs: 0, avgMs: 0, maxMs: 0 },
    packetsReceived: 0,
    packetsSent: 0,
    connectionCount: 1,
    outstandingRequests: 0,
    lastProcessedZxid: 0n,
    nodeCount: 5,
    ephemeralCount: 0,
    dataSize: 44,
    watchCount: 0,
    globalSessionCount: 0,
    localSessionCount: 0,
    clientResponseSizes: { last: -1, min: -1, max: -1 },
    openFileCount: -1,
    maxFileCount: -1,
    connectionDropProbability: 0,
    authFailedCount: 0,
    outstandingTlsHandshakes: 0,
    nonMtlsRemoteConnectionCount: 0,
    nonMtlsLocalConnectionCount: 0,
    metrics: { counters: {}, basicSummaries: {}, advancedSummaries: {} },
    config: {
      clientPort: 2181,
      secureClientPort: -1,
      dataDir: '/var/lib/zookeeper/0/version-2',
      dataLogDir: '/var/lib/zookeeper/0/version-2',
      tickTime: 2000,
      maxClientCnxns: 60,
      minSessionTimeout: 4000,
      maxSessionTimeout: 40000,
      clientPortListenBacklog: -1,
      serverId: 0n,
    },
    dirs: () => ({ dataDirSize: 0, logDirSize: 0 }),
    connections: () => [],
    watchSummary: () => ({ connections: 0, paths: 0, watches: 0 }),
    watchesBySession: () => [],
    watchesByPath: () => [],
    sessions: () => ({ kind: 'tracker', buckets: [] }),
    ephemerals: () => [],
    connectionExpiry: () => [],
    digests: () => [],
    load: () => ({
      seconds: 1,
      total: { requestsPerSecond: 0, bytesPerSecond: 0, watches: 0 },
      rows: [],
    }),
    isKeeperAnnounced: false,
    log: () => ({ firstZxid: 0n, lastZxid: 0n, snapshotZxid: 0n }),
    beginSnapshot: () => false,
    askForLeadership: () => false,
    environment: () => [],
    traceMask: 306n,
    setTraceMask: () => undefined,
    resetConnectionStats: () => undefined,
    observers: () => [],
    resetObserverStats: () => undefined,
    resetServerStats: () => undefined,
    ...overrides,
  };
}
