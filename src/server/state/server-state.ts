import { assert } from '../../base/assert.js';
import { Fifo } from '../../base/fifo.js';
import { highOf, lowOf } from '../../jute/long.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { formatSessionId } from '../../protocol/session-id.js';
import type { Event, ServerFault } from '../events.js';
import type { ConnectionThrottle } from '../limits/connection-throttle.js';
import type { LimitOptions } from '../limits/limit-options.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import { Work } from '../limits/work.js';
import { namespaceOf } from '../metrics/namespaces.js';
import { ServerStats } from '../metrics/server-stats.js';
import type { Prep } from '../prep/prep.js';
import { type Auth, userOf } from '../session/auth.js';
import type { Session, SessionTracker } from '../session/session-tracker.js';
import type { DataTree } from '../tree/data-tree.js';
import type { ClientConnection } from './client-connection.js';
import { Reporter, type ReportOptions } from './reports.js';
import { WatchManager } from './watch-manager.js';

/**
 * What clients get of ClickHouse Keeper's dialect: nothing, its operations, or also the word that
 * they exist. The leader of an ensemble says it.
 */
export type KeeperDialect = 'off' | 'served' | 'announced';

export interface ServerSettings {
  readonly serverId: number;
  readonly tickTimeMs: number;
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** Default: as Apache's server computes it. */
  readonly passwordOf?: (sessionId: bigint) => Buffer;
  /** jute.maxbuffer: the longest request in bytes. */
  readonly maxFrameLength: number;
  /** Requests in flight above which the server pauses the clients that send. */
  readonly globalOutstandingLimit: number;
  readonly isTTLEnabled: boolean;
  /** keeperDialect: operations of ClickHouse Keeper are served, too, if the leader serves them. */
  readonly isKeeperDialect?: boolean;
  readonly limits?: LimitOptions;
  /** For each connection; 0: no limit. */
  readonly maxWatches?: number;
  /** Default LIMITS.unreadBytesInAll. */
  readonly maxEventBytes?: number;
  /** Timeout of a connect request. */
  readonly sessionlessTimeoutMs: number;
  /** Default: only sessions and refusals. */
  readonly reports?: ReportOptions;
}

/** Watches of closed connections to drop at once, and in each later turn; about 0.5 us each. */
const DROP_SLICE = 5000;
const NO_REPORTS: ReportOptions = { slowRequestMs: 0, isAudited: false };

/** The state that the stages of one server share. */
export class ServerState {
  readonly settings: ServerSettings;
  readonly tree: DataTree;
  readonly sessions: SessionTracker;
  readonly auth: Auth;
  readonly prep: Prep;
  readonly dataWatches: WatchManager<ClientConnection>;
  readonly childWatches: WatchManager<ClientConnection>;
  readonly connections = new Map<number, ClientConnection>();
  readonly work = new Work();
  readonly stats: ServerStats;
  readonly reporter: Reporter;
  /** Anything but `off` only with `settings.isKeeperDialect`. */
  keeperDialect: KeeperDialect;
  /** Writes are refused, because this member has no quorum. */
  isReadOnly = false;
  /** The answer to every write, for tests of clients; null serves them. */
  refusedWrites: ErrorCode | null = null;
  /** An operator replaced a tree that clients may have seen by this one. */
  isRestored = false;
  /** The size of all requests in the queues of connections, in bytes. */
  readonly inFlight = { bytes: 0 };
  /** The events that no connection has been sent yet, in bytes. */
  private eventBytes = 0;
  /** Connections that must close, because they lack an event. */
  private overfull: ClientConnection[] = [];
  /** The wall clock at the start of this turn. */
  wallMs = 0;
  /** `wallMs` for txns. */
  wallTime = 0n;
  /** The monotonic clock at the start of this turn. */
  monotonicMs = 0;
  /** The last applied zxid in two halves, so that a reply makes no bigint. It only grows. */
  zxidHigh = 0;
  zxidLow = 0;
  /** Null allows every client to open a session. */
  readonly connectionThrottle: ConnectionThrottle | null;
  /** If very many have events to send, some wait for a turn or two. */
  readonly withEvents = new Fifo<ClientConnection>();
  /** Watches of closed connections, which get no events. */
  private readonly dropping = new Fifo<Generator<void, void, undefined>>();
  /** The connections with output in this turn, each once. */
  private dirty: ClientConnection[] = [];

