import { setTimeout } from 'node:timers/promises';
import {
  checkFields,
  checkFunction,
  checkSignal,
  checkText,
  checkWhole,
} from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import { baseName, childPath, parentPath } from '../../protocol/path.js';
import { abortError, onAbort, throwIfAborted } from '../base/abort.js';
import type { CallOptions, WatchChange, ZooKeeperClient } from '../base/client.js';
import { ClosedError, endOfSession, isCode, isLost, ZooKeeperError } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { isTransient } from '../retry/policy.js';
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
  readonly depth?: number | undefined;
  /** Called with each change after the first full read, in order. */
  readonly onChange?: ((change: CacheChange) => void) | undefined;
  /**
   * Called with an exception of onChange, with the error of a znode that cannot be read, and with
   * the reason of the end of the cache (`ended`). Default: the first and the last end the process,
   * as any exception that nobody catches.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Ends the wait for the first full read. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A znode and its descendants in memory: reads cost no request. It needs the built-in client and a
 * server of 3.6 or later.
 *
 * One recursive watch reports changes, and the cache reads the changed znodes, many at a time. So
 * its content lags, but each znode is that of the server at some moment; parents come before
 * children. After a lost connection it compares the whole tree and reports the changes that the
 * watch missed. Several changes of one znode may become one. A znode that cannot be read, for want
 * of permission or because its data exceed the limit of a reply, is absent with all below it. In a
 * Stat, the figures about children are those of the last change of the znode itself.
 */
export interface TreeCache {
  /** The cached znode; undefined if it does not exist. */
  get(path: string): CachedZnode | undefined;
  /** Names of the cached children, sorted; undefined if the znode does not exist. */
  children(path: string): readonly string[] | undefined;
  /** All cached znodes, sorted by path. */
  entries(): readonly CachedZnode[];
  /** Rejects when the session has ended; the cache keeps its content. */
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
  const { onChange, onError, signal, depth, ...pace } = checkFields('options', options, {
    ...PACE_CHECKS,
    depth: (name, value) => checkWhole(name, value, 0),
    onChange: checkFunction,
    onError: checkFunction,
    signal: checkSignal,
  });
  throwIfAborted(signal, path);
  const cache = new WatchedTree(client, path, { pace, depth, onChange, onError });
  let unlisten = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    unlisten = onAbort(signal, () => reject(abortError(path, signal?.reason, false)));
  });
  try {
    await Promise.race([cache.ready, aborted]);
    return cache;
  } catch (error) {
    await cache.close();
    throw error;
  } finally {
    unlisten();
  }
}

/** A closing client fails requests before its state changes: prevents a busy loop. */
const RETRY_PAUSE_MS = 50;

/** Of a reply with data: its header, the length of the data, and the Stat. */
const REPLY_BYTES = 88;

interface TreeSettings {
  readonly pace: Pace;
  readonly depth: number | undefined;
  readonly onChange: TreeCacheOptions['onChange'] | undefined;
  readonly onError: TreeCacheOptions['onError'] | undefined;
}

/** 0 for the root. */
function levelOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

class WatchedTree implements TreeCache {
  readonly ready: Promise<void>;
  private readonly client: ZooKeeperClient;
  private readonly root: string;
  private readonly deepest: number;
  private readonly onChange: TreeSettings['onChange'];
  private readonly onError: TreeSettings['onError'];
  private readonly znodes = new Map<string, CachedZnode>();
  /** The names of the cached children of each path. */
  private readonly names = new Map<string, Set<string>>();
  /** Paths that exist and cannot be read: the cache lacks them and their descendants. */
  private readonly unreadable = new Map<string, ZooKeeperError>();
  /** The versions of those whose reply was too long, as of the last check. */
  private readonly tooLong = new Map<string, string>();
  private readonly reads: ReadQueue;
  private readonly closing = new AbortController();
  private readonly end: Promise<never>;
  private readonly done: Promise<void>;
  private isEndAwaited = false;
  private hasEnded = false;
  private isReady = false;
  private beReady: () => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  constructor(client: ZooKeeperClient, root: string, settings: TreeSettings) {
    const { pace, depth, onChange, onError } = settings;
    this.client = client;
    this.root = root;
    this.deepest = levelOf(root) + (depth ?? Number.POSITIVE_INFINITY);
    this.onChange = onChange;
    this.onError = onError;
    const { signal } = this.closing;
    this.reads = new ReadQueue(new Pacer(pace, signal), {
      read: (path, isDeep) => this.read(path, isDeep),
      finishedAll: () => this.finishedAll(),
    });
    this.end = new Promise((_, reject) => {
      this.reject = reject;
    });
    // fail() tells of an end that the caller does not await.
    this.end.catch(() => undefined);
    const first = new Promise<void>((resolve) => {
      this.beReady = resolve;
    });
    this.ready = Promise.race([first, this.end]);
    this.done = this.follow().catch((error: unknown) => this.fail(error));
  }

