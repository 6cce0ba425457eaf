import type { EventEmitter } from 'node:events';
import type { Data } from '../../protocol/check-argument.js';
import type { CreateMode } from '../../protocol/create-mode.js';
import type { ACL, ClientInfo, Stat } from '../../protocol/data.js';
import type { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import type { ConfigChange } from './config-change.js';
import type { ZooKeeperError } from './errors.js';

/**
 * The states of the Programmer's Guide. A session is expired when a server says so, or when no
 * server has answered for 4/3 of its timeout. Until then the client is disconnected.
 *
 * ```
 *   connecting -> connected | connected-readonly <-> disconnected -> expired
 *   any -> closed        connecting, connected -> auth-failed
 *   expired -> connecting, if the client renews its session
 * ```
 */
export type ClientState =
  | 'connecting'
  | 'connected'
  | 'connected-readonly'
  | 'disconnected'
  | 'expired'
  | 'closed'
  | 'auth-failed';

/** A watch that fired; paths are client paths, without the chroot. */
export interface WatchEvent {
  readonly type:
    | 'NodeCreated'
    | 'NodeDeleted'
    | 'NodeDataChanged'
    | 'NodeChildrenChanged'
    | 'DataWatchRemoved'
    | 'ChildWatchRemoved'
    | 'PersistentWatchRemoved';
  readonly path: string;
  /** The txn of the event; -1n from servers before 3.9 and after a reconnect. */
  readonly zxid: bigint;
}

/** Gets the event of a watch, in a turn of its own. */
export type Watcher = (event: WatchEvent) => void;

/** What `watch()` yields instead of events that it may have missed: read the znodes again. */
export interface WatchGap {
  readonly type: 'Gap';
  /** The watched path. */
  readonly path: string;
  /**
   * `started`: the watch is set, so a read from now on misses nothing. `reconnected`: a persistent
   * watch reports nothing of the time without a connection. `overflow`: the loop was too slow.
   */
  readonly reason: 'started' | 'reconnected' | 'overflow';
}

/** An item of the loop of `watch()`. */
export type WatchChange = WatchEvent | WatchGap;

export interface WatchOptions {
  /** Whether to watch every znode below the path, too. Default false. */
  readonly recursive?: boolean | undefined;
  /** Ends the loop with a RequestAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** How many events may wait for the loop, from 1; more become a gap. Default 10000. */
  readonly maxQueued?: number | undefined;
}

export interface RemoveOptions extends CallOptions {
  /**
   * Removes only this watcher; other watchers of the path stay. Default: all of them. `true` is the
   * default watcher.
   */
  readonly watcher?: Watcher | true | undefined;
}

/** `true` sends the event to the default watcher (the client's 'watch' event). */
export type WatchOption = boolean | Watcher;

/** The limits of one call. */
export interface CallOptions {
  /**
   * Ends the call with a RequestAbortedError, which tells whether the request was sent. A request
   * that was sent may still happen.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * After this many ms the call rejects with ETIMEDOUT; from 1. It can shorten the time of
   * the client's requestTimeoutMs, not lengthen it.
   */
  readonly timeoutMs?: number | undefined;
}

export interface ReadOptions extends CallOptions {
  /** A one-shot watch. Default false. */
  readonly watch?: WatchOption | undefined;
}

export interface CreateOptions {
  /** Default PERSISTENT. */
  readonly mode?: CreateMode | undefined;
  /** Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[] | undefined;
  /** Milliseconds, for the two TTL modes. */
  readonly ttl?: number | undefined;
}

/** A created znode. */
export interface CreateResult {
  /** The created path: with the sequence number, without the chroot. */
  readonly path: string;
  readonly stat: Stat;
}

/** One operation of a multi. Version -1 matches any. */
export type Op =
  | {
      readonly op: 'create';
      readonly path: string;
      readonly data?: Data | undefined;
      readonly options?: CreateOptions | undefined;
    }
  | { readonly op: 'delete'; readonly path: string; readonly version?: number | undefined }
  | {
      readonly op: 'set';
      readonly path: string;
      readonly data: Data;
      readonly version?: number | undefined;
    }
  | { readonly op: 'check'; readonly path: string; readonly version: number };

/** One read of a multiRead. */
export interface ReadOp {
  readonly op: 'getData' | 'getChildren';
  readonly path: string;
}

/** The result of one read of a multiRead, in the order of the reads. */
export type ReadResult =
  | { readonly op: 'getData'; readonly data: Buffer | null; readonly stat: Stat }
  | { readonly op: 'getChildren'; readonly children: readonly string[] }
  /** This read failed; the others are not affected. */
  | { readonly op: 'error'; readonly error: ZooKeeperError };

/** The result of one operation of a multi, in the order of the operations. */
export type OpResult =
  | { readonly op: 'create'; readonly path: string; readonly stat?: Stat }
  | { readonly op: 'delete' }
  | { readonly op: 'set'; readonly stat: Stat }
  | { readonly op: 'check' };

/** The events of a client, with the arguments of their listeners. */
export interface ClientEvents {
  /** Every change of state, with a reason if the caller did not request it. */
  state: [state: ClientState, reason?: Error];
  /** The same changes, by the new state. */
  connected: [];
  'connected-readonly': [];
  disconnected: [reason?: Error];
  expired: [reason?: Error];
  'auth-failed': [reason?: Error];
  closed: [reason?: Error];
  /** Events of watches set with `watch: true`. */
  watch: [event: WatchEvent];
  /** After `connected` of the session that follows an expired one (renewSession). */
  renewed: [sessions: { readonly previousSessionId: bigint; readonly sessionId: bigint }];
  /** Never: `events.once` of Node.js listens to it. */
  error: [error: Error];
}

/**
 * One session over one connection at a time. Requests are pipelined and answered in order. Every
 * server error rejects with a ZooKeeperError (errors.ts) that has its ZooKeeper name and path. A
 * lost connection rejects the requests in flight with CONNECTIONLOSS: their outcome is unknown, as
 * the error's hasUnknownOutcome problem. Every call ends, at the latest after requestTimeoutMs, and
 * takes a signal and a shorter timeout (CallOptions). An argument of a wrong type rejects with a
 * TypeError or RangeError, before anything is sent. Data are bytes (Uint8Array), a string (sent as
 * UTF-8) or null. Paths are absolute; the client adds and removes the chroot of the connect string.
 */
export interface ZooKeeperClient {
  /** What the session is doing; see ClientState. */
  readonly state: ClientState;
  /** Whether a new session follows an expired one (renewSession of createClient). */
  readonly renewsSession: boolean;
  /** 0n before the first connection. */
  readonly sessionId: bigint;
  /** As negotiated, in ms. */
  readonly sessionTimeoutMs: number;
  /** "" without a chroot. */
  readonly chroot: string;
  /** "host:port" of the current server; undefined while disconnected. */
  readonly server: string | undefined;
  /**
   * For how many ms no server has answered this session, by a monotonic clock; 0 before the first
   * connection, and over the native client, which cannot tell.
   */
  readonly silentMs: number;
  /** The newest zxid of a reply to this session; 0n over the native client, which cannot tell. */
  readonly lastZxid: bigint;

  /**
   * Resolves when the session is first established. Rejects with a ConnectError, and closes the
   * client, when no server accepted it in time. Rejects with SESSIONEXPIRED when a server opens no
   * session, or refuses the given one; see the cause. The signal closes the client, too, and
   * rejects with a RequestAbortedError.
   */
  connect(options?: Pick<CallOptions, 'signal'>): Promise<void>;

  /**
   * Replaces the servers of this session. The client stays connected if possible. It moves, with
   * CONNECTIONLOSS for requests in flight, if its server is not in the list, or, with some
   * probability, if the list grew, to balance the clients.
   * @param connectString its chroot must be that of the session, or absent
   * @throws RangeError for a bad one; UnsupportedError over the native client
   */
  updateServers(connectString: string): void;

  /**
   * A view of this client below a chroot: the same session and connection, with paths below
   * `path`, which need not exist. That holds for all arguments, results, events, and errors, and
   * for everything that is built on a client. `chroot` is the whole chroot of the view. Its event
   * 'watch' is that of its own watches. Its close() closes nothing: close this client.
   * @example
   * const shop = client.within('/teams/shop');
   * await shop.create('/config', 'v1');
   * @throws ZooKeeperError BADARGUMENTS for an invalid path; UnsupportedError over the native
   * client
   */
  within(path: string): ZooKeeperClient;

  /** @throws ZooKeeperError NODEEXISTS, NOCHILDRENFOREPHEMERALS, or NONODE without the parent */
  create(path: string, data?: Data, options?: CreateOptions & CallOptions): Promise<CreateResult>;
  /** @param version -1, the default, for any @throws ZooKeeperError NOTEMPTY, BADVERSION */
  delete(path: string, version?: number, call?: CallOptions): Promise<void>;
  /** Null if the znode does not exist; the watch is set in both cases. */
  exists(path: string, options?: ReadOptions): Promise<Stat | null>;
  /** Data are null if the writer sent none. @throws ZooKeeperError NONODE, and sets no watch */
  getData(path: string, options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  /** @param version -1, the default, for any @throws ZooKeeperError NONODE, BADVERSION */
  setData(path: string, data: Data, version?: number, call?: CallOptions): Promise<Stat>;
  /** @throws ZooKeeperError NONODE, NOAUTH */
  getACL(path: string, call?: CallOptions): Promise<{ acl: readonly ACL[]; stat: Stat }>;
  /** @param version the expected aversion, -1 for any */
  setACL(path: string, acl: readonly ACL[], version?: number, call?: CallOptions): Promise<Stat>;
  /** Children in the server's order, which is not sorted. */
  getChildren(
    path: string,
    options?: ReadOptions,
  ): Promise<{ children: readonly string[]; stat: Stat }>;
  /** The number of znodes below the path, on all levels. Servers from 3.6. */
  getAllChildrenNumber(path: string, call?: CallOptions): Promise<number>;
  /** The ephemerals of this session below `prefix`. */
  getEphemerals(prefix?: string, call?: CallOptions): Promise<readonly string[]>;
  /** Brings the server up to date with the leader: later reads see every write before it. */
  sync(path: string, call?: CallOptions): Promise<void>;
  /** All or nothing. Rejects with a MultiError that identifies the failed operation. */
  multi(ops: readonly Op[], call?: CallOptions): Promise<readonly OpResult[]>;
  /**
   * Several reads of one moment, without watches: each has its own result.
   * @throws ZooKeeperError UNIMPLEMENTED from servers before 3.6; UnsupportedError over the native
   * client
   */
  multiRead(ops: readonly ReadOp[], call?: CallOptions): Promise<readonly ReadResult[]>;
  /** Accumulates for the life of the client; every reconnect sends it again. */
  addAuth(scheme: string, auth: string | Uint8Array, call?: CallOptions): Promise<void>;
  /** The identities that the server knows of this session. Servers from 3.7. */
  whoAmI(call?: CallOptions): Promise<readonly ClientInfo[]>;
  /** A watch that fires for every change until removeWatches. Servers from 3.6. */
  addWatch(
    path: string,
    mode: AddWatchMode,
    watcher: WatchOption,
    call?: CallOptions,
  ): Promise<void>;
  /**
   * @param isLocal forget them here, also without a server: a reconnect does not set them again.
   *   With `watcher`, at once: the server's watch goes only if no other watcher shares it
   */
  removeWatches(
    path: string,
    type: WatcherType,
    isLocal?: boolean,
    call?: RemoveOptions,
  ): Promise<void>;
  /**
   * The changes of a znode as a loop, by a persistent watch. The first item is a gap: read the
   * znode then. Every later gap means that changes may be missing: read it again. Leaving the loop
   * removes the watch.
   * @example
   * for await (const change of client.watch('/app', { recursive: true })) {
   *   if (change.type === 'Gap') await reload();
   *   else console.log(change.type, change.path);
   * }
   * @throws ZooKeeperError when the session ends; UnsupportedError over the native client
   */
  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchChange>;
  /** The configuration of the ensemble, as lines of zoo.cfg. */
  getConfig(options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  /** Resolves to the new configuration. @throws ZooKeeperError RECONFIGDISABLED, BADVERSION */
  reconfig(change: ConfigChange, call?: CallOptions): Promise<{ data: Buffer | null; stat: Stat }>;

  /** Closes the session on the server, which deletes its ephemerals at once; always resolves. */
  close(): Promise<void>;
  /** close(), for `await using client = …`. */
  [Symbol.asyncDispose](): Promise<void>;

  /** Adds a listener of an event. @throws RangeError for an unknown event */
  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  /** Adds a listener of the next event. @throws RangeError for an unknown event */
  once<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  /** Removes a listener that `on` or `once` added. */
  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
}

/**
 * A client, and an emitter of node:events, that exposes the data for a later client to re-attach to
 * its session.
 */
export interface SessionClient extends ZooKeeperClient, EventEmitter {
  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  once<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  /** 16 bytes that prove, with the id, the ownership of the session. */
  readonly sessionPassword: Buffer;
  /** The client does not keep the process alive any more. */
  unref(): this;
  /** The client keeps the process alive again. */
  ref(): this;
}
