import type { LoadView } from '../../fourlw/base/load-view.js';
import type {
  ConfigView,
  ConnectionBucketView,
  ConnectionView,
  LatencyView,
  MetricsView,
  ObserverView,
  ServerMode,
  ServerView,
  SessionBucketView,
  SessionsView,
  SizesView,
} from '../../fourlw/base/server-view.js';
import { type Listed, listed } from '../../fourlw/base/slices.js';
import { lastOperationName } from '../../protocol/operation-table.js';
import { quotaGauges } from '../metrics/quota-gauges.js';
import type { Server } from '../server.js';
import type { SessionTracker } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import type { ConfigFacts, HostView } from './host-view.js';
import { loadView } from './load-view.js';

const DEFAULT_TRACE_MASK = 306n;
const LOAD_AGE_MS = 1000;

/** A standalone server's answers to the four-letter words; all data is read on request. */
export class LiveView implements ServerView {
  readonly version: string;
  readonly nonMtlsRemoteConnectionCount = 0;
  readonly nonMtlsLocalConnectionCount = 0;
  traceMask = DEFAULT_TRACE_MASK;
  protected readonly server: Server;
  protected readonly state: ServerState;
  private readonly host: HostView;
  private readonly facts: () => ConfigFacts;
  private loaded: { readonly view: LoadView; readonly madeMs: number } | null = null;

  constructor(server: Server, host: HostView, facts: () => ConfigFacts, version: string) {
    this.server = server;
    this.state = server.state;
    this.host = host;
    this.version = version;
    this.facts = facts;
  }

  get isServing(): boolean {
    return true;
  }

  /** A standalone server is read-only on the demand of a test: ServerControl.goReadOnly. */
  get isReadOnly(): boolean {
    return this.state.isReadOnly;
  }

  get mode(): ServerMode {
    return this.isReadOnly ? 'read-only' : 'standalone';
  }

  get connectionDropProbability(): number {
    return this.state.connectionThrottle?.dropChance ?? 0;
  }

  get config(): ConfigView {
    const { settings } = this.state;
    return {
      ...this.facts(),
      tickTime: settings.tickTimeMs,
      minSessionTimeout: settings.minSessionTimeoutMs,
      maxSessionTimeout: settings.maxSessionTimeoutMs,
      serverId: BigInt(settings.serverId),
    };
  }

  get outstandingTlsHandshakes(): number {
    return this.facts().outstandingTlsHandshakes;
  }

  get uptimeMs(): number {
    return this.host.uptimeMs();
  }

  get latency(): LatencyView {
    const { stats } = this.state;
    const { latencyCount: count, minLatencyMs: minMs, maxLatencyMs: maxMs } = stats;
    return { minMs, avgMs: count === 0 ? 0 : stats.totalLatencyMs / count, maxMs };
  }

  get packetsReceived(): number {
    return this.state.stats.received;
  }

  get packetsSent(): number {
    return this.state.stats.sent;
  }

  get connectionCount(): number {
    return this.state.connections.size;
  }

  get outstandingRequests(): number {
    return this.server.outstandingRequests;
  }

  get lastProcessedZxid(): bigint {
    return this.state.tree.lastProcessedZxid;
  }

  get nodeCount(): number {
    return this.state.tree.nodeCount;
  }

  get ephemeralCount(): number {
    return this.state.tree.ephemeralsCount;
  }

  get dataSize(): number {
    return this.state.tree.approximateDataSize;
  }

  get watchCount(): number {
    return this.state.dataWatches.size + this.state.childWatches.size;
  }

  get localSessionCount(): number {
    return this.state.sessions.local?.size ?? 0;
  }

  get globalSessionCount(): number {
    return this.state.sessions.size;
  }

  get clientResponseSizes(): SizesView {
    const { stats } = this.state;
    return {
      last: stats.lastResponseSize,
      min: stats.minResponseSize,
      max: stats.maxResponseSize,
    };
  }

  get openFileCount(): number {
    return this.host.openFileCount();
  }

  get maxFileCount(): number {
    return this.host.maxFileCount();
  }

  get authFailedCount(): number {
    return this.state.stats.authFailed;
  }

  get extraGauges(): readonly (readonly [name: string, value: number])[] {
    return quotaGauges(this.state.tree);
  }

  get metrics(): MetricsView {
    return this.state.stats.metrics.view();
  }

  dirs(): { dataDirSize: number; logDirSize: number } {
    return this.host.dirs();
  }

  connections(): Iterable<ConnectionView> {
    const { connections } = this.state;
    return listed(connections.values(), connections.size, viewOf);
  }

  watchSummary(): { connections: number; paths: number; watches: number } {
    const { dataWatches } = this.state;
    return {
      connections: dataWatches.watcherCount,
      paths: dataWatches.pathCount,
      watches: dataWatches.size,
    };
  }

  watchesBySession(): Iterable<{ sessionId: bigint; paths: Iterable<string> }> {
    const { dataWatches } = this.state;
    return listed(dataWatches.byWatcher(), dataWatches.watcherCount, ([connection, paths]) => ({
      sessionId: idOf(connection),
      paths,
    }));
  }

