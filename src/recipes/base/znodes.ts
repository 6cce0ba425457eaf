/** Idempotent requests for single znodes, retried after a lost connection. */
import type { Watcher, ZooKeeperClient } from '../../client/base/client.js';
import { isCode, UnsupportedError } from '../../client/base/errors.js';
import { type CreateMode, CreateModes } from '../../protocol/create-mode.js';
import type { ACL, Stat } from '../../protocol/data.js';
import { parentPath } from '../../protocol/path.js';
import { WatcherType } from '../../protocol/watch-event.js';
import { isRenewed, retried, untilRenewed, type Wait, whileAlive } from './session.js';

export const NO_DATA = Buffer.alloc(0);

const ignore = (): void => undefined;

export interface ZnodeOptions {
  /** ACL of the created znodes, including parents. Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[] | undefined;
}

export interface Znode {
  readonly data: Buffer | null;
  readonly stat: Stat;
}

/** Creates a znode and its missing parents as containers, which the server deletes when empty. */
export async function makeContainer(
  wait: Wait,
  path: string,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  const parents = { ...wait, isChange: false };
  const make = (mode: CreateMode) =>
    retried(parents, (call) => wait.client.create(path, NO_DATA, { mode, acl, ...call }));
  try {
    await make(CreateModes.CONTAINER).catch((error) => {
      const isUnknown = error instanceof UnsupportedError || isCode(error, 'UNIMPLEMENTED');
      if (!isUnknown) throw error;
      return make(CreateModes.PERSISTENT);
    });
  } catch (error) {
    if (isCode(error, 'NODEEXISTS')) return;
    await createParent(error, wait, path, acl);
    await makeContainer(wait, path, acl);
  }
}

/** Creates the missing parent after a NONODE, and throws any other error. */
export async function createParent(
  error: unknown,
  wait: Wait,
  path: string,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  const above = parentPath(path);
  // If the parent is the root, the chroot is missing, which a recipe must not create.
  if (!isCode(error, 'NONODE') || above === '/' || above === '') throw error;
  await makeContainer(wait, above, acl);
}

/** Creates a persistent znode and its missing parents; an existing znode stays unchanged. */
export async function makePersistent(
  wait: Wait,
  path: string,
  data: Uint8Array,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  for (;;) {
    try {
      const options = { mode: CreateModes.PERSISTENT, acl };
      await retried(wait, (call) => wait.client.create(path, data, { ...options, ...call }));
      return;
    } catch (error) {
      if (isCode(error, 'NODEEXISTS')) return;
      await createParent(error, wait, path, acl);
    }
  }
}

/** Undefined if the znode does not exist; no watch is set then. */
export async function readIfThere(
  wait: Wait,
  path: string,
  watches?: WaitWatches,
): Promise<Znode | undefined> {
  const read = (watch: Watcher | false) =>
    retried(wait, (call) => wait.client.getData(path, { watch, ...call }));
  return (watches?.set(path, WatcherType.Data, read) ?? read(false)).catch(absent);
}

export async function childrenOf(wait: Wait, path: string): Promise<readonly string[]> {
  const found = await retried(wait, (call) => wait.client.getChildren(path, call)).catch(absent);
  return found?.children ?? [];
}

/**
 * A number that rises with each create below `path`: cversion counts creates and deletes, so with
 * the children it tells of creates alone.
 */
export async function countCreations(wait: Wait): Promise<number> {
  const stat = await retried(wait, (call) => wait.client.exists(wait.path, call));
  return stat === null ? 0 : (stat.cversion + stat.numChildren) | 0;
}

/** The children, or undefined if the znode does not exist; the watch is set in both cases. */
export async function watchChildren(
  wait: Wait,
  path: string,
  watches: WaitWatches,
): Promise<readonly string[] | undefined> {
  const { client } = wait;
  for (;;) {
    const found = await watches
      .set(path, WatcherType.Children, (watch) =>
        retried(wait, (call) => client.getChildren(path, { watch, ...call })),
      )
      .catch(absent);
    if (found !== undefined) return found.children;
    if (!(await watchPresence(wait, path, watches))) return undefined;
  }
}

/** The data, or undefined if the znode does not exist; the watch is set in both cases. */
export async function watchData(
  wait: Wait,
  path: string,
  watches: WaitWatches,
): Promise<Znode | undefined> {
  for (;;) {
    const found = await readIfThere(wait, path, watches);
    if (found !== undefined) return found;
    if (!(await watchPresence(wait, path, watches))) return undefined;
  }
}

/** Whether the znode exists; the watch is set in both cases. */
export async function watchPresence(
  wait: Wait,
  path: string,
  watches: WaitWatches,
): Promise<boolean> {
  const stat = await watches.set(path, WatcherType.Data, (watch) =>
    retried(wait, (call) => wait.client.exists(path, { watch, ...call })),
  );
  return stat !== null;
}

/**
 * The one-shot watches of one wait. None outlives it, whether the wait is answered, gives up, or is
 * aborted: `forget` removes those that have not fired.
 */
export class WaitWatches {
  private readonly client: ZooKeeperClient;
  private readonly fired: () => void;
  /** Those that have not fired. */
  private readonly open = new Map<Watcher, () => void>();
  private isOver = false;

