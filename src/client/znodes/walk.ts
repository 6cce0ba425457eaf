import { checkFields, checkFunction, checkSignal } from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import type { CallOptions, ZooKeeperClient } from '../base/client.js';
import { isCode } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { PACE_CHECKS, type Pace, Pacer } from './pace.js';

export interface WalkOptions extends Pace {
  readonly signal?: AbortSignal;
}

/** A znode of a walk. */
export interface WalkedZnode {
  readonly path: string;
  readonly stat: Stat;
  /** 0 for the znode where the walk begins. */
  readonly depth: number;
}

const WALK_CHECKS = { ...PACE_CHECKS, signal: checkSignal };

/**
 * The znodes of a tree, parents first, level by level, each level sorted by path. Znodes that are
 * created or deleted during the walk may be missing.
 * @example
 * for await (const { path, stat } of walk(client, '/app')) console.log(path, stat.dataLength);
 * @throws ZooKeeperError: NONODE without the first znode, NOAUTH
 */
export async function* walk(
  client: ZooKeeperClient,
  path: string,
  options: WalkOptions = {},
): AsyncGenerator<WalkedZnode, void, undefined> {
  checkClient(client);
  const { signal, ...pace } = checkFields('options', options, WALK_CHECKS);
  yield* levels(client, path, new Pacer(pace, signal), signal);
}

async function* levels(
  client: ZooKeeperClient,
  path: string,
  pacer: Pacer,
  signal: AbortSignal | undefined,
): AsyncGenerator<WalkedZnode, void, undefined> {
  const call: CallOptions = signal === undefined ? {} : { signal };
  let level: readonly string[] = [path];
  for (let depth = 0; level.length > 0; depth++) {
    const found = await pacer.map(level, (each) => read(client, each, depth > 0, call));
    const below: string[] = [];
    for (const znode of found) {
      if (znode === undefined) continue;
      yield { path: znode.path, stat: znode.stat, depth };
      for (const name of [...znode.children].sort()) below.push(childPath(znode.path, name));
    }
    level = below;
  }
}

async function read(
  client: ZooKeeperClient,
  path: string,
  mayBeGone: boolean,
  call: CallOptions,
): Promise<{ path: string; stat: Stat; children: readonly string[] } | undefined> {
  try {
    return { path, ...(await client.getChildren(path, call)) };
  } catch (error) {
    if (mayBeGone && isCode(error, 'NONODE')) return undefined;
    throw error;
  }
}

export interface DeleteAllOptions extends WalkOptions {
  /** Called after each deletion, with the number so far. */
  readonly onProgress?: (deleted: number) => void;
}

/**
 * Deletes a znode and its descendants, children first, and those that are created meanwhile. It is
 * idempotent, but not atomic: if it fails, call it again.
 * @example await deleteAll(client, '/app/old', { perSecond: 500 });
 * @returns the number of deleted znodes; 0 without the znode
 * @throws ZooKeeperError, for example NOAUTH
 */
export async function deleteAll(
  client: ZooKeeperClient,
  path: string,
  options: DeleteAllOptions = {},
): Promise<number> {
  checkClient(client);
  const { signal, onProgress, ...pace } = checkFields('options', options, {
    ...WALK_CHECKS,
    onProgress: checkFunction,
  });
  const pacer = new Pacer(pace, signal);
  const call: CallOptions = signal === undefined ? {} : { signal };
  let deleted = 0;
  /** @returns whether it got new children */
  const remove = async (each: string): Promise<boolean> => {
    try {
      await client.delete(each, -1, call);
      deleted++;
      onProgress?.(deleted);
      return false;
    } catch (error) {
      if (isCode(error, 'NONODE')) return false;
      if (isCode(error, 'NOTEMPTY')) return true;
      throw error;
    }
  };
  for (;;) {
    const byDepth: string[][] = [];
    try {
      for await (const { path: each, depth } of levels(client, path, pacer, signal)) {
        byDepth[depth] ??= [];
        byDepth[depth].push(each);
      }
    } catch (error) {
      if (isCode(error, 'NONODE')) return deleted;
      throw error;
    }
    const outcomes: boolean[] = [];
    for (const level of byDepth.reverse()) outcomes.push(...(await pacer.map(level, remove)));
    if (!outcomes.includes(true)) return deleted;
  }
}
