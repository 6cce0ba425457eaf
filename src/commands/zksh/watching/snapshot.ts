import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { mapBounded } from '../../../client/znodes/pace.js';
import { walkTree } from '../../../client/znodes/walk.js';
import type { ZnodeValue } from '../../results/change.js';

const READ_AHEAD = 64;

/** Null if the znode does not exist; `unread` is the error of a failed read. */
export type Reading =
  | { readonly value: ZnodeValue | null }
  | { readonly value: undefined; readonly unread: string };

export type Read = Reading | { readonly names: readonly string[] };

export async function readZnode(client: ZooKeeperClient, path: string): Promise<Reading> {
  try {
    return { value: await client.getData(path) };
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    return error.code === 'NONODE' ? { value: null } : { value: undefined, unread: error.code };
  }
}

/** Empty if the znode does not exist. */
export async function readNames(client: ZooKeeperClient, path: string): Promise<Read> {
  try {
    return { names: (await client.getChildren(path)).children };
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    return error.code === 'NONODE' ? { names: [] } : { value: undefined, unread: error.code };
  }
}

/** In order. */
export async function* readAll(
  client: ZooKeeperClient,
  paths: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<{ readonly path: string; readonly reading: Reading }> {
  const read = (path: string) => readZnode(client, path);
  for await (const { item: path, value: reading } of mapBounded(paths, READ_AHEAD, read)) {
    yield { path, reading };
  }
}

/** Parents first; empty if the root does not exist. */
export async function* pathsBelow(
  client: ZooKeeperClient,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    for await (const { path } of walkTree(client, root, { signal })) yield path;
  } catch (error) {
    if (!(error instanceof ZooKeeperError) || error.code !== 'NONODE') throw error;
  }
}
