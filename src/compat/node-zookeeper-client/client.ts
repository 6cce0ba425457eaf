import assert from 'node:assert';
import { EventEmitter } from 'node:events';
import type { ClientState, SessionClient, ZooKeeperClient } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { retryingClient } from '../../client/retry/retrying-client.js';
import { walk } from '../../client/znodes/walk.js';
import { createClient as createBuiltIn } from '../../client/zookeeper.js';
import { parentPath } from '../../protocol/path.js';
import {
  type Callback,
  type ChildrenCallback,
  callbackOf,
  checkData,
  type DataCallback,
  type EventListener,
  type Part,
  type PathCallback,
  type StatCallback,
  settle,
  versionOf,
  watchOf,
} from './calls.js';
import {
  aclsOf,
  checkAcls,
  clientAcls,
  createArguments,
  longOf,
  type Stat,
  statOf,
} from './convert.js';
import { Transaction } from './transaction.js';
import { type ACL, State } from './values.js';

export interface Options {
  /** In ms. Default 30000. */
  readonly sessionTimeout?: number;
  /** Pause before a retry, in ms. Default 1000. */
  readonly spinDelay?: number;
  /** Number of retries after a lost connection. Default 0. No write happens twice. */
  readonly retries?: number;
}

/** connect() of the original package never gives up; this is 24 days. */
const NEVER_MS = 0x7fff_ffff;

const STATES: Readonly<Partial<Record<ClientState, readonly [State, string]>>> = {
  connected: [State.SYNC_CONNECTED, 'connected'],
  'connected-readonly': [State.CONNECTED_READ_ONLY, 'connectedReadOnly'],
  disconnected: [State.DISCONNECTED, 'disconnected'],
  expired: [State.EXPIRED, 'expired'],
  'auth-failed': [State.AUTH_FAILED, 'authenticationFailed'],
};

/** ConnectionManager.js of the old package. */
const CONNECTION_STATES: Readonly<Record<ClientState, number>> = {
  connecting: 1,
  connected: 2,
  'connected-readonly': 3,
  disconnected: 0,
  closed: -2,
  expired: -3,
  'auth-failed': -4,
};

/**
 * The client of node-zookeeper-client: callbacks and events over the client of zksh. It moves an
 * application with one changed import; new code uses `zksh/client`.
 */
export class Client extends EventEmitter {
  private readonly session: SessionClient;
  private readonly client: ZooKeeperClient;
  private state = State.DISCONNECTED;
  /** The given ones, and the defaults of the others. */
  readonly options: Required<Options>;

  constructor(connectString: string, given?: Options) {
    super();
    const isText = connectString && typeof connectString === 'string';
    assert(isText, 'connectionString must be an non-empty string.');
    const options = given || {};
    assert(typeof options === 'object', 'options must be a valid object');
    const { sessionTimeout = 30_000, spinDelay = 1000, retries = 0 } = options;
    this.options = { ...options, sessionTimeout, spinDelay, retries };
    this.session = createBuiltIn({
      connectString,
      sessionTimeoutMs: sessionTimeout,
      connectTimeoutMs: NEVER_MS,
    });
    this.client =
      retries > 0
        ? retryingClient(this.session, {
            attempts: retries + 1,
            firstDelayMs: spinDelay,
            longestDelayMs: spinDelay,
            totalMs: NEVER_MS,
          })
        : this.session;
    this.session.on('state', (state) => this.changed(state));
  }

  connect(): void {
    // The events report a failure.
    this.session.connect().catch(() => undefined);
  }

  close(): void {
    this.session.close().catch(() => undefined);
  }

  /** @param more [data], [acls], [mode], callback(error, path) */
  create(path: string, callback: PathCallback): void;
  create(path: string, part: Part, callback: PathCallback): void;
  create(path: string, part: Part, next: Part, callback: PathCallback): void;
  create(path: string, data: Part, acls: Part, mode: Part, callback: PathCallback): void;
  create(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const { data, options } = createArguments(more);
    checkData(data);
    const made = this.client.create(path, data, options);
    settle(made, callback, (created) => [created.path]);
  }

  /** @param more [version], callback(error) */
  remove(path: string, callback: Callback): void;
  remove(path: string, version: number, callback: Callback): void;
  remove(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    settle(this.client.delete(path, versionOf(more)), callback, () => []);
  }

  /** @param more [version], callback(error) */
  removeRecursive(path: string, callback: Callback): void;
  removeRecursive(path: string, version: number, callback: Callback): void;
  removeRecursive(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const version = versionOf(more);
    const removeAll = async (): Promise<void> => {
      const paths = await pathsOf(this.client, path);
      for (const each of paths.reverse()) {
        await this.client.delete(each, version).catch(unless('NONODE'));
      }
    };
    settle(removeAll(), callback, () => []);
  }

  /** @param more [watcher(event)], callback(error, stat or null) */
  exists(path: string, callback: Callback<[stat: Stat | null]>): void;
  exists(path: string, watcher: EventListener, callback: Callback<[stat: Stat | null]>): void;
  exists(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const asked = this.client.exists(path, watchOf(more));
    settle(asked, callback, (stat) => [stat === null ? null : statOf(stat)]);
  }

