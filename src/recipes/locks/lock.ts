import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkFunction } from '../../protocol/check-argument.js';
import { checkRecipe } from '../base/arguments.js';
import type { LoopOptions, WaitOptions } from '../base/limit.js';
import { LOCK_KINDS } from '../base/members.js';
import type { Line } from '../base/sequence-node.js';
import { type Turn, takeTurn, tryTurn } from '../base/turn.js';
import { NO_DATA, type ZnodeOptions } from '../base/znodes.js';
import { type LockOwner, readOwner, watchOwner } from './lock-owner.js';

/** A hold on a lock. */
export interface Held {
  /**
   * Greater than the token of every earlier holder. The protected resource should refuse a smaller
   * one, because a paused process may not know yet that it lost the lock.
   */
  readonly fencingToken: bigint;
  /**
   * Aborted with a RecipeError ELOST when the lock is lost: the session ended, no server was
   * reachable for 1/6 of its timeout, or the znode was deleted. Call release() anyway.
   */
  readonly signal: AbortSignal;
  /**
   * Releases the lock. Resolves when the znode is deleted or the session has ended. Without a
   * server that takes until the session ends, unless `options` limit the wait: the znode is then
   * deleted in the background. Rejects with the ZooKeeperError of a refused delete, or of a limit.
   */
  release(options?: WaitOptions): Promise<void>;
  /** release(), for `await using held = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export function heldOf({ fencingToken, signal, leave }: Turn): Held {
  return { fencingToken, signal, release: leave, [Symbol.asyncDispose]: () => leave() };
}

/** @throws the errors of `work`; the reason of a loss meanwhile: `work` was perhaps not alone */
export async function whileHolding<H extends Held, T>(
  held: H,
  work: (signal: AbortSignal, held: H) => T | Promise<T>,
): Promise<T> {
  try {
    const result = await work(held.signal, held);
    held.signal.throwIfAborted();
    return result;
  } finally {
    await held.release();
  }
}

/**
 * An exclusive lock between processes (Recipes page, "Locks" and "Recoverable Errors and the
 * GUID").
 *
 * Layout: `<path>/_c_<guid>-lock-<sequence>`, ephemeral, without data. `path` and missing parents
 * are created as containers, or persistent if the server has no containers. Other children of
 * `path` are ignored, except places of SharedLock, which share the line.
 *
 * Guarantees: at most one holder with a live signal, if timers fire in time (see `fencingToken`).
 * Holders follow the order of their znodes. A release wakes one waiter. A lost connection neither
 * loses nor duplicates a place; the end of a session removes all its places. Not reentrant: each
 * acquire() takes a new place.
 * @example
 * const held = await new Lock(client, '/locks/report').acquire({ timeoutMs: 5000 });
 * await held.release();
 */
export class Lock {
  private readonly line: Line;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    const { acl } = checkRecipe(client, path, options, ['acl']);
    this.line = { client, parent: path, kind: 'lock', kinds: LOCK_KINDS, acl };
  }

  /**
   * Waits until the lock is free, also through lost connections, and takes it. A rejection deletes
   * the place in the background.
   * @throws RecipeError ELOST; TimeoutError, RequestAbortedError, or the ZooKeeperError of a
   * refused request or an ended session
   */
  async acquire(options: WaitOptions = {}): Promise<Held> {
    return heldOf(await takeTurn(this.line, NO_DATA, options));
  }

  /**
   * Takes the lock if it is free: one attempt, without a wait for other holders.
   * @returns undefined if another place is before it
   * @example
   * const held = await lock.tryAcquire();
   * if (held === undefined) console.log('another process works on it');
   * @throws the errors of acquire()
   */
  async tryAcquire(options: WaitOptions = {}): Promise<Held | undefined> {
    const turn = await tryTurn(this.line, NO_DATA, options);
    return turn && heldOf(turn);
  }

  /**
   * Holds the lock while `work` runs, and releases it. The limits hold for the wait.
   * @param work gets the signal that aborts when the lock is lost: end then
   * @returns the result of `work`
   * @example await lock.do(async (signal) => fetch(url, { signal }));
   * @throws the errors of acquire() and of `work`; RecipeError ELOST if the lock was lost meanwhile
   */
  async do<T>(
    work: (signal: AbortSignal, held: Held) => T | Promise<T>,
    options: WaitOptions = {},
  ): Promise<T> {
    checkFunction('work', work);
    return whileHolding(await this.acquire(options), work);
  }

  /**
   * Who holds the lock, or is about to; undefined if nobody does. Like any read, it may be stale.
   * @throws ZooKeeperError of a refused request or an ended session
   */
  owner(options: WaitOptions = {}): Promise<LockOwner | undefined> {
    return readOwner(this.line, options);
  }

  /**
   * The result of owner(), now and after each change; a quick succession may skip some. Throws when
   * the signal aborts or the session ends.
   * @example for await (const owner of lock.owners({ signal })) console.log(owner?.sessionId);
   */
  owners(options: LoopOptions = {}): AsyncGenerator<LockOwner | undefined, never> {
    return watchOwner(this.line, options);
  }
}
