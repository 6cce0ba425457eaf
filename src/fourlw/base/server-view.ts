import type { LoadView } from './load-view.js';
import type {
  AdvancedSummaryName,
  AdvancedSummarySetName,
  BasicSummaryName,
  BasicSummarySetName,
  CounterName,
  CounterSetName,
} from './mntr-keys.js';
import type { Listed } from './slices.js';

/** The value of `Mode:` in srvr and of `zk_server_state` in mntr. */
export type ServerMode = 'standalone' | 'leader' | 'follower' | 'observer' | 'read-only';

/**
 * The data of a server for four-letter words. Properties are cheap. Methods iterate over
 * connections, watches, sessions, or files, and a word calls each at most once. Lists are in print
 * order, and are read from the live server as they are walked, which may take several turns.
 * Session ids may be signed or unsigned.
 * Without `isServing`, words use only `version`, `environment`, `traceMask`, and `setTraceMask`.
 */
export interface ServerView {
  /** False while the server starts, elects, or lacks a quorum: most words answer NOT_SERVING. */
  readonly isServing: boolean;
  /** True on a server without a quorum that serves read-only clients. */
  readonly isReadOnly: boolean;
  readonly mode: ServerMode;
  /** As in `Zookeeper version: …`: `3.9.3-<revision>, built on 2024-10-17 23:21 UTC`. */
  readonly version: string;
  readonly uptimeMs: number;

  /** Since the start or the last `srst`. */
  readonly latency: LatencyView;
  /** Packets since the start or the last `srst`, including the current word. */
  readonly packetsReceived: number;
  readonly packetsSent: number;
  /** Connections on all client ports, including the probe's own. */
  readonly connectionCount: number;
  readonly outstandingRequests: number;
  readonly lastProcessedZxid: bigint;

  readonly nodeCount: number;
  readonly ephemeralCount: number;
  /** Approximate bytes of all paths and data. */
  readonly dataSize: number;
  /** Watches of every kind, including child watches (mntr's `watch_count`). */
  readonly watchCount: number;
  readonly globalSessionCount: number;
  readonly localSessionCount: number;

  /** Sizes in bytes of replies sent to clients; -1 before the first. */
  readonly clientResponseSizes: SizesView;
  /** Open files of this process, and their limit; -1 if unknown. */
  readonly openFileCount: number;
  readonly maxFileCount: number;
  /** 0 to 1: the probability that the connection throttle drops a new connection. */
  readonly connectionDropProbability: number;
  readonly authFailedCount: number;
  readonly outstandingTlsHandshakes: number;
  readonly nonMtlsRemoteConnectionCount: number;
  readonly nonMtlsLocalConnectionCount: number;
  /** Quota limits and usage by namespace and the like; printed unchanged after the fixed gauges. */
  readonly extraGauges?: readonly (readonly [name: string, value: number])[];
  readonly metrics: MetricsView;

  /** Set on the members of an ensemble while they are part of a quorum; absent when read-only. */
  readonly quorum?: QuorumView | undefined;
  readonly leader?: LeaderView | undefined;

  readonly config: ConfigView;
  /** In bytes, of all files below the folder. */
  dirs(): { readonly dataDirSize: number; readonly logDirSize: number };

  /** The connections of the client port of the word, including the probe's own. */
  connections(): Iterable<ConnectionView>;
  /** Only data and exist watches; `wchs` does not count child watches. */
  watchSummary(): {
    readonly connections: number;
    readonly paths: number;
    readonly watches: number;
  };
  /** Data and exist watches, one entry per session. */
  watchesBySession(): Iterable<{ readonly sessionId: bigint; readonly paths: Iterable<string> }>;
  watchesByPath(): Iterable<{ readonly path: string; readonly sessionIds: Iterable<bigint> }>;

  /** Who loads this server; costs a walk over connections and some watches. */
  load(): LoadView;

  /** The znodes of ClickHouse Keeper's dialect exist. */
  readonly isKeeperAnnounced: boolean;
  /** Zxids: of the first txn of the oldest log, the last logged txn, and the newest snapshot. */
  log(): { readonly firstZxid: bigint; readonly lastZxid: bigint; readonly snapshotZxid: bigint };
  /** Returns false for a server in memory, and too soon after the last one. */
  beginSnapshot(): boolean;
  /** Returns whether the leader will know of it. */
  askForLeadership(): boolean;

  sessions(): SessionsView;
  ephemerals(): Listed<{ readonly sessionId: bigint; readonly paths: Iterable<string> }>;
  /** The connections by the tick at which they expire if silent. */
  connectionExpiry(): readonly ConnectionBucketView[];
  /** One every 128 txns, oldest first. */
  digests(): readonly { readonly zxid: bigint; readonly digest: bigint }[];

  /** The lines of `envi` in print order, without the version. Memory is in the form `362MB`. */
  environment(): readonly (readonly [name: string, value: string])[];
  /** 306 unless set. */
  readonly traceMask: bigint;

  setTraceMask(mask: bigint): void;
  /** The word `crst`. */
  resetConnectionStats(): void;
  /** The observers of this server; empty unless it leads or is an observer master. */
  observers(): readonly ObserverView[];
  resetObserverStats(): void;
  /**
   * The word `srst`: resets latency, packets, response sizes, counters, summaries, and a leader's
   * proposal sizes.
   */
  resetServerStats(): void;
}

export interface LatencyView {
  readonly minMs: number;
  /** The exact mean, printed with four decimals. 0 before the first request. */
  readonly avgMs: number;
  readonly maxMs: number;
}