  constructor(parts: {
    settings: ServerSettings;
    tree: DataTree;
    sessions: SessionTracker;
    auth: Auth;
    prep: Prep;
    connectionThrottle?: ConnectionThrottle;
    /** The counters of the previous server. */
    stats?: ServerStats;
  }) {
    this.stats = parts.stats ?? new ServerStats();
    this.settings = parts.settings;
    this.keeperDialect = parts.settings.isKeeperDialect === true ? 'announced' : 'off';
    this.connectionThrottle = parts.connectionThrottle ?? null;
    this.reporter = new Reporter(parts.settings.reports ?? NO_REPORTS);
    this.tree = parts.tree;
    this.dataWatches = new WatchManager(parts.tree.options.hashSeed);
    this.childWatches = new WatchManager(parts.tree.options.hashSeed);
    this.sessions = parts.sessions;
    this.auth = parts.auth;
    this.prep = parts.prep;
    this.zxidHigh = highOf(parts.tree.lastProcessedZxid);
    this.zxidLow = lowOf(parts.tree.lastProcessedZxid);
    parts.auth.work = this.work;
    parts.auth.onLimit = (limit, from) => this.exceeded(limit, from);
    parts.prep.onQuotaExceeded = (excess, isRefused) => {
      this.reporter.quotaExceeded(excess, isRefused, this.monotonicMs);
      if (isRefused) this.stats.metrics.countQuotaError(namespaceOf(excess.owner));
    };
  }

  /** Counts and reports an exceeded limit. @param from an address, or another name of the sender */
  exceeded(limit: LimitName, from: string, value: number = LIMITS[limit].value): void {
    this.stats.metrics.countLimit(limit);
    this.reporter.limit(limit, value, from, this.monotonicMs);
  }

  /** A request that `Load.isDue` chose. */
  sampled(connection: ClientConnection, bytes: number, path: string | undefined): void {
    const { remoteIp: address, ids } = connection;
    const session = formatSessionId(connection.session?.id ?? 0n);
    this.stats.metrics.load.take({ session, address, user: userOf(ids), path }, bytes);
  }

  private apply(fault: ServerFault): void {
    if (fault.kind === 'expire') this.sessions.expireNow(fault.sessionId);
    else if (fault.kind === 'refuse-writes') this.refusedWrites = fault.error;
    else {
      this.isReadOnly = fault.isReadOnly;
      this.refusedWrites = fault.isReadOnly ? ErrorCode.NOTREADONLY : null;
    }
  }

  note(event: Extract<Event, { kind: 'counted' | 'limit-exceeded' | 'measured' | 'fault' }>): void {
    if (event.kind === 'fault') this.apply(event.fault);
    else if (event.kind === 'counted') this.stats.count(event.what);
    else if (event.kind === 'measured') this.stats.measured(event.what, event.value);
    else this.exceeded(event.limit, event.from, event.value);
  }

  clock(wallMs: number, monotonicMs: number): void {
    if (wallMs !== this.wallMs) this.wallTime = BigInt(wallMs);
    this.wallMs = wallMs;
    this.monotonicMs = monotonicMs;
    this.sessions.clock(monotonicMs);
    this.stats.metrics.load.clock(monotonicMs);
  }

  /** A txn was applied: replies and events show it from now on. */
  setProcessed(zxid: bigint): void {
    const high = highOf(zxid);
    const low = lowOf(zxid);
    const isLater = high === this.zxidHigh ? low >>> 0 > this.zxidLow >>> 0 : high > this.zxidHigh;
    if (!isLater) assert(false, 'zxid order: shown in replies', zxid, this.zxidLow >>> 0);
    this.zxidHigh = high;
    this.zxidLow = low;
  }

  markDirty(connection: ClientConnection): void {
    if (connection.isDirty) return;
    connection.isDirty = true;
    this.dirty.push(connection);
  }