  /** @param more [watcher(event)], callback(error, children, stat) */
  getChildren(path: string, callback: ChildrenCallback): void;
  getChildren(path: string, watcher: EventListener, callback: ChildrenCallback): void;
  getChildren(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const asked = this.client.getChildren(path, watchOf(more));
    settle(asked, callback, ({ children, stat }) => [children, statOf(stat)]);
  }

  listSubTreeBFS(path: string, callback: Callback<[readonly string[]]>): void {
    const done = callbackOf(path, [callback]);
    settle(pathsOf(this.client, path), done, (paths) => [paths]);
  }

  /** @param more [watcher(event)], callback(error, data, stat) */
  getData(path: string, callback: DataCallback): void;
  getData(path: string, watcher: EventListener, callback: DataCallback): void;
  getData(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const asked = this.client.getData(path, watchOf(more));
    settle(asked, callback, ({ data, stat }) => [data, statOf(stat)]);
  }

  /** @param more [version], callback(error, stat) */
  setData(path: string, data: Buffer | null, callback: StatCallback): void;
  setData(path: string, data: Buffer | null, version: number, callback: StatCallback): void;
  setData(path: string, data: Buffer | null, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const version = versionOf(more);
    checkData(data);
    const set = this.client.setData(path, data ?? null, version);
    settle(set, callback, (stat) => [statOf(stat)]);
  }

  getACL(path: string, callback: Callback<[readonly ACL[], Stat]>): void {
    const done = callbackOf(path, [callback]);
    settle(this.client.getACL(path), done, ({ acl, stat }) => [aclsOf(acl), statOf(stat)]);
  }

  /** @param more [version], callback(error, stat) */
  setACL(path: string, acls: readonly ACL[], callback: StatCallback): void;
  setACL(path: string, acls: readonly ACL[], version: number, callback: StatCallback): void;
  setACL(path: string, acls: readonly ACL[], ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    checkAcls(acls, 'acls must be a non-empty array.');
    const set = this.client.setACL(path, clientAcls(acls), versionOf(more));
    settle(set, callback, (stat) => [statOf(stat)]);
  }

  transaction(): Transaction {
    return new Transaction(this.client);
  }

  /** @param more [data], [acls], [mode], callback(error, path) */
  mkdirp(path: string, callback: PathCallback): void;
  mkdirp(path: string, part: Part, callback: PathCallback): void;
  mkdirp(path: string, part: Part, next: Part, callback: PathCallback): void;
  mkdirp(path: string, data: Part, acls: Part, mode: Part, callback: PathCallback): void;
  mkdirp(path: string, ...more: readonly unknown[]): void {
    const callback = callbackOf(path, more);
    const { data, options } = createArguments(more);
    checkData(data);
    const make = async (each: string): Promise<void> => {
      if (parentPath(each) !== '/' && each !== '/') await make(parentPath(each));
      await this.client.create(each, data, options).catch(unless('NODEEXISTS'));
    };
    settle(make(path), callback, () => [path]);
  }

  addAuthInfo(scheme: string, auth: Buffer): void {
    assert(scheme && typeof scheme === 'string', 'scheme must be a non-empty string.');
    assert(Buffer.isBuffer(auth), 'auth must be a valid instance of Buffer');
    // A refusal ends the session, with the event authenticationFailed.
    this.session.addAuth(scheme, auth).catch(() => undefined);
  }

  /** Packages that depend on the old one read this private part of it: -3 is an expired session. */
  get connectionManager(): { readonly state: number } {
    return { state: CONNECTION_STATES[this.session.state] };
  }

  getState(): State {
    return this.state;
  }

  /** 8 bytes, most significant first. */
  getSessionId(): Buffer {
    return longOf(this.session.sessionId);
  }

  getSessionPassword(): Buffer {
    return this.session.sessionPassword;
  }

  /** In ms, as negotiated. */
  getSessionTimeout(): number {
    return this.session.sessionTimeoutMs;
  }

  private changed(state: ClientState): void {
    const wasConnected =
      this.state === State.SYNC_CONNECTED || this.state === State.CONNECTED_READ_ONLY;
    const known = STATES[state === 'closed' && wasConnected ? 'disconnected' : state];
    if (known === undefined) return;
    const [next, event] = known;
    this.state = next;
    this.emit(event);
    this.emit('state', next);
    // The old package then loses its connection, too.
    if (state === 'expired' || state === 'auth-failed') {
      setImmediate(() => this.changed('disconnected'));
    }
  }
}

/** Level by level. */
async function pathsOf(client: ZooKeeperClient, path: string): Promise<string[]> {
  const levels: string[][] = [];
  for await (const znode of walk(client, path)) {
    levels[znode.depth] ??= [];
    levels[znode.depth]?.push(znode.path);
  }
  return levels.flat();
}

/** Ignores this error. */
function unless(code: ZooKeeperError['code']): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ZooKeeperError) || error.code !== code) throw error;
  };
}

/**
 * Makes a client; `connect()` connects it.
 * @example
 * const client = createClient('127.0.0.1:2181', { sessionTimeout: 10_000 });
 * client.once('connected', () => client.create('/a', Buffer.from('x'), () => client.close()));
 * client.connect();
 */
export function createClient(connectString: string, options?: Options): Client {
  return new Client(connectString, options);
}
