import type { ZooKeeperClient } from '../../../client/client.js';
import { ZooKeeperError } from '../../../client/errors.js';
import { walk } from '../../znodes/walk.js';
import type { ZnodeValue } from '../results/change.js';

/** Values in flight. */
const READ_AHEAD = 64;

/** The znode, or null; `unread` names the error that hid it. */
export type Reading =
  | { readonly value: ZnodeValue | null }
  | { readonly value: undefined; readonly unread: string };

/** What an event makes us read. */
export type Read = Reading | { readonly names: readonly string[] };

export async function readZnode(client: ZooKeeperClient, path: string): Promise<Reading> {
  try {
    return { value: await client.getData(path) };
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    return error.code === 'NONODE' ? { value: null } : { value: undefined, unread: error.code };
  }
}

/** The children; none of a znode that is not there. */
export async function readNames(client: ZooKeeperClient, path: string): Promise<Read> {
  try {
    return { names: (await client.getChildren(path)).children };
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    return error.code === 'NONODE' ? { names: [] } : { value: undefined, unread: error.code };
  }
}

/** What was read of each path, in their order. */
export async function* readAll(
  client: ZooKeeperClient,
  paths: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<{ readonly path: string; readonly reading: Reading }> {
  let ahead: { path: string; reading: Promise<Reading> }[] = [];
  for await (const path of paths) {
    const reading = readZnode(client, path);
    // It is awaited below; until then nobody hears of its failure.
    reading.catch(() => undefined);
    ahead.push({ path, reading });
    if (ahead.length < READ_AHEAD) continue;
    for (const { path, reading } of ahead) yield { path, reading: await reading };
    ahead = [];
  }
  for (const { path, reading } of ahead) yield { path, reading: await reading };
}

/** The paths from `root` down, a parent before its children; none when there is no root. */
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