  /** @param fired called at each event, also if another part of the program removes a watch */
  constructor(client: ZooKeeperClient, fired: () => void) {
    this.client = client;
    this.fired = fired;
  }

  /** Makes a read that sets a watch. */
  async set<T>(path: string, type: WatcherType, read: (watch: Watcher) => Promise<T>): Promise<T> {
    const watcher: Watcher = () => {
      this.open.delete(watcher);
      this.fired();
    };
    this.open.set(watcher, () => {
      this.client.removeWatches(path, type, true, { watcher }).catch(ignore);
    });
    try {
      return await read(watcher);
    } catch (error) {
      this.open.delete(watcher);
      throw error;
    } finally {
      if (this.isOver) this.forget();
    }
  }

  forget(): void {
    this.isOver = true;
    for (const remove of this.open.values()) remove();
    this.open.clear();
  }
}

export async function deleteIfThere(wait: Wait, path: string): Promise<void> {
  await retried(wait, (call) => wait.client.delete(path, -1, call)).catch(absent);
}

/**
 * Waits until one of these znodes changes or is deleted. Watches by getData, because exists would
 * leave a watch on a deleted znode.
 * @param known znodes that were read before: a change since then counts, too
 */
export function untilOneChanged(
  wait: Wait,
  paths: readonly string[],
  known: readonly { readonly path: string; readonly mzxid: bigint | undefined }[] = [],
): Promise<void> {
  return whileAlive(wait, (resolve, reject) => {
    const watches = new WaitWatches(wait.client, () => resolve());
    const watch = (path: string, isNews: (found: Znode) => boolean): void => {
      readIfThere(wait, path, watches).then((found) => {
        if (found === undefined || isNews(found)) resolve();
      }, reject);
    };
    for (const path of paths) watch(path, () => false);
    for (const { path, mzxid } of known) watch(path, ({ stat }) => stat.mzxid !== mzxid);
    return () => watches.forget();
  });
}

/** The result of `read`, now and after each event of its watches. */
export async function* watched<T>(
  wait: Wait,
  read: (watches: WaitWatches) => Promise<T>,
): AsyncGenerator<T, never> {
  for (;;) {
    let tell = ignore;
    const changed = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const watches = new WaitWatches(wait.client, () => tell());
    try {
      yield await read(watches);
      await whileAlive<void>(wait, (resolve, reject) => {
        changed.then(resolve, reject);
        return ignore;
      });
    } catch (error) {
      if (!isRenewed(wait, error)) throw error;
      await untilRenewed(wait);
    } finally {
      watches.forget();
    }
  }
}

export function absent(error: unknown): undefined {
  if (!isCode(error, 'NONODE')) throw error;
}
