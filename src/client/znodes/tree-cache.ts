import { setTimeout } from 'node:timers/promises';
import {
  checkFields,
  checkFunction,
  checkSignal,
  checkText,
  checkWhole,
} from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import { baseName, childPath, isWithin, parentPath } from '../../protocol/path.js';
import type { WatchChange, ZooKeeperClient } from '../base/client.js';
import { endOfSession, isCode, isLost } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { PACE_CHECKS, type Pace, Pacer } from './pace.js';

/** A znode of a cache; do not change its data. */
export interface CachedZnode {
  readonly path: string;
  readonly data: Buffer | null;
  readonly stat: Stat;
}

/** A change that the cache has already applied. */
export type CacheChange =
  | { readonly type: 'added'; readonly znode: CachedZnode }
  | { readonly type: 'changed'; readonly znode: CachedZnode; readonly before: CachedZnode }
  | { readonly type: 'removed'; readonly before: CachedZnode };

export interface TreeCacheOptions extends Pace {
  /**
   * The number of levels below the path: 0 for only the znode, 1 for its children, too. Default:
   * the whole tree.
   */
  readonly depth?: number;
  /** Called with each change after the first full read, in order; must not throw. */
  readonly onChange?: (change: CacheChange) => void;
  /** Ends the wait for the first full read. */
  readonly signal?: AbortSignal;
}

/**
 * A znode and its descendants in memory: reads cost no request. It needs the built-in client and a
 * server of 3.6 or later.
 *
 * One recursive watch reports changes, and the cache reads each changed znode, one after the other.
 * So its content lags, but is always that of the server at some moment; parents come before
 * children. After a lost connection it compares the whole tree and reports the changes that the
 * watch missed. Several changes of one znode may become one. In a Stat, the figures about children
 * are those of the last change of the znode itself.
 */