  watchesByPath(): Iterable<{ path: string; sessionIds: Iterable<bigint> }> {
    const { dataWatches, connections } = this.state;
    return listed(dataWatches.byPath(), dataWatches.pathCount, ([path, watchers]) => ({
      path,
      sessionIds: listed(watchers, connections.size, idOf),
    }));
  }

  sessions(): SessionsView {
    const { sessions } = this.state;
    return { kind: 'tracker', buckets: this.bucketsOf(sessions), ...this.localBuckets() };
  }

  protected localBuckets(): Pick<SessionsView, 'localBuckets'> {
    const { local } = this.state.sessions;
    return local === null ? {} : { localBuckets: this.bucketsOf(local) };
  }

  private bucketsOf(tracker: SessionTracker): SessionBucketView[] {
    return [...tracker.expiryEntries()].map(([bucketMs, sessions]) => ({
      expiresAtMs: this.toWallMs(bucketMs),
      sessionIds: listed(sessions, sessions.size, ({ id }) => id),
    }));
  }

  ephemerals(): Listed<{ sessionId: bigint; paths: Iterable<string> }> {
    const owners = this.state.tree.sessionsWithEphemerals();
    return listed(owners, owners.size, ([id, paths]) => ({
      sessionId: BigInt(`0x${id}`),
      paths: listed(paths, paths.size, (path) => path),
    }));
  }

  connectionExpiry(): readonly ConnectionBucketView[] {
    const buckets = new Map<number, { remote: string; sessionId: bigint }[]>();
    for (const connection of this.state.connections.values()) {
      const { session } = connection;
      const dueMs =
        session?.bucketMs ?? connection.openedMs + this.state.settings.sessionlessTimeoutMs;
      const entry = { remote: remoteOf(connection), sessionId: session?.id ?? 0n };
      const bucket = buckets.get(dueMs);
      if (bucket === undefined) buckets.set(dueMs, [entry]);
      else bucket.push(entry);
    }
    return [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([dueMs, connections]) => ({ expiresAtMs: this.toWallMs(dueMs), connections }));
  }

  /** Made once a second, however many ask: it reads all connections and thousands of watches. */
  load(): LoadView {
    const { monotonicMs } = this.state;
    if (this.loaded === null || monotonicMs - this.loaded.madeMs >= LOAD_AGE_MS) {
      this.loaded = { view: loadView(this.state), madeMs: monotonicMs };
    }
    return this.loaded.view;
  }

  get isKeeperAnnounced(): boolean {
    return this.state.keeperDialect === 'announced';
  }

  log(): { firstZxid: bigint; lastZxid: bigint; snapshotZxid: bigint } {
    const lastZxid = this.server.pipeline?.lastLogged ?? this.lastProcessedZxid;
    return { ...this.host.files(), lastZxid };
  }

  beginSnapshot(): boolean {
    const isAllowed = !this.isReadOnly && this.host.takesSnapshot();
    if (isAllowed) this.server.beginSnapshot();
    return isAllowed;
  }

  /** A standalone server leads. */
  askForLeadership(): boolean {
    return true;
  }

  digests(): readonly { zxid: bigint; digest: bigint }[] {
    return this.state.tree.digests;
  }

  environment(): readonly (readonly [string, string])[] {
    return this.host.environment();
  }

  setTraceMask(mask: bigint): void {
    this.traceMask = mask;
  }

  resetConnectionStats(): void {
    for (const { stats } of this.state.connections.values()) stats.reset();
  }

  observers(): readonly ObserverView[] {
    return [];
  }

  resetObserverStats(): void {
    // A standalone server has no observers.
  }

  resetServerStats(): void {
    this.state.stats.reset();
  }

  private toWallMs(monotonicMs: number): number {
    return monotonicMs - this.state.monotonicMs + this.state.wallMs;
  }
}

function viewOf(connection: ClientConnection): ConnectionView {
  const { stats, session, pending } = connection;
  return {
    remote: remoteOf(connection),
    isOverTls: connection.isOverTls,
    interestOps: session === null ? 0 : 1,
    outstanding: pending.length,
    packetsReceived: stats.received,
    packetsSent: stats.sent,
    sessionId: session?.id ?? 0n,
    lastOperation: lastOperationName(stats.lastOperation),
    establishedMs: stats.establishedMs,
    sessionTimeoutMs: session?.timeoutMs ?? 0,
    lastCxid: BigInt(stats.lastCxid),
    lastZxid: stats.lastZxid,
    lastResponseMs: Math.floor(stats.lastResponseMs),
    lastLatencyMs: stats.lastLatencyMs,
    minLatencyMs: stats.minLatencyMs,
    avgLatencyMs:
      stats.latencyCount === 0 ? 0 : Math.floor(stats.totalLatencyMs / stats.latencyCount),
    maxLatencyMs: stats.maxLatencyMs,
  };
}

function idOf({ session }: ClientConnection): bigint {
  return session?.id ?? 0n;
}

/** As Java prints an address: IPv6 in brackets with all eight groups. */
function remoteOf({ remoteIp, remotePort }: ClientConnection): string {
  return remoteIp.includes(':') ? `[${remoteIp}]:${remotePort}` : `${remoteIp}:${remotePort}`;
}