  holderOf({ holder }: Session): ClientConnection | undefined {
    return holder === null ? undefined : this.connections.get(holder.id);
  }

  markEventPending(connection: ClientConnection): void {
    if (connection.isDirty || connection.isEventPending) return;
    connection.isEventPending = true;
    this.withEvents.push(connection);
  }

  /**
   * False if the connection gets no more events. One change may have many long ones for many
   * connections: beyond the limit, each that would get another one closes.
   */
  hasRoomForEvent(connection: ClientConnection): boolean {
    if (connection.isOverfull) return false;
    const { maxEventBytes = LIMITS.unreadBytesInAll.value } = this.settings;
    if (this.eventBytes <= maxEventBytes) return true;
    connection.isOverfull = true;
    this.overfull.push(connection);
    this.takeOutput(connection);
    this.exceeded('unreadBytesInAll', connection.remoteIp, maxEventBytes);
    return false;
  }

  addEvent(connection: ClientConnection, frame: Buffer): void {
    connection.out.writeShared(frame);
    connection.eventBytes += frame.length;
    this.eventBytes += frame.length;
    this.markEventPending(connection);
  }

  takeOutput(connection: ClientConnection): Buffer {
    this.forgetEvents(connection);
    return connection.out.take();
  }

  forgetEvents(connection: ClientConnection): void {
    this.eventBytes -= connection.eventBytes;
    connection.eventBytes = 0;
    if (this.eventBytes < 0) assert(false, 'back-pressure: more events left than came');
  }

  takeOverfull(): readonly ClientConnection[] {
    const { overfull } = this;
    if (overfull.length > 0) this.overfull = [];
    return overfull;
  }

  takeDirty(): readonly ClientConnection[] {
    const { dirty } = this;
    if (dirty.length > 0) this.dirty = [];
    return dirty;
  }

  hasTooManyWatches(connection: ClientConnection): boolean {
    const { maxWatches = LIMITS.watchesPerConnection.value } = this.settings;
    const count = this.dataWatches.countOf(connection) + this.childWatches.countOf(connection);
    if (count > maxWatches && maxWatches !== 0) {
      this.exceeded('watchesPerConnection', connection.remoteIp, maxWatches);
      return true;
    }
    const most = LIMITS.watchedBytesPerConnection.value;
    if (this.watchedBytesInAll <= most || this.watchedBytes(connection) <= most) return false;
    this.exceeded('watchedBytesPerConnection', connection.remoteIp);
    return true;
  }

  /** The connection to close because all watched paths are too long. */
  withMostWatchedBytes(): ClientConnection | undefined {
    // The watches of a closed connection are not gone at once.
    if (this.watchedBytesInAll <= LIMITS.watchedBytesInAll.value || this.isDropping)
      return undefined;
    let most: ClientConnection | undefined;
    for (const connection of this.connections.values()) {
      if (most === undefined || this.watchedBytes(connection) > this.watchedBytes(most)) {
        most = connection;
      }
    }
    if (most !== undefined) this.exceeded('watchedBytesInAll', most.remoteIp);
    return most;
  }

  private get watchedBytesInAll(): number {
    return this.dataWatches.pathLength + this.childWatches.pathLength;
  }

  private watchedBytes(connection: ClientConnection): number {
    return this.dataWatches.pathLengthOf(connection) + this.childWatches.pathLengthOf(connection);
  }

  /** Drops the watches of a closed connection; many of them in the next turns. */
  forgetWatches(connection: ClientConnection): void {
    const isFirst = !this.isDropping;
    for (const watches of [this.dataWatches, this.childWatches]) {
      this.dropping.push(watches.removeWatcher(connection));
    }
    if (isFirst) this.dropWatches();
  }

  /** Once a turn. */
  dropWatches(): void {
    for (let left = DROP_SLICE; left > 0; left--) {
      const one = this.dropping.peek();
      if (one === undefined) return;
      if (one.next().done === true) this.dropping.shift();
    }
  }

  get isDropping(): boolean {
    return this.dropping.length > 0;
  }
}
