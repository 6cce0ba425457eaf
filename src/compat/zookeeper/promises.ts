import { CallbackZooKeeper } from './callbacks.js';
import { CONSTANTS } from './constants.js';
import type { Callback } from './handle.js';
import type { Acl, Stat, WatchCallback } from './values.js';

type Data = Buffer | string | null;

/** What the calls with promises return: a promise with the old names of its methods. */
class ZkPromise<T> extends Promise<T> {
  /** @deprecated use await */
  get<K extends keyof T>(name: K): Promise<T[K]> {
    return this.then((value) => value[name]);
  }
  /** @deprecated use then */
  addCallback<R>(callback: (value: T) => R): Promise<R> {
    return this.then(callback);
  }
  /** @deprecated use catch */
  addErrback<R>(callback: (error: unknown) => R): Promise<T | R> {
    return this.catch(callback);
  }
  /** @deprecated use then */
  addBoth<R>(callback: (result: unknown) => R): Promise<R> {
    return this.then(callback, callback);
  }
  /** @deprecated use then */
  addCallbacks<R>(callback: (value: T) => R, failed: (error: unknown) => R): Promise<R> {
    return this.then(callback, failed);
  }
}

/**
 * The client of the npm package `zookeeper` with callbacks and promises. A failed call rejects with
 * an Error whose message begins with the code: "-101 no node".
 */
export class PromiseZooKeeper extends CallbackZooKeeper {
  static readonly constants = CONSTANTS;

  /** @deprecated the class itself */
  static get ZK(): typeof PromiseZooKeeper {
    return PromiseZooKeeper;
  }
  /** The class itself: it has all callbacks. */
  static get ZooKeeper(): typeof PromiseZooKeeper {
    return PromiseZooKeeper;
  }
  /** The class itself: it has all promises. */
  static get Promise(): typeof PromiseZooKeeper {
    return PromiseZooKeeper;
  }

  /** @deprecated use the event connect */
  on_connected(): Promise<this> {
    return new ZkPromise((resolve) => void this.once('connect', () => resolve(this)));
  }

  /** @param ttl in ms, with the two TTL flags */
  create(path: string, data: unknown, flags: number, ttl?: number): Promise<string> {
    const args = [path, data, flags] as const;
    return ttl
      ? this.promise('a_createTtl', [...args, ttl], (done) =>
          this.a_createTtl(...args, ttl, (code, text, made) => done(code, text, made)),
        )
      : this.promise('a_create', args, (done) => this.a_create(...args, done));
  }

  /** Rejects if the znode does not exist. */
  exists(path: string, watch = false): Promise<Stat> {
    return this.promise('a_exists', [path, watch], (done) =>
      this.a_exists(path, watch, present(done)),
    );
  }

  async pathExists(path: string, watch = false): Promise<boolean> {
    return isFulfilled(this.exists(path, watch));
  }

  /** Rejects if the znode does not exist; the watch is set in both cases. */
  w_exists(path: string, watch: WatchCallback): Promise<Stat> {
    return this.promise('aw_exists', [path, watch], (done) =>
      this.aw_exists(path, watch, present(done)),
    );
  }

  async w_pathExists(path: string, watch: WatchCallback): Promise<boolean> {
    return isFulfilled(this.w_exists(path, watch));
  }

  get(path: string, watch = false): Promise<[stat: Stat, data: Data]> {
    return this.promise('a_get', [path, watch], (done) => this.a_get(path, watch, pair(done)));
  }

  w_get(path: string, watch: WatchCallback): Promise<[stat: Stat, data: Data]> {
    return this.promise('aw_get', [path, watch], (done) => this.aw_get(path, watch, pair(done)));
  }

  get_children(path: string, watch = false): Promise<readonly string[]> {
    return this.promise('a_get_children', [path, watch], (done) =>
      this.a_get_children(path, watch, present(done)),
    );
  }

  w_get_children(path: string, watch: WatchCallback): Promise<readonly string[]> {
    return this.promise('aw_get_children', [path, watch], (done) =>
      this.aw_get_children(path, watch, present(done)),
    );
  }

  get_children2(path: string, watch = false): Promise<[children: readonly string[], stat: Stat]> {
    return this.promise('a_get_children2', [path, watch], (done) =>
      this.a_get_children2(path, watch, pair(done)),
    );
  }

  w_get_children2(
    path: string,
    watch: WatchCallback,
  ): Promise<[children: readonly string[], stat: Stat]> {
    return this.promise('aw_get_children2', [path, watch], (done) =>
      this.aw_get_children2(path, watch, pair(done)),
    );
  }

  /** @param version the expected version; -1 for any, null and undefined are 0 */
  set(path: string, data: unknown, version: number | null): Promise<Stat> {
    return this.promise('a_set', [path, data, version], (done) =>
      this.a_set(path, data, version, present(done)),
    );
  }

  /** @param version the expected version; -1 for any, null and undefined are 0 */
  delete_(path: string, version: number | null): Promise<readonly []> {
    return this.promise('a_delete_', [path, version], (done) =>
      this.a_delete_(path, version, nothing(done)),
    );
  }

  get_acl(path: string): Promise<[acl: readonly Acl[], stat: Stat]> {
    return this.promise('a_get_acl', [path], (done) => this.a_get_acl(path, pair(done)));
  }

  /** @param version the expected aversion; -1 for any */
  set_acl(path: string, version: number, acl: readonly Acl[]): Promise<readonly []> {
    return this.promise('a_set_acl', [path, version, acl], (done) =>
      this.a_set_acl(path, version, acl, nothing(done)),
    );
  }

  sync(path: string): Promise<string> {
    return this.promise('a_sync', [path], (done) => this.a_sync(path, done));
  }

  getconfig(watch = false): Promise<[stat: Stat, data: Data]> {
    return this.promise('a_getconfig', [watch], (done) => this.a_getconfig(watch, pair(done)));
  }

  w_getconfig(watch: WatchCallback): Promise<[stat: Stat, data: Data]> {
    return this.promise('aw_getconfig', [watch], (done) => this.aw_getconfig(watch, pair(done)));
  }

  /** @param version the expected version of the configuration; -1 for any */
  reconfig(
    joining: string | null,
    leaving: string | null,
    members: string | null,
    version: number,
  ): Promise<[stat: Stat, data: Data]> {
    const args = [joining, leaving, members, version] as const;
    return this.promise('a_reconfig', args, (done) => this.a_reconfig(...args, pair(done)));
  }

  private promise<T>(
    name: string,
    args: readonly unknown[],
    call: (done: Callback<[value: T]>) => number,
  ): ZkPromise<T> {
    return new ZkPromise((resolve, reject) => {
      const code = call((rc, text, value) => {
        if (rc === CONSTANTS.ZOK) resolve(value);
        else reject(new Error(`${rc} ${text}`));
      });
      if (code === CONSTANTS.ZOK) return;
      const known = code === CONSTANTS.ZINVALIDSTATE ? 'ZINVALIDSTATE' : 'ZBADARGUMENTS';
      reject(new Error(`fn: "${name}" args: "${args}" result: "${known} ${code}"`));
    });
  }
}

/** Results are null only after a failure, which rejects. */
function present<T>(done: Callback<[value: T]>): Callback<[value: T | null]> {
  return (code, text, value) => done(code, text, value as T);
}

function pair<A, B>(
  done: Callback<[value: [A, B]]>,
): Callback<[first: A | null, second: B | null]> {
  return (code, text, first, second) => done(code, text, [first as A, second as B]);
}

function nothing(done: Callback<[value: readonly []]>): Callback<[]> {
  return (code, text) => done(code, text, []);
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
