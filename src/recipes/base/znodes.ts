/** Idempotent requests for single znodes, retried after a lost connection. */
import type { CreateOptions, Watcher } from '../../client/base/client.js';
import { isCode, UnsupportedError } from '../../client/base/errors.js';
import { type CreateMode, CreateModes } from '../../protocol/create-mode.js';
import type { ACL, Stat } from '../../protocol/data.js';
import { parentPath } from '../../protocol/path.js';
import { retried, type Wait, whileAlive } from './session.js';

export const NO_DATA = Buffer.alloc(0);

export interface ZnodeOptions {
  /** ACL of the created znodes, including parents. Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[] | undefined;
}

export interface Znode {
  readonly data: Buffer | null;
  readonly stat: Stat;
}

export function createOptions(mode: CreateMode, acl: readonly ACL[] | undefined): CreateOptions {
  return acl === undefined ? { mode } : { mode, acl };
}

/** Creates a znode and its missing parents as containers, which the server deletes when empty. */
export async function makeContainer(
  wait: Wait,
  path: string,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  const make = (mode: CreateMode) =>
    retried(wait, () => wait.client.create(path, NO_DATA, createOptions(mode, acl)));
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
      const options = createOptions(CreateModes.PERSISTENT, acl);
      await retried(wait, () => wait.client.create(path, data, options));
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
  watch: Watcher | false = false,
): Promise<Znode | undefined> {
  return retried(wait, () => wait.client.getData(path, { watch })).catch(absent);
}

export async function childrenOf(wait: Wait, path: string): Promise<readonly string[]> {
  const found = await retried(wait, () => wait.client.getChildren(path)).catch(absent);
  return found?.children ?? [];
}

/**
 * A number that rises with each create below `path`: cversion counts creates and deletes, so with
 * the children it tells of creates alone.
 */
export async function countCreations(wait: Wait): Promise<number> {
  const stat = await retried(wait, () => wait.client.exists(wait.path));
  return stat === null ? 0 : (stat.cversion + stat.numChildren) | 0;
}

/** The children, or undefined if the znode does not exist; the watch is set in both cases. */
export async function watchChildren(
  wait: Wait,
  path: string,
  watch: Watcher,
): Promise<readonly string[] | undefined> {
  for (;;) {
    const found = await retried(wait, () => wait.client.getChildren(path, { watch })).catch(absent);
    if (found !== undefined) return found.children;
    if ((await retried(wait, () => wait.client.exists(path, { watch }))) === null) return undefined;
  }
}

/** The data, or undefined if the znode does not exist; the watch is set in both cases. */
export async function watchData(
  wait: Wait,
  path: string,
  watch: Watcher,
): Promise<Znode | undefined> {
  for (;;) {
    const found = await readIfThere(wait, path, watch);
    if (found !== undefined) return found;
    if ((await retried(wait, () => wait.client.exists(path, { watch }))) === null) return undefined;
  }
}

export async function deleteIfThere(wait: Wait, path: string): Promise<void> {
  await retried(wait, () => wait.client.delete(path)).catch(absent);
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
    const watch = (path: string, isNews: (found: Znode) => boolean): void => {
      readIfThere(wait, path, () => resolve()).then((found) => {
        if (found === undefined || isNews(found)) resolve();
      }, reject);
    };
    for (const path of paths) watch(path, () => false);
    for (const { path, mzxid } of known) watch(path, ({ stat }) => stat.mzxid !== mzxid);
    return () => undefined;
  });
}

/** The result of `read`, now and after each event of its watch. */
export async function* watched<T>(
  wait: Wait,
  read: (watch: Watcher) => Promise<T>,
): AsyncGenerator<T, never> {
  for (;;) {
    let tell = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      tell = resolve;
    });
    yield await read(() => tell());
    await whileAlive<void>(wait, (resolve, reject) => {
      changed.then(resolve, reject);
      return () => undefined;
    });
  }
}

export function absent(error: unknown): undefined {
  if (!isCode(error, 'NONODE')) throw error;
}
