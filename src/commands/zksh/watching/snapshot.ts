import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { walk } from '../../znodes/walk.js';
import type { ZnodeValue } from '../results/change.js';

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
  let ahead: { path: string; reading: Promise<Reading> }[] = [];
  for await (const path of paths) {
    const reading = readZnode(client, path);
    // The loop below awaits it; this prevents an unhandled rejection until then.
    reading.catch(() => undefined);
    ahead.push({ path, reading });
    if (ahead.length < READ_AHEAD) continue;
    for (const { path, reading } of ahead) yield { path, reading: await reading };
    ahead = [];
  }
  for (const { path, reading } of ahead) yield { path, reading: await reading };
}

/** Parents first; empty if the root does not exist. */
export async function* pathsBelow(
  client: ZooKeeperClient,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    for await (const { path } of walk(client, root, signal)) yield path;
  } catch (error) {
    if (!(error instanceof ZooKeeperError) || error.code !== 'NONODE') throw error;
  }
}
