import type { Data } from '../protocol/check-argument.js';
import type { CreateMode } from '../protocol/create-mode.js';
import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import type { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
import type { TlsOptions } from './tls.js';
import type { WireTap } from './wire-trace.js';

/**
 * The states of the Programmer's Guide. A client learns that its session expired only when it
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

/** A watch that fired; paths are the client's own, without the chroot. */
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
  /** The txn that fired it; -1n from servers before 3.9 and after a reconnect. */
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
  /** The path made: with the sequence number, without the chroot. */
  readonly path: string;
  readonly stat: Stat;
}

/** One operation of a multi. A version of -1 is any. */
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
  /** Every change of state, with why (a sentence) when it was not asked for. */
  state: [state: ClientState, reason?: Error];
  /** Events of watches armed with `watch: true`. */
  watch: [event: WatchEvent];
}

/**
 * One session over one connection at a time. Requests are pipelined and answered in order. Every
 * server error rejects with a ZooKeeperError (errors.ts) that carries its ZooKeeper name and path;
 * a lost connection rejects what was in flight with CONNECTIONLOSS, whose outcome is unknown.
 * An argument of a wrong kind rejects with a TypeError or RangeError, before anything is sent.
 * Data are bytes (Uint8Array), a string, which is sent as UTF-8, or null.
 * Paths are absolute; the chroot of the connect string is put before and taken off again.
 */
export interface ZooKeeperClient {
  readonly state: ClientState;
  /** 0n before the first connection. */
  readonly sessionId: bigint;
  /** As negotiated, in ms. */
  readonly sessionTimeoutMs: number;
  /** "" when there is none. */
  readonly chroot: string;
  /** "host:port" of the server this client talks to, while it does. */
  readonly server: string | undefined;

  /**
   * Resolves when the session is first established. Rejects with a ConnectError, and closes the
   * client, when no server took it in time; with SESSIONEXPIRED when a server opens no session
   * for it, or does not take the one that it was given; the cause says which.
   */
  connect(): Promise<void>;

  /**
   * Other servers from now on, for this session. It stays where it is if it can; it moves, with
   * CONNECTIONLOSS for what is in flight, when its server is not in the list, and, as often as it
   * takes for all servers of the list to get their share of the clients, when there are more now.
   * @param connectString its chroot is that of the session, or left out
   * @throws RangeError for a bad one; UnsupportedError over the native client
   */
  updateServers(connectString: string): void;

  create(path: string, data?: Data, options?: CreateOptions): Promise<CreateResult>;
  delete(path: string, version?: number): Promise<void>;
  /** Null when there is no such znode; the watch is armed either way. */
  exists(path: string, options?: ReadOptions): Promise<Stat | null>;
  getData(path: string, options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  setData(path: string, data: Data, version?: number): Promise<Stat>;
  getACL(path: string): Promise<{ acl: readonly ACL[]; stat: Stat }>;
  /** @param version the aversion expected, -1 for any */
  setACL(path: string, acl: readonly ACL[], version?: number): Promise<Stat>;
  /** Children in the server's order; sort them to show them. */
  getChildren(
    path: string,
    options?: ReadOptions,
  ): Promise<{ children: readonly string[]; stat: Stat }>;
  getAllChildrenNumber(path: string): Promise<number>;
  /** The ephemerals of this session below `prefix`. */
  getEphemerals(prefix?: string): Promise<readonly string[]>;
  sync(path: string): Promise<void>;
  /** All or nothing. Rejects with a MultiError that says which operation failed. */
  multi(ops: readonly Op[]): Promise<readonly OpResult[]>;
  /** Accumulates for the life of the client, and is sent again after a reconnect. */
  addAuth(scheme: string, auth: string | Uint8Array): Promise<void>;
  whoAmI(): Promise<readonly ClientInfo[]>;
  addWatch(path: string, mode: AddWatchMode, watcher: WatchOption): Promise<void>;
  /** @param isLocal without a server, forget them here: they are not armed again then */
  removeWatches(path: string, type: WatcherType, isLocal?: boolean): Promise<void>;
  getConfig(options?: ReadOptions): Promise<{ data: Buffer | null; stat: Stat }>;
  reconfig(change: {
    readonly joining?: string;
    readonly leaving?: string;
    readonly members?: string;
    /** The config's version expected, -1n for any. */
    readonly fromConfig?: bigint;
  }): Promise<{ data: Buffer | null; stat: Stat }>;

  /** Closes the session on the server, so that its ephemerals go at once; always resolves. */
  close(): Promise<void>;

  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
}

/** A client that tells what a later one needs to re-attach to its session. */
export interface SessionClient extends ZooKeeperClient {
  /** 16 bytes that prove, with the id, that the session is one's own. */
  readonly sessionPassword: Buffer;
}

export interface ClientOptions {
  /**
   * "host[:port][,host[:port]…][/chroot]"; the default port is 2181. IPv6 in brackets. With
   * zks:// before it all servers are reached over TLS, and the default port is 2281.
   */
  readonly connectString: string;
  /** How TLS is spoken; given, all servers are reached over it, with zks:// or without. */
  readonly tls?: TlsOptions;
  /** Asked of the server, which clamps it. Default 30000. */
  readonly sessionTimeoutMs?: number;
  /** How long connect() tries the whole list. Default 10000. */
  readonly connectTimeoutMs?: number;
  /**
   * How many rounds of the list connect() tries before it rejects, even with time left: 1 for a
   * command that should say at once that a server is down. Default: as many as there is time for,
   * and the native client goes by the time alone.
   */
  readonly connectRounds?: number;
  /** A request without an answer for so long rejects with REQUESTTIMEOUT; 0 (default): never. */
  readonly requestTimeoutMs?: number;
  /** May this session live on a read-only server? Default false. */
  readonly canBeReadOnly?: boolean;
  /** Longest reply accepted, in bytes. Default 4 MiB - 1 (Apache's client: jute.maxbuffer). */
  readonly maxFrameLength?: number;
  /** Re-attach to a session of an earlier client instead of opening a new one. */
  readonly session?: { readonly id: bigint; readonly password: Uint8Array };
  /** Makes what is shown what goes over the connections; not for the native client. */
  readonly trace?: () => WireTap;
  /** The list is shuffled once, as Apache's clients do; false keeps its order. */
  readonly shouldShuffle?: boolean;
}
