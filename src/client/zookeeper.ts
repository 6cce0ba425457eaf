import type { Data } from '../protocol/check-argument.js';
import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import type { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
import {
  CONFIG_PATH,
  checkRemoval,
  resolveAddWatch,
  resolveAuth,
  resolveCreate,
  resolveDelete,
  resolveOptions,
  resolveReconfig,
  resolveSet,
  resolveSetACL,
  resolveUpdate,
  watcherOf,
  watcherOfOptions,
} from './arguments.js';
import { toServerPath } from './chroot.js';
import type {
  ClientOptions,
  ClientState,
  CreateOptions,
  CreateResult,
  Op,
  OpResult,
  ReadOptions,
  SessionClient,
  Watcher,
  WatchOption,
} from './client.js';
import { ClientLife } from './client-life.js';
import { ConnectAttempt } from './connect-attempt.js';
import { formatServerAddress } from './connect-string.js';
import { multi } from './multi.js';
import * as operations from './operations.js';
import { makeRequest, type Operation } from './request.js';
import { resolveOps } from './resolve-ops.js';
import { SessionDriver } from './session-driver.js';

type DataAndStat = { data: Buffer | null; stat: Stat };

/** The built-in client: without native code, with every operation of the protocol. */
export class ZooKeeper extends ClientLife implements SessionClient {
  readonly chroot: string;
  private readonly options: ClientOptions;
  private readonly driver: SessionDriver;
  protected readonly attempt: ConnectAttempt;
  private readonly hasRequestTimeout: boolean;

  /** @throws TypeError or RangeError that names the option */
  constructor(given: ClientOptions) {
    super();
    const resolved = resolveOptions(given);
    const { options } = resolved;
    this.options = options;
    this.chroot = resolved.chroot;
    this.hasRequestTimeout = resolved.requestTimeoutMs > 0;
    this.driver = new SessionDriver(
      {
        ...resolved,
        connectRounds: options.connectRounds ?? Number.POSITIVE_INFINITY,
        canBeReadOnly: options.canBeReadOnly ?? false,
        session: options.session,
        random: Math.random,
      },
      { changedState: (state, reason) => this.changedState(state, reason) },
      options.tls,
      options.trace?.(),
    );
    const { session } = this.driver;
    this.attempt = new ConnectAttempt({
      timeoutMs: resolved.connectTimeoutMs,
      start: () => this.driver.start(),
      failedAttempts: () => session.list.failedAttempts,
      giveUp: () => this.driver.close(),
    });
  }

  get state(): ClientState {
    return this.driver.session.state;
  }
  get sessionId(): bigint {
    return this.driver.session.identity.id;
  }
  get sessionPassword(): Buffer {
    return this.driver.session.identity.password;
  }
  get sessionTimeoutMs(): number {
    return this.driver.session.identity.timeoutMs;
  }
  get server(): string | undefined {
    const { server } = this.driver.session;
    return server === undefined ? undefined : formatServerAddress(server);
  }

  connect(): Promise<void> {
    return this.attempt.begin();
  }

  updateServers(connectString: string): void {
    this.driver.updateServers(resolveUpdate(this.options, connectString, this.chroot));
  }

  create(path: string, data: Data = null, options?: CreateOptions): Promise<CreateResult> {
    return this.guarded(() => {
      const { code, args } = resolveCreate(this.chroot, path, data, options);
      return this.request(operations.createOperation(code), args, path);
    });
  }

  delete(path: string, version = -1): Promise<void> {
    return this.guarded(() => {
      const args = resolveDelete(this.chroot, path, version);
      return this.request(operations.deleteNode, args, path);
    });
  }

  exists(path: string, options?: ReadOptions): Promise<Stat | null> {
    return this.guarded(() => this.read(operations.exists, this.serverPath(path), path, options));
  }

  getData(path: string, options?: ReadOptions): Promise<DataAndStat> {
    return this.guarded(() => this.read(operations.getData, this.serverPath(path), path, options));
  }

  setData(path: string, data: Data, version = -1): Promise<Stat> {
    return this.guarded(() => {
      const args = resolveSet(this.chroot, path, data, version);
      return this.request(operations.setData, args, path);
    });
  }

  getACL(path: string): Promise<{ acl: readonly ACL[]; stat: Stat }> {
    return this.guarded(() => {
      const args = { path: this.serverPath(path) };
      return this.request(operations.getACL, args, path);
    });
  }

  setACL(path: string, acl: readonly ACL[], version = -1): Promise<Stat> {
    return this.guarded(() => {
      const args = resolveSetACL(this.chroot, path, acl, version);
      return this.request(operations.setACL, args, path);
    });
  }

  getChildren(
    path: string,
    options?: ReadOptions,
  ): Promise<{ children: readonly string[]; stat: Stat }> {
    return this.guarded(() =>
      this.read(operations.getChildren, this.serverPath(path), path, options),
    );
  }

  getAllChildrenNumber(path: string): Promise<number> {
    return this.guarded(() => {
      const args = { path: this.serverPath(path) };
      return this.request(operations.getAllChildrenNumber, args, path);
    });
  }

  getEphemerals(prefix = '/'): Promise<readonly string[]> {
    return this.guarded(() => {
      const args = { path: this.serverPath(prefix), chroot: this.chroot };
      return this.request(operations.getEphemerals, args, prefix);
    });
  }

  sync(path: string): Promise<void> {
    return this.guarded(() => {
      const args = { path: this.serverPath(path) };
      return this.request(operations.sync, args, path);
    });
  }

  multi(ops: readonly Op[]): Promise<readonly OpResult[]> {
    return this.guarded(() => this.request(multi, resolveOps(this.chroot, ops), undefined));
  }

  addAuth(scheme: string, auth: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const checked = resolveAuth(scheme, auth);
      this.driver.session.addAuth(checked.scheme, checked.auth, resolve, reject);
    });
  }

  whoAmI(): Promise<readonly ClientInfo[]> {
    return this.request(operations.whoAmI, undefined, undefined);
  }

  addWatch(path: string, mode: AddWatchMode, watcher: WatchOption): Promise<void> {
    return this.guarded(() => {
      const operation = resolveAddWatch(mode);
      const args = { path: this.serverPath(path), mode };
      const told = watcherOf('watcher', watcher, this.defaultWatcher);
      return this.request(operation, args, path, told);
    });
  }

  removeWatches(path: string, type: WatcherType, isLocal = false): Promise<void> {
    return this.guarded(async () => {
      const serverPath = this.serverPath(path);
      checkRemoval(type, isLocal);
      const { session } = this.driver;
      const removed = () => session.replies.removeWatchers(serverPath, type);
      if (isLocal && session.server === undefined) return removed();
      return this.request(operations.removeWatches, { path: serverPath, type, removed }, path);
    });
  }

  getConfig(options?: ReadOptions): Promise<DataAndStat> {
    return this.guarded(() => this.read(operations.getData, CONFIG_PATH, CONFIG_PATH, options));
  }

  reconfig(change: Parameters<SessionClient['reconfig']>[0]): Promise<DataAndStat> {
    return this.guarded(() =>
      this.request(operations.reconfig, resolveReconfig(change), CONFIG_PATH),
    );
  }

  close(): Promise<void> {
    this.driver.close();
    return this.closed;
  }

  private serverPath(path: string): string {
    return toServerPath(this.chroot, path);
  }

  /** An error before anything is sent is a rejection, like every other failure. */
  private guarded<R>(send: () => Promise<R>): Promise<R> {
    try {
      return send();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private read<R>(
    operation: Operation<operations.ReadArgs, R>,
    serverPath: string,
    path: string,
    options: ReadOptions | undefined,
  ): Promise<R> {
    const watcher = watcherOfOptions(options, this.defaultWatcher);
    const args = { path: serverPath, watch: watcher !== undefined };
    return this.request(operation, args, path, watcher);
  }

  private request<A, R>(
    operation: Operation<A, R>,
    args: A,
    path: string | undefined,
    watcher?: Watcher,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      const watch =
        watcher === undefined ? undefined : { path: (args as operations.PathArgs).path, watcher };
      const request = makeRequest(operation, args, path, resolve, reject, watch);
      this.driver.submit(request, this.hasRequestTimeout);
    });
  }
}

/** Makes a client of the built-in implementation; connect() connects it. */
export function createClient(options: ClientOptions): SessionClient {
  return new ZooKeeper(options);
}