  get ended(): Promise<never> {
    this.isEndAwaited = true;
    return this.end;
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

  async close(): Promise<void> {
    this.hasEnded = true;
    this.reject(new ClosedError(this.root, false, new Error('the cache is closed')));
    this.closing.abort();
    await this.done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private fail(error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.reject(error);
    this.closing.abort();
    // The caller of open() gets the error of a cache that was never ready.
    const isExpected = !this.isReady || isCode(error, 'ECLOSED');
    if (!isExpected && (this.onError !== undefined || !this.isEndAwaited)) this.report(error);
  }

  private report(error: unknown): void {
    guarded(this.onError ?? rethrow, error, rethrow);
  }

  /** Begins again if the watch is lost. */
  private async follow(): Promise<void> {
    const { client, root } = this;
    const { signal } = this.closing;
    const recursive = this.deepest > levelOf(root);
    while (!signal.aborted) {
      try {
        for await (const change of client.watch(root, { recursive, signal })) this.handle(change);
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(client, error) || !(isLost(error) || isCode(error, 'NOWATCHER'))) throw error;
      }
      await setTimeout(RETRY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private handle(change: WatchChange): void {
    const { path } = change;
    if (change.type === 'Gap') this.reads.restart(this.root);
    else if (levelOf(path) <= this.deepest) {
      // It may be shorter now.
      this.unreadable.delete(path);
      this.reads.add(path, false);
    }
  }

  private finishedAll(): void {
    if (this.isReady || this.hasEnded) return;
    this.isReady = true;
    this.beReady();
  }

  /** @param isDeep whether to read its descendants, too */
  private async read(path: string, isDeep: boolean): Promise<void> {
    const call = { signal: this.closing.signal };
    const hasChildren = isDeep && levelOf(path) < this.deepest;
    try {
      if (await this.isTooLong(path, call)) return;
      const [{ data, stat }, listed] = await Promise.all([
        this.client.getData(path, call),
        hasChildren ? this.client.getChildren(path, call) : undefined,
      ]);
      this.unreadable.delete(path);
      this.tooLong.delete(path);
      this.put({ path, data, stat }, isDeep);
      if (listed !== undefined) this.list(path, listed.children);
    } catch (error) {
      this.failed(path, isDeep, error);
    }
  }

  /**
   * Whether a reply that was too long still is: each attempt ends the connection, and the reads
   * after that would repeat it. So one attempt for each version of the znode.
   */
  private async isTooLong(path: string, call: CallOptions): Promise<boolean> {
    const length = this.unreadable.get(path)?.oversizeReplyBytes;
    if (length === undefined) return false;
    const stat = await this.client.exists(path, call);
    if (stat === null) return false;
    const version = `${stat.mzxid} ${stat.pzxid}`;
    const isKnown = this.tooLong.get(path) === version;
    this.tooLong.set(path, version);
    return isKnown || stat.dataLength + REPLY_BYTES >= length;
  }

  private failed(path: string, isDeep: boolean, error: unknown): void {
    const { client } = this;
    if (this.hasEnded) return;
    if (isCode(error, 'NONODE')) this.remove(path);
    else if (isFinal(client, error) || !(error instanceof ZooKeeperError)) this.fail(error);
    else if (isTransient(error) || isCode(error, 'SESSIONEXPIRED')) {
      // The gap after a reconnect reads everything again.
      this.reads.repeat(path, isDeep, isCode(error, 'ETIMEDOUT') ? 0 : RETRY_PAUSE_MS);
    } else this.hide(path, error);
  }

  private hide(path: string, error: ZooKeeperError): void {
    if (path === this.root && !this.isReady) {
      this.fail(error);
      return;
    }
    const isNews = this.unreadable.get(path)?.code !== error.code;
    this.unreadable.set(path, error);
    this.remove(path);
    if (isNews && this.onError !== undefined) this.report(error);
  }

  private put(znode: CachedZnode, isDeep: boolean): void {
    const { path, stat } = znode;
    const above = parentPath(path);
    if (path !== this.root && !this.znodes.has(above)) {
      // Its parent comes first, if that can be read.
      if (this.reads.isPending(above)) this.reads.add(path, isDeep);
      return;
    }
    let before = this.znodes.get(path);
    if (before !== undefined && before.stat.czxid !== stat.czxid) {
      // Deleted and created again, without its old children.
      this.remove(path);
      before = undefined;
    }
    this.znodes.set(path, znode);
    if (before === undefined) {
      const siblings = this.names.get(above) ?? new Set<string>();
      this.names.set(above, siblings.add(baseName(path)));
      this.notify({ type: 'added', znode });
      // Their events may have come before this cache knew their parent.
      if (!isDeep && stat.numChildren > 0) this.reads.add(path, true);
    } else if (before.stat.mzxid !== stat.mzxid) {
      this.notify({ type: 'changed', znode, before });
    }
  }

  private list(path: string, children: readonly string[]): void {
    const present = new Set(children);
    for (const name of [...(this.names.get(path) ?? [])]) {
      if (!present.has(name)) this.remove(childPath(path, name));
    }
    for (const name of children) this.reads.add(childPath(path, name), true);
  }

  /** Removes a znode and its cached descendants, children first. */
  private remove(path: string): void {
    for (const name of [...(this.names.get(path) ?? [])]) this.remove(childPath(path, name));
    this.names.delete(path);
    const before = this.znodes.get(path);
    if (before === undefined) return;
    this.znodes.delete(path);
    this.names.get(parentPath(path))?.delete(baseName(path));
    this.notify({ type: 'removed', before });
  }

  private notify(change: CacheChange): void {
    const { onChange } = this;
    if (this.isReady && onChange !== undefined) {
      guarded(onChange, change, (error) => this.report(error));
    }
  }
}

/** Whether no later request of the client can succeed. */
function isFinal(client: ZooKeeperClient, error: unknown): boolean {
  return isCode(error, 'ECLOSED') || endOfSession(client.state, '') !== undefined;
}

function guarded<T>(
  listener: (value: T) => void,
  value: T,
  failed: (error: unknown) => void,
): void {
  try {
    listener(value);
  } catch (error) {
    failed(error);
  }
}

/** As an exception that nobody catches. */
function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

interface ReadQueueOwner {
  /** Applies its result before it resolves. Never rejects. */
  read(path: string, isDeep: boolean): Promise<void>;
  /** All deep reads have ended. */
  finishedAll(): void;
}

/** The reads of a cache: many at a time, in the order of their requests, one at a time per path. */
class ReadQueue {
  private readonly pacer: Pacer;
  private readonly owner: ReadQueueOwner;
  /** Paths to read, and whether their descendants are to be read, too. */
  private waiting = new Map<string, boolean>();
  /** Paths that are being read; a change meanwhile needs another read. */
  private readonly reading = new Map<string, { again?: boolean }>();
  /** The number of deep reads that wait or run; 0 means that the whole tree was read. */
  private deep = 0;

  constructor(pacer: Pacer, owner: ReadQueueOwner) {
    this.pacer = pacer;
    this.owner = owner;
  }

  add(path: string, isDeep: boolean): void {
    const own = this.reading.get(path);
    const known = own === undefined ? this.waiting.get(path) : own.again;
    const next = isDeep || known === true;
    if (next && known !== true) this.deep++;
    if (own === undefined) this.waiting.set(path, next);
    else own.again = next;
    this.pump();
  }

  isPending(path: string): boolean {
    return this.waiting.has(path) || this.reading.has(path);
  }

  /** Forgets what waits, since a deep read of `root` covers it. */
  restart(root: string): void {
    for (const isDeep of this.waiting.values()) if (isDeep) this.deep--;
    this.waiting.clear();
    this.add(root, true);
  }

  /** A read that failed. @param afterMs gives the connection time to come back */
  repeat(path: string, isDeep: boolean, afterMs: number): void {
    if (isDeep) this.deep++;
    const add = (): void => {
      this.add(path, isDeep);
      if (isDeep) this.finished(true);
    };
    setTimeout(afterMs, undefined, { ref: false }).then(add, add);
  }

  private pump(): void {
    for (const [path, isDeep] of this.waiting) {
      if (this.reading.size >= this.pacer.inFlight) return;
      this.waiting.delete(path);
      this.reading.set(path, {});
      this.run(path, isDeep);
    }
  }

  private run(path: string, isDeep: boolean): void {
    const ended = (): void => {
      const again = this.reading.get(path)?.again;
      this.reading.delete(path);
      if (again !== undefined) this.waiting.set(path, again);
      this.finished(isDeep);
      this.pump();
    };
    const read = () => this.owner.read(path, isDeep);
    this.pacer.turn().then(read).then(ended, ended);
  }

  private finished(wasDeep: boolean): void {
    if (wasDeep && --this.deep === 0) this.owner.finishedAll();
  }
}
