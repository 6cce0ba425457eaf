import { posix } from 'node:path';
import type { SessionClient } from '../../client/base/client.js';
import { createModeOf } from '../../protocol/create-mode.js';
import { CONSTANTS } from './constants.js';
import type { Callback, Ending } from './handle.js';
import { checkWatch, SessionLife, type Watch } from './session-life.js';
import {
  type Acl,
  aclOf,
  clientAcl,
  dataOf,
  type Stat,
  toInt32,
  type WatchCallback,
  type WatchOf,
} from './values.js';

export type VoidCallback = Callback<[]>;
/** After a failure the path is the text "null". */
export type PathCallback = Callback<[path: string]>;
export type StatCallback = Callback<[stat: Stat | null]>;
export type DataCallback = Callback<[stat: Stat | null, data: Buffer | string | null]>;
export type ChildCallback = Callback<[children: readonly string[] | null]>;
export type Child2Callback = Callback<[children: readonly string[] | null, stat: Stat | null]>;
export type AclCallback = Callback<[acl: readonly Acl[] | null, stat: Stat | null]>;

type DataEnding = Ending<Awaited<ReturnType<SessionClient['getData']>>, Results<DataCallback>>;
type Children = Awaited<ReturnType<SessionClient['getChildren']>>;
type Results<C> = C extends Callback<infer A> ? A : never;

const MKDIR_DATA = 'created by zk-mkdir-p';

/**
 * The client of the npm package `zookeeper` with callbacks, over the client of zksh. Use it to move
 * an application by one import; new code uses `zksh/client`. A call returns ZOK, and its callback
 * comes. Any other code means that nothing was sent and no callback comes: ZBADARGUMENTS for a bad
 * path, ZINVALIDSTATE before `init` and after the end of the session.
 *
 * Events: connect, connecting, close (with a code), created, deleted, changed, and child (with the
 * path of a watch that a call set with `true`).
 */
export class CallbackZooKeeper extends SessionLife {
  a_create(path: string, data: unknown, flags: number, callback: PathCallback): number {
    return this.make('a_create', path, data, flags, undefined, callback);
  }

  /** @param ttl in ms, from 1; only with the two TTL flags */
  a_createTtl(
    path: string,
    data: unknown,
    flags: number,
    ttl: number,
    callback: PathCallback,
  ): number {
    return this.make('a_createTtl', path, data, flags, toInt32(ttl), callback);
  }

  a_exists(path: string, watch: boolean, callback: StatCallback): number {
    return this.readStat('a_exists', path, Boolean(watch), callback);
  }

  aw_exists(path: string, watch: WatchCallback, callback: StatCallback): number {
    return this.readStat('aw_exists', path, checkWatch(watch), callback);
  }

  a_get(path: string, watch: boolean, callback: DataCallback): number {
    return this.readData('a_get', path, Boolean(watch), callback);
  }

  aw_get(path: string, watch: WatchCallback, callback: DataCallback): number {
    return this.readData('aw_get', path, checkWatch(watch), callback);
  }

  a_get_children(path: string, watch: boolean, callback: ChildCallback): number {
    return this.readChildren('a_get_children', path, Boolean(watch), childEnding(callback));
  }

  aw_get_children(path: string, watch: WatchCallback, callback: ChildCallback): number {
    return this.readChildren('aw_get_children', path, checkWatch(watch), childEnding(callback));
  }

  a_get_children2(path: string, watch: boolean, callback: Child2Callback): number {
    return this.readChildren('a_get_children2', path, Boolean(watch), this.child2Ending(callback));
  }

  aw_get_children2(path: string, watch: WatchCallback, callback: Child2Callback): number {
    const ending = this.child2Ending(callback);
    return this.readChildren('aw_get_children2', path, checkWatch(watch), ending);
  }

  /** @param version the expected version; -1 for any, null and undefined are 0 */
  a_set(path: string, data: unknown, version: number | null, callback: StatCallback): number {
    this.calling('a_set', callback, path, data, version);
    const send = (to: SessionClient) => to.setData(path, dataOf(data), toInt32(version));
    return this.call(path, send, {
      callback,
      failed: [null],
      answered: (stat) => [CONSTANTS.ZOK, this.statOf(stat)],
    });
  }

  /** @param version the expected version; -1 for any, null and undefined are 0 */
  a_delete_(path: string, version: number | null, callback: VoidCallback): number {
    this.calling('a_delete_', callback, path, version);
    return this.call(path, (to) => to.delete(path, toInt32(version)), withoutResult(callback));
  }

  a_get_acl(path: string, callback: AclCallback): number {
    this.calling('a_get_acl', callback, path);
    return this.call(path, (to) => to.getACL(path), {
      callback,
      failed: [null, null],
      answered: ({ acl, stat }) => [CONSTANTS.ZOK, aclOf(acl), this.statOf(stat)],
    });
  }

  /** @param version the expected aversion; -1 for any */
  a_set_acl(path: string, version: number, acl: readonly Acl[], callback: VoidCallback): number {
    this.calling('a_set_acl', callback, path, version, acl);
    const list = clientAcl(acl);
    const send = (to: SessionClient) => to.setACL(path, list, toInt32(version));
    return this.call(path, send, withoutResult(callback));
  }

  add_auth(scheme: string, auth: string, callback: VoidCallback): number {
    this.calling('add_auth', callback, scheme, auth);
    return this.call(
      '/',
      (to) => to.addAuth(String(scheme), String(auth)),
      withoutResult(callback),
    );
  }

