import type { ZooKeeperClient } from '../../client/base/client.js';
import { type CacheChange, openTreeCache, type TreeCache } from '../../client/znodes/tree-cache.js';
import { checkFunction, checkString, readFields } from '../../protocol/check-argument.js';
import { childPath, parentPath } from '../../protocol/path.js';
import { checkName, checkRecipe, WAIT_NAMES } from '../base/arguments.js';
import { limited, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { NO_DATA, type ZnodeOptions } from '../base/znodes.js';
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

export interface ServiceCacheOptions extends WaitOptions {
  /** As of openTreeCache: exceptions of onChange, unreadable znodes, and the end of the cache. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * All instances of all services in memory: reads cost no request. It is a tree cache of two levels
 * (openTreeCache), with its guarantees.
 *
 * Layout: `<path>/<service>/<instance>`, ephemeral, with the data of the instance: one Group per
 * service. Deeper znodes are ignored.
 * @example
 * const cache = await ServiceCache.open(client, '/services');
 * console.log(cache.instances('web'));
 * await cache.close();
 */
export class ServiceCache {
  private readonly tree: TreeCache;
  private readonly path: string;

  private constructor(tree: TreeCache, path: string) {
    this.tree = tree;
    this.path = path;
  }

  /**
   * Opens a cache after its first full read.
   * @param onChange called after each change
   * @throws RangeError for an invalid path; TimeoutError, RequestAbortedError; ZooKeeperError;
   * UnsupportedError over the native client
   */
  static async open(
    client: ZooKeeperClient,
    path: string,
    onChange: () => void = () => undefined,
    options: ServiceCacheOptions = {},
  ): Promise<ServiceCache> {
    checkRecipe<ZnodeOptions>(client, path, {}, ['acl']);
    checkFunction('onChange', onChange);
    const { onError } = readFields('options', options, ['onError'], WAIT_NAMES);
    const limits = readFields('options', options, ['signal', 'timeoutMs'], ['onError']);
    const told = (change: CacheChange): void => {
      const { path: changed } = change.type === 'removed' ? change.before : change.znode;
      if (changed !== path && parentPath(changed) !== path) onChange();
    };
    return limited(limits, { client, path }, 'not read', async (signal) => {
      const common = { depth: 2, onChange: told, signal };
      const tree = await openTreeCache(client, path, { ...common, onError });
      return new ServiceCache(tree, path);
    });
  }

  /** Rejects when the session ended; the cache keeps its last state. */
  get ended(): Promise<never> {
    return this.tree.ended;
  }

  /** The names of services that have instances, sorted. */
  services(): readonly string[] {
    const names = this.tree.children(this.path) ?? [];
    return names.filter((name) => this.ids(name).length > 0);
  }

  /** The instances of one service, sorted by id. */
  instances(service: string): readonly Instance[] {
    checkString('service', service);
    return this.ids(service).flatMap((id) => {
      const znode = this.tree.get(childPath(childPath(this.path, service), id));
      return znode === undefined ? [] : [{ id, data: znode.data ?? NO_DATA }];
    });
  }

  /** Removes the watch; the cache keeps its state. Never rejects. */
  close(): Promise<void> {
    return this.tree.close();
  }

  /** Same as close(). */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private ids(service: string): readonly string[] {
    return this.tree.children(childPath(this.path, service)) ?? [];
  }
}
