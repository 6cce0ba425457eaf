import type { Data } from '../protocol/check-argument.js';
import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import { ErrorCode } from '../protocol/error-code.js';
import type { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
import { toServerPath } from './base/chroot.js';
import type {
  CallOptions,
  CreateOptions,
  CreateResult,
  Op,
  OpResult,
  ReadOp,
  ReadOptions,
  ReadResult,
  RemoveOptions,
  SessionClient,
  WatchChange,
  Watcher,
  WatchOption,
  WatchOptions,
  ZooKeeperClient,
} from './base/client.js';
import type { ClientOptions } from './base/client-options.js';
import type { ConfigChange } from './base/config-change.js';
import { ZooKeeperError } from './base/errors.js';
import {
  CONFIG_PATH,
  CREATE_NAMES,
  checkRemoval,
  resolveAddWatch,
  resolveAuth,
  resolveCreate,
  resolveDelete,
  resolveSet,
  resolveSetACL,
  resolveUpdate,
  watcherOf,
} from './calls/arguments.js';
import { CALL_NAMES, checkCall } from './calls/call-limit.js';
import { multi } from './calls/multi.js';
import { multiRead } from './calls/multi-read.js';
import { RequestingClient } from './calls/requesting-client.js';
import { resolveOps, resolveReads } from './calls/resolve-ops.js';
import { resolveReconfig } from './calls/resolve-reconfig.js';
import { watchChanges } from './calls/watch-changes.js';
import { viewOf } from './calls/within.js';
import * as operations from './session/operations.js';

/** The result of a read; the data of a znode may be null. */
export type DataAndStat = { data: Buffer | null; stat: Stat };

/**
 * The built-in client: without native code, with every operation of the protocol.
 * @example
 * const client = new ZooKeeper({ connectString: '127.0.0.1:2181' });
 * await client.connect();
 * const { data } = await client.getData('/app');
 * await client.close();
 */
export class ZooKeeper extends RequestingClient implements SessionClient {
  updateServers(connectString: string): void {
    this.driver.updateServers(resolveUpdate(this.options, connectString, this.chroot));
  }

  within(path: string): ZooKeeperClient {
    const whole = toServerPath(this.chroot, path);
    const chroot = whole === '/' ? '' : whole;
    const toOwn = (watcher: Watcher): Watcher => this.toOwn(watcher);
    return viewOf<ZooKeeper>(this, { path, chroot, toOwn });
  }

  create(
    path: string,
    data: Data = null,
    options?: CreateOptions & CallOptions,
  ): Promise<CreateResult> {
    return this.guarded(() => {
      const { code, args } = resolveCreate(this.chroot, path, data, options, CALL_NAMES);
      const operation = operations.createOperation(code);
      return this.request(operation, args, path, options, undefined, CREATE_NAMES);
    });
  }

  delete(path: string, version = -1, call?: CallOptions): Promise<void> {
    return this.guarded(() => {
      const args = resolveDelete(this.chroot, path, version);
      return this.request(operations.deleteNode, args, path, call);
    });
  }

  exists(path: string, options?: ReadOptions): Promise<Stat | null> {
    return this.guarded(() => this.read(operations.exists, this.serverPath(path), path, options));
  }

  getData(path: string, options?: ReadOptions): Promise<DataAndStat> {
    return this.guarded(() => this.read(operations.getData, this.serverPath(path), path, options));
  }

  setData(path: string, data: Data, version = -1, call?: CallOptions): Promise<Stat> {
    return this.guarded(() => {
      const args = resolveSet(this.chroot, path, data, version);
      return this.request(operations.setData, args, path, call);
    });
  }

  getACL(path: string, call?: CallOptions): Promise<{ acl: readonly ACL[]; stat: Stat }> {
    return this.guarded(() => this.readPath(operations.getACL, path, call));
  }

  setACL(path: string, acl: readonly ACL[], version = -1, call?: CallOptions): Promise<Stat> {
    return this.guarded(() => {
      const args = resolveSetACL(this.chroot, path, acl, version);
      return this.request(operations.setACL, args, path, call);
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

  getAllChildrenNumber(path: string, call?: CallOptions): Promise<number> {
    return this.guarded(() => this.readPath(operations.getAllChildrenNumber, path, call));
  }

  getEphemerals(prefix = '/', call?: CallOptions): Promise<readonly string[]> {
    return this.guarded(() => {
      const args = { path: this.serverPath(prefix), chroot: this.chroot };
      return this.request(operations.getEphemerals, args, prefix, call);
    });
  }

  sync(path: string, call?: CallOptions): Promise<void> {
    return this.guarded(() => this.readPath(operations.sync, path, call));
  }

  multi(ops: readonly Op[], call?: CallOptions): Promise<readonly OpResult[]> {
    return this.guarded(() => this.request(multi, resolveOps(this.chroot, ops), undefined, call));
  }

  multiRead(ops: readonly ReadOp[], call?: CallOptions): Promise<readonly ReadResult[]> {
    return this.guarded(() =>
      this.request(multiRead, resolveReads(this.chroot, ops), undefined, call),
    );
  }

  addAuth(scheme: string, auth: string | Uint8Array, call?: CallOptions): Promise<void> {
    return this.guarded(() => {
      const checked = resolveAuth(scheme, auth);
      return this.authenticate(checked.scheme, checked.auth, call);
    });
  }

  whoAmI(call?: CallOptions): Promise<readonly ClientInfo[]> {
    return this.guarded(() => this.request(operations.whoAmI, undefined, undefined, call));
  }

  addWatch(
    path: string,
    mode: AddWatchMode,
    watcher: WatchOption,
    call?: CallOptions,
  ): Promise<void> {
    return this.guarded(() => {
      const operation = resolveAddWatch(mode);
      const args = { path: this.serverPath(path), mode };
      const notified = watcherOf('watcher', watcher, this.defaultWatcher);
      return this.request(operation, args, path, call, notified);
    });
  }

  removeWatches(
    path: string,
    type: WatcherType,
    isLocal = false,
    call?: RemoveOptions,
  ): Promise<void> {
    return this.guarded(async () => {
      const serverPath = this.serverPath(path);
      const toOwn = (watcher: Watcher): Watcher => this.toOwn(watcher);
      const only = checkRemoval(type, isLocal, call, this.defaultWatcher, toOwn);
      const { session } = this.driver;
      if (isLocal && only !== undefined) {
        checkCall(call, path, ['watcher']);
        if (session.forgetWatcher(serverPath, type, only)) return;
        throw new ZooKeeperError(ErrorCode.NOWATCHER, path);
      }
      const known = session.watches.watchersOf(serverPath, type);
      const isOffline = isLocal && session.server === undefined;
      if (only !== undefined ? !known.has(only) : isOffline && known.size === 0) {
        throw new ZooKeeperError(ErrorCode.NOWATCHER, path);
      }
      const removed = () => session.replies.removeWatchers(serverPath, type, only);
      if (isOffline) return removed();
      // The server keeps one watch for all watchers of a path.
      const isKept = only !== undefined && known.size > 1;
      const operation = isKept ? operations.checkWatches : operations.removeWatches;
      const args = { path: serverPath, type, removed };
      const asked = this.request(operation, args, path, call, undefined, ['watcher']);
      if (!isLocal) return asked;
      return asked.catch((error: unknown) => {
        if (error instanceof ZooKeeperError && error.code === 'CONNECTIONLOSS') return removed();
        throw error;
      });
    });
  }

  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchChange> {
    return watchChanges(this, path, options);
  }

  getConfig(options?: ReadOptions): Promise<DataAndStat> {
    return this.guarded(() => this.read(operations.getData, CONFIG_PATH, CONFIG_PATH, options));
  }

  reconfig(change: ConfigChange, call?: CallOptions): Promise<DataAndStat> {
    return this.guarded(() =>
      this.request(operations.reconfig, resolveReconfig(change), CONFIG_PATH, call),
    );
  }
}

/**
 * Makes a client of the built-in implementation. Call connect() to connect it.
 * @example
 * await using client = createClient({ connectString: 'zk1:2181,zk2:2181,zk3:2181/app' });
 * await client.connect();
 * await client.create('/config', Buffer.from('on'));
 */
export function createClient(options: ClientOptions): SessionClient {
  return new ZooKeeper(options);
}
