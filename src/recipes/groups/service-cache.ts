import type { WatchEvent, ZooKeeperClient } from '../../client/base/client.js';
import { endOfSession } from '../../client/base/errors.js';
import { checkFunction, checkString } from '../../protocol/check-argument.js';
import { baseName, childPath, parentPath } from '../../protocol/path.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { checkName, checkRecipe } from '../base/arguments.js';
import { cleanedUp, limited, unlessAborted, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { retried, type Wait, watchSession } from '../base/session.js';
import { childrenOf, readIfThere, type ZnodeOptions } from '../base/znodes.js';
import { Group, type GroupMembership, type Member } from './group.js';
import { encodeServiceInstance, type ServiceInstance } from './service-instance.js';

/** An instance of a service: the name of its znode and its data. */
export type Instance = Member;

/**
 * Announces instances of services for a ServiceCache to find.
 * @example
 * const directory = new ServiceDirectory(client, '/services');
 * await directory.announce('web', 'host-1', '10.0.0.7:80');
 */
export class ServiceDirectory extends PathRecipe {
  /** Announces an instance until it leaves or its session ends. @throws the errors of Group.join */
  async announce(
    service: string,
    id: string,
    data: string | Uint8Array,
    options: WaitOptions = {},
  ): Promise<GroupMembership> {
    checkName(service, 'service');
    const group = new Group(this.client, childPath(this.path, service), { acl: this.acl });
    return group.join(id, data, options);
  }

  /**
   * Announces an instance that Curator's service discovery finds, too.
   * @throws TypeError or RangeError for wrong fields; the errors of Group.join
   */
  async register(instance: ServiceInstance, options: WaitOptions = {}): Promise<GroupMembership> {
    const data = encodeServiceInstance(instance);
    return this.announce(instance.name, instance.id, data, options);
  }
}

/** Caches per path of a client: they share one watch. */
const watching = new WeakMap<ZooKeeperClient, Map<string, number>>();

/**
 * All instances of all services in memory: reads cost no request. One persistent recursive watch
 * updates it; only changed parts are read again.
 *
 * Layout: `<path>/<service>/<instance>`, ephemeral, with the data of the instance: one Group per
 * service. Deeper znodes are ignored.
 *
 * Guarantees: while the client is connected, it lags only by moments. After a lost connection it
 * reads everything again, because the watch misses events. Needs the built-in client, and a server
 * of 3.6 or later.
 * @example
 * const cache = await ServiceCache.open(client, '/services');
 * console.log(cache.instances('web'));
 * await cache.close();
 */
export class ServiceCache {
  /** Rejects when the session ended or a read was refused; the cache keeps its last state. */
  readonly ended: Promise<never>;
  private readonly client: ZooKeeperClient;
  private readonly path: string;
  private readonly found = new Map<string, Map<string, Instance>>();
  private readonly onChange: () => void;
  private readonly closing = new AbortController();
  private readonly unwatch: () => void;
  private fail: (error: unknown) => void = () => undefined;
  /** Serializes the reads, so that an older answer never replaces a newer one. */
  private work: Promise<void> = Promise.resolve();

  private constructor(client: ZooKeeperClient, path: string, onChange: () => void) {
    this.client = client;
    this.path = path;
    this.onChange = onChange;
    this.ended = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.ended.catch(() => undefined);
    this.unwatch = watchSession(client, (state, reason) => {
      const end = endOfSession(state, path, reason);
      if (end !== undefined) this.fail(end);
      else if (state === 'connected') this.enqueue(() => this.readAll());
    });
  }

  /**
   * Opens a cache after its first full read.
   * @param onChange called after each change
   * @throws RangeError for an invalid path; RecipeError ETIMEDOUT, the reason of the signal;
   * ZooKeeperError; UnsupportedError over the native client
   */
  static async open(
    client: ZooKeeperClient,
    path: string,
    onChange: () => void = () => undefined,
    options: WaitOptions = {},
  ): Promise<ServiceCache> {
    checkRecipe<ZnodeOptions>(client, path, {}, ['acl']);
    checkFunction('onChange', onChange);
    return limited(options, `${path}: not read`, async (signal) => {
      const cache = new ServiceCache(client, path, onChange);
      try {
        await unlessAborted(cache.start(), signal);
        return cache;
      } catch (error) {
        await cleanedUp(cache.close(), signal);
        throw error;
      }
    });
  }

  /** The names of services that have instances, sorted. */
  services(): readonly string[] {
    return [...this.found.keys()].sort();
  }

  /** The instances of one service, sorted by id. */
  instances(service: string): readonly Instance[] {
    checkString('service', service);
    const all = [...(this.found.get(service)?.values() ?? [])];
    return all.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Removes the watch; the cache keeps its state. Never rejects. */
  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort(new Error('the cache is closed'));
    this.unwatch();
    await this.work;
    const counts = watching.get(this.client);
    const left = (counts?.get(this.path) ?? 1) - 1;
    counts?.set(this.path, left);
    if (left > 0) return;
    counts?.delete(this.path);
    const { client, path } = this;
    const remove = () => client.removeWatches(path, WatcherType.PersistentRecursive);
    await retried({ client, path }, remove).catch(() => undefined);
  }

  /** Same as close(). */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async start(): Promise<void> {
    const { client, path } = this;
    const counts = watching.get(client) ?? new Map<string, number>();
    watching.set(client, counts.set(path, (counts.get(path) ?? 0) + 1));
    const mode = AddWatchMode.PERSISTENT_RECURSIVE;
    await retried(this.wait(), () => client.addWatch(path, mode, (event) => this.handle(event)));
    const first = this.work.then(() => this.readAll());
    this.work = first.then(
      () => undefined,
      () => undefined,
    );
    await first;
  }

  private handle(event: WatchEvent): void {
    if (this.closing.signal.aborted) return;
    const { path } = event;
    if (path === this.path) return;
    const above = parentPath(path);
    if (above === this.path) this.enqueue(() => this.readService(baseName(path)));
    else if (parentPath(above) === this.path) {
      this.enqueue(() => this.readInstance(baseName(above), baseName(path)));
    }
  }

  private enqueue(read: () => Promise<boolean>): void {
    this.work = this.work.then(async () => {
      if (this.closing.signal.aborted) return;
      try {
        if (await read()) this.onChange();
      } catch (error) {
        if (!this.closing.signal.aborted) this.fail(error);
      }
    });
  }

  /** @returns whether anything changed */
  private async readAll(): Promise<boolean> {
    const services = await childrenOf(this.wait(), this.path);
    let hasChanged = false;
    for (const service of new Set([...this.found.keys(), ...services])) {
      if (await this.readService(service)) hasChanged = true;
    }
    return hasChanged;
  }

  private async readService(service: string): Promise<boolean> {
    const ids = await childrenOf(this.wait(), childPath(this.path, service));
    const known = this.found.get(service)?.keys() ?? [];
    let hasChanged = false;
    for (const id of new Set([...known, ...ids])) {
      if (await this.readInstance(service, id)) hasChanged = true;
    }
    return hasChanged;
  }

  private async readInstance(service: string, id: string): Promise<boolean> {
    const znode = await readIfThere(this.wait(), childPath(childPath(this.path, service), id));
    const instances = this.found.get(service) ?? new Map<string, Instance>();
    const before = instances.get(id);
    if (znode === undefined) {
      if (instances.delete(id) && instances.size === 0) this.found.delete(service);
      return before !== undefined;
    }
    const data = znode.data ?? Buffer.alloc(0);
    this.found.set(service, instances.set(id, { id, data }));
    return before === undefined || !before.data.equals(data);
  }

  private wait(): Wait {
    return { client: this.client, path: this.path, signal: this.closing.signal };
  }
}
