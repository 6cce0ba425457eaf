import type { Data } from '../protocol/check-argument.js';
import type { CreateMode } from '../protocol/create-mode.js';
import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import type { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
import type { TlsOptions } from './tls.js';
import type { WireTap } from './wire-trace.js';

/**
 * The states of the Programmer's Guide. A client learns about an expired session only when it
 * reaches a server again; until then it is disconnected.
 *
 * ```
 *   connecting -> connected | connected-readonly <-> disconnected -> expired
 *   any -> closed        connecting, connected -> auth-failed
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

export type Watcher = (event: WatchEvent) => void;

/** `true` sends the event to the default watcher (the client's 'watch' event). */
export type WatchOption = boolean | Watcher;

export interface ReadOptions {
  readonly watch?: WatchOption;
}

export interface CreateOptions {
  /** Default PERSISTENT. */
  readonly mode?: CreateMode;
  /** Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[];
  /** Milliseconds, for the two TTL modes. */
  readonly ttl?: number;
}

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
      readonly data?: Data;
      readonly options?: CreateOptions;
    }
  | { readonly op: 'delete'; readonly path: string; readonly version?: number }
  | {
      readonly op: 'set';
      readonly path: string;
      readonly data: Data;
      readonly version?: number;
    }
  | { readonly op: 'check'; readonly path: string; readonly version: number };

export type OpResult =
  | { readonly op: 'create'; readonly path: string; readonly stat?: Stat }
  | { readonly op: 'delete' }
  | { readonly op: 'set'; readonly stat: Stat }
  | { readonly op: 'check' };

export interface ClientEvents {
  /** Every change of state, with a reason if the caller did not request it. */
  state: [state: ClientState, reason?: Error];
  /** Events of watches set with `watch: true`. */
  watch: [event: WatchEvent];
}

/**
 * One session over one connection at a time. Requests are pipelined and answered in order. Every
 * server error rejects with a ZooKeeperError (errors.ts) that has its ZooKeeper name and path. A
 * lost connection rejects the requests in flight with CONNECTIONLOSS: their outcome is unknown. An
 * argument of a wrong type rejects with a TypeError or RangeError, before anything is sent. Data
 * are bytes (Uint8Array), a string (sent as UTF-8) or null. Paths are absolute; the client adds and
 * removes the chroot of the connect string.
 */
export interface ZooKeeperClient {
  readonly state: ClientState;
  /** 0n before the first connection. */
  readonly sessionId: bigint;
  /** As negotiated, in ms. */
  readonly sessionTimeoutMs: number;
  /** "" without a chroot. */
  readonly chroot: string;
  /** "host:port" of the current server; undefined while disconnected. */
  readonly server: string | undefined;

  /**
   * Resolves when the session is first established. Rejects with a ConnectError, and closes the
   * client, when no server accepted it in time. Rejects with SESSIONEXPIRED when a server opens no
   * session, or refuses the given one; see the cause.
   */
  connect(): Promise<void>;

  /**
   * Replaces the servers of this session. The client stays connected if possible. It moves, with
   * CONNECTIONLOSS for requests in flight, if its server is not in the list, or, with some
   * probability, if the list grew, to balance the clients.
   * @param connectString its chroot must be that of the session, or absent
   * @throws RangeError for a bad one; UnsupportedError over the native client
   */
  updateServers(connectString: string): void;

  create(path: string, data?: Data, options?: CreateOptions): Promise<CreateResult>;
  delete(path: string, version?: number): Promise<void>;
  /** Null if the znode does not exist; the watch is set in both cases. */
  exists(path: string, options?: ReadOptions): Promise<Stat | null>;
  getData(path: string, options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  setData(path: string, data: Data, version?: number): Promise<Stat>;
  getACL(path: string): Promise<{ acl: readonly ACL[]; stat: Stat }>;
  /** @param version the expected aversion, -1 for any */
  setACL(path: string, acl: readonly ACL[], version?: number): Promise<Stat>;
  /** Children in the server's order, which is not sorted. */
  getChildren(
    path: string,
    options?: ReadOptions,
  ): Promise<{ children: readonly string[]; stat: Stat }>;
  getAllChildrenNumber(path: string): Promise<number>;
  /** The ephemerals of this session below `prefix`. */
  getEphemerals(prefix?: string): Promise<readonly string[]>;
  sync(path: string): Promise<void>;
  /** All or nothing. Rejects with a MultiError that identifies the failed operation. */
  multi(ops: readonly Op[]): Promise<readonly OpResult[]>;
  /** Accumulates for the life of the client; every reconnect sends it again. */
  addAuth(scheme: string, auth: string | Uint8Array): Promise<void>;
  whoAmI(): Promise<readonly ClientInfo[]>;
  addWatch(path: string, mode: AddWatchMode, watcher: WatchOption): Promise<void>;
  /** @param isLocal without a server, forget them here: a reconnect does not set them again */
  removeWatches(path: string, type: WatcherType, isLocal?: boolean): Promise<void>;
  getConfig(options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  reconfig(change: {
    readonly joining?: string;
    readonly leaving?: string;
    readonly members?: string;
    /** The expected version of the config, -1n for any. */
    readonly fromConfig?: bigint;
  }): Promise<{ data: Buffer | null; stat: Stat }>;

  /** Closes the session on the server, which deletes its ephemerals at once; always resolves. */
  close(): Promise<void>;

  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
}

/** A client that exposes the data for a later client to re-attach to its session. */
export interface SessionClient extends ZooKeeperClient {
  /** 16 bytes that prove, with the id, the ownership of the session. */
  readonly sessionPassword: Buffer;
}

export interface ClientOptions {
  /**
   * "host[:port][,host[:port]…][/chroot]"; the default port is 2181. IPv6 in brackets. The prefix
   * zks:// means TLS for all servers, and the default port 2281.
   */
  readonly connectString: string;
  /** TLS options; if set, all servers use TLS, with or without zks://. */
  readonly tls?: TlsOptions;
  /** Requested timeout; the server clamps it. Default 30000. */
  readonly sessionTimeoutMs?: number;
  /** How long connect() tries the whole list. Default 10000. */
  readonly connectTimeoutMs?: number;
  /**
   * How many rounds of the list connect() tries before it rejects, even with time left. Use 1 for a
   * command that should fail at once when a server is down. Default: no limit but the time; the
   * native client ignores it.
   */
  readonly connectRounds?: number;
  /** A request without an answer for this long rejects with REQUESTTIMEOUT; 0 (default): never. */
  readonly requestTimeoutMs?: number;
  /** Whether this session may use a read-only server. Default false. */
  readonly canBeReadOnly?: boolean;
  /** Longest reply accepted, in bytes. Default 4 MiB - 1 (Apache's client: jute.maxbuffer). */
  readonly maxFrameLength?: number;
  /** Re-attach to a session of an earlier client instead of opening a new one. */
  readonly session?: { readonly id: bigint; readonly password: Uint8Array };
  /** Creates a tap for the traffic of a connection; not for the native client. */
  readonly trace?: () => WireTap;
  /** The list is shuffled once, as Apache's clients do; false keeps its order. */
  readonly shouldShuffle?: boolean;
}