/** Sizes in bytes, -1 before the first. */
export interface SizesView {
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/** The metrics after the gauges of mntr. A missing name is printed as zero. */
export interface MetricsView {
  readonly counters: Readonly<Partial<Record<CounterName, number>>>;
  /** By family, then by key. */
  readonly counterSets?: Readonly<Partial<Record<CounterSetName, ReadonlyMap<string, number>>>>;
  readonly basicSummaries: Readonly<Partial<Record<BasicSummaryName, SummaryView>>>;
  readonly advancedSummaries: Readonly<Partial<Record<AdvancedSummaryName, AdvancedSummaryView>>>;
  /** By family, then by key (a namespace or a sid) in order of arrival. */
  readonly basicSummarySets?: Readonly<
    Partial<Record<BasicSummarySetName, ReadonlyMap<string, SummaryView>>>
  >;
  readonly advancedSummarySets?: Readonly<
    Partial<Record<AdvancedSummarySetName, ReadonlyMap<string, AdvancedSummaryView>>>
  >;
}

/** `min` and `max` are ignored, and printed as 0, while `count` is 0. */
export interface SummaryView {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

export interface AdvancedSummaryView extends SummaryView {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
}

export interface QuorumView {
  /** `leading - broadcast`, `following - synchronization`, `observing - diff`, … */
  readonly peerState: string;
  readonly quorumSize: number;
  /** The sid that an observer follows. */
  readonly observerMasterId?: bigint;
  /** Set on a follower that is an observer master. */
  readonly syncedObservers?: number;
}

export interface LeaderView {
  readonly proposalSizes: SizesView;
  /** Followers, observers and non-voting followers. */
  readonly learners: number;
  /** Without the leader itself. */
  readonly syncedFollowers: number;
  readonly syncedNonVotingFollowers: number;
  readonly syncedObservers: number;
  readonly pendingSyncs: number;
  /** Milliseconds since this server became the leader. */
  readonly leaderUptimeMs: number;
}

/** One observer that this server syncs (LearnerHandler.getLearnerHandlerInfo). */
export interface ObserverView {
  readonly remote: string;
  readonly sid: number;
  /** In ms since 1970. */
  readonly establishedMs: number;
  readonly packetsReceived: number;
  readonly packetsSent: number;
  /** Received REQUESTs. */
  readonly requests: number;
  /** The zxid of the last sent packet that has one; -1n before the first. */
  readonly lastZxid: bigint;
}

export interface ConnectionView {
  /** `127.0.0.1:38772`, or `[0:0:0:0:0:0:0:1]:38772` for IPv6, as Java prints an address. */
  readonly remote: string;
  readonly isOverTls?: boolean;
  /** Java NIO's interest bits: 0 during the answer to a word, 1 reading, 5 reading and writing. */
  readonly interestOps: number;
  readonly outstanding: number;
  readonly packetsReceived: number;
  readonly packetsSent: number;
  /** 0n before the session is established, as for a probe. Then no field below is printed. */
  readonly sessionId: bigint;
  /** The last request as four to six letters: PING SESS CREA GETD … `NA` before the first. */
  readonly lastOperation: string;
  /** In ms since 1970. */
  readonly establishedMs: number;
  readonly sessionTimeoutMs: number;
  /** Negative before the first request; then it is not printed. */
  readonly lastCxid: bigint;
  readonly lastZxid: bigint;
  /** In ms of the server's monotonic clock. */
  readonly lastResponseMs: number;
  readonly lastLatencyMs: number;
  readonly minLatencyMs: number;
  readonly avgLatencyMs: number;
  readonly maxLatencyMs: number;
}

/** A server that expires sessions has them in buckets; a learner has only timeouts. */
export type SessionsView =
  | {
      readonly kind: 'tracker';
      readonly buckets: readonly SessionBucketView[];
      /** Set where local sessions are enabled. */
      readonly localBuckets?: readonly SessionBucketView[];
    }
  | {
      readonly kind: 'learner';
      readonly sessions: Listed<{ readonly sessionId: bigint; readonly timeoutMs: number }>;
      readonly localBuckets?: readonly SessionBucketView[];
    };

export interface SessionBucketView {
  /** In ms since 1970. */
  readonly expiresAtMs: number;
  readonly sessionIds: Listed<bigint>;
}

export interface ConnectionBucketView {
  /** In ms since 1970. */
  readonly expiresAtMs: number;
  /** 0n before the session is established. */
  readonly connections: readonly { readonly remote: string; readonly sessionId: bigint }[];
}

/** The data of `conf`; ports that are not set are -1. */
export interface ConfigView {
  readonly clientPort: number;
  readonly secureClientPort: number;
  /** Includes `version-2`. */
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly tickTime: number;
  readonly maxClientCnxns: number;
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  readonly clientPortListenBacklog: number;
  /** The sid; 0 for a standalone server. */
  readonly serverId: bigint;
  /** Set on the members of an ensemble. */
  readonly quorum?: QuorumConfigView;
}

export interface QuorumConfigView {
  readonly initLimit: number;
  readonly syncLimit: number;
  readonly electionAlg: number;
  /** One port per address of this member. */
  readonly electionPorts: readonly number[];
  readonly quorumPorts: readonly number[];
  readonly peerType: 'participant' | 'observer';
  /** Absent on a read-only server, which does not print the membership. */
  readonly membership?: {
    /** `server.1=127.0.0.1:22301:22311:participant`, one per member. */
    readonly servers: readonly string[];
    readonly version: bigint;
  };
}