  /** Creates a znode and its missing parents; the callback gets an Error, or null and true. */
  mkdirp(path: string, callback: (error: Error | null, isDone?: true) => void): void {
    this.calling('mkdirp', callback, path);
    const names = posix.normalize(path).split('/').filter(Boolean);
    const make = (depth: number): void => {
      if (depth > names.length) {
        callback(null, true);
        return;
      }
      const done = (code: number, text: string): void => {
        if (code === CONSTANTS.ZOK || code === CONSTANTS.ZNODEEXISTS) make(depth + 1);
        else callback(new Error(`Zookeeper Error: code=${code}   ${text}`));
      };
      const code = this.a_create(`/${names.slice(0, depth).join('/')}`, MKDIR_DATA, 0, done);
      if (code !== CONSTANTS.ZOK) done(code, 'the request was not sent');
    };
    make(1);
  }

  a_sync(path: string, callback: PathCallback): number {
    this.calling('a_sync', callback, path);
    return this.call(path, (to) => to.sync(path), {
      callback,
      failed: ['null'],
      answered: () => [CONSTANTS.ZOK, path],
    });
  }

  a_getconfig(watch: boolean, callback: DataCallback): number {
    return this.readConfig('a_getconfig', Boolean(watch), callback);
  }

  aw_getconfig(watch: WatchCallback, callback: DataCallback): number {
    return this.readConfig('aw_getconfig', checkWatch(watch), callback);
  }

  /** @param version the expected version of the configuration; -1 for any */
  a_reconfig(
    joining: string | null,
    leaving: string | null,
    members: string | null,
    version: number,
    callback: DataCallback,
  ): number {
    this.calling('a_reconfig', callback, joining, leaving, members, version);
    const change = {
      ...(joining == null ? {} : { joining }),
      ...(leaving == null ? {} : { leaving }),
      ...(members == null ? {} : { members }),
      fromConfig: BigInt(Math.trunc(Number(version))),
    };
    return this.call('/', (to) => to.reconfig(change), this.dataEnding(callback));
  }

  private make(
    name: string,
    path: string,
    data: unknown,
    flags: number,
    ttl: number | undefined,
    callback: PathCallback,
  ): number {
    this.calling(name, callback, path, data, flags, ...(ttl === undefined ? [] : [ttl]));
    const mode = createModeOf(toInt32(flags));
    const needsTtl = mode?.isTTL ?? false;
    if (needsTtl !== (ttl !== undefined) || (ttl ?? 1) <= 0) return CONSTANTS.ZBADARGUMENTS;
    const send = (to: SessionClient) =>
      mode === undefined
        ? Promise.reject(new RangeError(`flags: unknown: ${flags}`))
        : to.create(path, dataOf(data), { mode, ...(ttl === undefined ? {} : { ttl }) });
    const ending: Ending<{ path: string }, [path: string]> = {
      callback,
      failed: ['null'],
      answered: (created) => [CONSTANTS.ZOK, created.path],
    };
    return this.call(path, send, ending, mode?.isSequential);
  }

  private readStat(name: string, path: string, watch: Watch, callback: StatCallback): number {
    this.calling(name, callback, path, watch);
    const send = (to: SessionClient, options: WatchOf) => to.exists(path, options);
    return this.read(path, send, watch, {
      callback,
      failed: [null],
      answered: (stat) =>
        stat === null ? [CONSTANTS.ZNONODE, null] : [CONSTANTS.ZOK, this.statOf(stat)],
    });
  }

  private readData(name: string, path: string, watch: Watch, callback: DataCallback): number {
    this.calling(name, callback, path, watch);
    const send = (to: SessionClient, options: WatchOf) => to.getData(path, options);
    return this.read(path, send, watch, this.dataEnding(callback));
  }

  private readConfig(name: string, watch: Watch, callback: DataCallback): number {
    this.calling(name, callback, watch);
    const send = (to: SessionClient, options: WatchOf) => to.getConfig(options);
    return this.read('/', send, watch, this.dataEnding(callback));
  }

  private readChildren<A extends readonly unknown[]>(
    name: string,
    path: string,
    watch: Watch,
    ending: Ending<Children, A>,
  ): number {
    this.calling(name, ending.callback, path, watch);
    const send = (to: SessionClient, options: WatchOf) => to.getChildren(path, options);
    return this.read(path, send, watch, ending);
  }

  private child2Ending(callback: Child2Callback): Ending<Children, Results<Child2Callback>> {
    return {
      callback,
      failed: [null, null],
      answered: ({ children, stat }) => [CONSTANTS.ZOK, children, this.statOf(stat)],
    };
  }

  private dataEnding(callback: DataCallback): DataEnding {
    const { encoding } = this;
    return {
      callback,
      failed: [null, null],
      answered: ({ data, stat }) => [
        CONSTANTS.ZOK,
        this.statOf(stat),
        data !== null && encoding !== null ? data.toString(encoding) : data,
      ],
    };
  }
}

function childEnding(callback: ChildCallback): Ending<Children, Results<ChildCallback>> {
  return { callback, failed: [null], answered: ({ children }) => [CONSTANTS.ZOK, children] };
}

function withoutResult(callback: VoidCallback): Ending<unknown, []> {
  return { callback, failed: [], answered: () => [CONSTANTS.ZOK] };
}