export interface TreeCache {
  /** The cached znode; undefined if it does not exist. */
  get(path: string): CachedZnode | undefined;
  /** Names of the cached children, sorted; undefined if the znode does not exist. */
  children(path: string): readonly string[] | undefined;
  /** All cached znodes, sorted by path. */
  entries(): readonly CachedZnode[];
  /** Rejects when the session has ended or a read was refused; the cache keeps its content. */
  readonly ended: Promise<never>;
  /** Removes the watch; the cache keeps its content. Never rejects. */
  close(): Promise<void>;
  /** Same as close(). */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a cache, and resolves when it has read the whole tree. The path need not exist.
 * @example
 * const cache = await openTreeCache(client, '/app', { onChange: ({ type }) => console.log(type) });
 * cache.get('/app/config')?.data;
 * @throws ZooKeeperError; UnsupportedError over the native client
 */
export async function openTreeCache(
  client: ZooKeeperClient,
  path: string,
  options: TreeCacheOptions = {},
): Promise<TreeCache> {
  checkClient(client);
  checkText('path', path);
  const { onChange, signal, depth, ...pace } = checkFields('options', options, {
    ...PACE_CHECKS,
    depth: (name, value) => checkWhole(name, value, 0),
    onChange: checkFunction,
    signal: checkSignal,
  });
  const cache = new WatchedTree(client, path, { pace, depth, onChange });
  const abort = (): void => cache.end(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    await cache.ready;
    return cache;
  } catch (error) {
    await cache.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** A closing client fails requests before its state changes: prevents a busy loop. */
const RETRY_PAUSE_MS = 50;

interface TreeSettings {
  readonly pace: Pace;
  readonly depth: number | undefined;
  readonly onChange: ((change: CacheChange) => void) | undefined;
}

/** 0 for the root. */
function levelOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

class WatchedTree implements TreeCache {
  readonly ready: Promise<void>;
  readonly ended: Promise<never>;
  private readonly client: ZooKeeperClient;
  private readonly root: string;
  private readonly pace: Pace;
  private readonly deepest: number;
  private readonly onChange: ((change: CacheChange) => void) | undefined;
  private readonly znodes = new Map<string, CachedZnode>();
  private readonly names = new Map<string, Set<string>>();
  private readonly closing = new AbortController();
  private readonly done: Promise<void>;
  private isReady = false;
  private beReady: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;

  constructor(client: ZooKeeperClient, root: string, { pace, depth, onChange }: TreeSettings) {
    this.client = client;
    this.root = root;
    this.pace = pace;
    this.deepest = levelOf(root) + (depth ?? Number.POSITIVE_INFINITY);
    this.onChange = onChange;
    this.ended = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.ready = Promise.race([
      new Promise<void>((resolve) => {
        this.beReady = resolve;
      }),
      this.ended,
    ]);
    // Prevents an unhandled rejection if the caller does not await it.
    this.ended.catch(() => undefined);
    this.done = this.follow().catch((error: unknown) => this.fail(error));
  }

  get(path: string): CachedZnode | undefined {
    return this.znodes.get(path);
  }

  children(path: string): readonly string[] | undefined {
    if (!this.znodes.has(path)) return undefined;
    return [...(this.names.get(path) ?? [])].sort();
  }

  entries(): readonly CachedZnode[] {
    return [...this.znodes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  end(reason: unknown): void {
    this.fail(reason);
  }

  async close(): Promise<void> {
    this.fail(new Error(`${this.root}: the cache is closed`));
    this.closing.abort();
    await this.done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Begins again if the request that sets the watch is lost. */
  private async follow(): Promise<void> {
    const { client, root } = this;
    const { signal } = this.closing;
    for (;;) {
      try {
        return await this.applyAll(signal);
      } catch (error) {
        const hasEnded = endOfSession(client.state, root) !== undefined;
        if (hasEnded || !isLost(error)) throw error;
      }
      await setTimeout(RETRY_PAUSE_MS, undefined, { signal });
    }
  }

  private async applyAll(signal: AbortSignal): Promise<void> {
    const recursive = this.deepest > levelOf(this.root);
    for await (const change of this.client.watch(this.root, { recursive, signal })) {
      while (!(await this.isApplied(change)));
    }
  }

  private async isApplied(change: WatchChange): Promise<boolean> {
    try {
      await this.apply(change);
      return true;
    } catch (error) {
      if (isCode(error, 'REQUESTTIMEOUT')) return false;
      // The gap of the reconnect reads everything again.
      if (isLost(error)) return true;
      throw error;
    }
  }

  private async apply(change: WatchChange): Promise<void> {
    if (change.type !== 'Gap') {
      if (levelOf(change.path) > this.deepest) return;
      await this.readOne(change.path);
      return;
    }
    await this.readAll();
    if (this.isReady) return;
    this.isReady = true;
    this.beReady();
  }

  private async readAll(): Promise<void> {
    const seen = new Set<string>();
    const pacer = new Pacer(this.pace, this.closing.signal);
    let level: readonly string[] = [this.root];
    for (let depth = levelOf(this.root); level.length > 0; depth++) {
      const found = await pacer.map(level, (path) => this.read(path, depth < this.deepest));
      const below: string[] = [];
      for (const each of found) {
        if (each === undefined) continue;
        seen.add(each.znode.path);
        this.put(each.znode);
        for (const name of each.names) below.push(childPath(each.znode.path, name));
      }
      level = below;
    }
    for (const path of [...this.znodes.keys()]) {
      if (!seen.has(path)) this.remove(path);
    }
  }

  private async readOne(path: string): Promise<void> {
    const found = await this.read(path, false);
    if (found === undefined) this.remove(path);
    else this.put(found.znode);
  }

  private async read(
    path: string,
    hasChildren: boolean,
  ): Promise<{ znode: CachedZnode; names: readonly string[] } | undefined> {
    try {
      const [{ data, stat }, names] = await Promise.all([
        this.client.getData(path),
        hasChildren ? this.client.getChildren(path) : undefined,
      ]);
      return { znode: { path, data, stat }, names: names?.children ?? [] };
    } catch (error) {
      if (isCode(error, 'NONODE')) return undefined;
      throw error;
    }
  }

  private put(znode: CachedZnode): void {
    const { path, stat } = znode;
    let before = this.znodes.get(path);
    if (before !== undefined && before.stat.czxid !== stat.czxid) {
      // Deleted and created again, without its old children.
      this.remove(path);
      before = undefined;
    }
    this.znodes.set(path, znode);
    if (before === undefined) {
      const above = parentPath(path);
      const siblings = this.names.get(above) ?? new Set<string>();
      this.names.set(above, siblings.add(baseName(path)));
      this.notify({ type: 'added', znode });
    } else if (before.stat.mzxid !== stat.mzxid) {
      this.notify({ type: 'changed', znode, before });
    }
  }

  /** Removes a znode and its cached descendants, children first. */
  private remove(path: string): void {
    for (const name of [...(this.names.get(path) ?? [])]) this.remove(childPath(path, name));
    this.names.delete(path);
    const before = this.znodes.get(path);
    if (before === undefined || !isWithin(path, this.root)) return;
    this.znodes.delete(path);
    this.names.get(parentPath(path))?.delete(baseName(path));
    this.notify({ type: 'removed', before });
  }

  private notify(change: CacheChange): void {
    if (this.isReady) this.onChange?.(change);
  }
}
