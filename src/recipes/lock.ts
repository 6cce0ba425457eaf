import type { ZooKeeperClient } from '../client/client.js';
import { checkRecipe } from './arguments.js';
import type { WaitOptions } from './limit.js';
import { LOCK_KINDS } from './members.js';
import type { Line } from './sequence-node.js';
import { takeTurn } from './turn.js';
import { NO_DATA, type ZnodeOptions } from './znodes.js';

/** A lock that is held. */
export interface Held {
  /**
   * Greater than that of every holder before: what the lock protects should refuse a smaller one
   * than it has seen, since a process that was stopped for long may not know yet that it lost.
   */
  readonly fencingToken: bigint;
  /**
   * Aborted when the lock is lost: the session ended, no server was reached for a sixth of its
   * timeout, or the znode was deleted. The reason is a RecipeError ELOST. Release the
   * lock all the same.
   */
  readonly signal: AbortSignal;
  /**
   * Lets the next one in. Resolves when the znode is gone, or the session that owns it; a second
   * call gives the same promise. Rejects with the ZooKeeperError of a refused delete.
   */
  release(): Promise<void>;
}

/**
 * An exclusive lock between processes (Recipes page, "Locks" and "Recoverable Errors and the
 * GUID").
 *
 * Layout: `<path>/_c_<guid>-lock-<sequence>`, ephemeral, without data. `path` and what is missing
 * above it are made as containers, or persistent where the server has no containers. Other
 * children of `path` are not looked at, but for the places of SharedLock, in the same line.
 *
 * Guarantees: at most one holder whose signal is not aborted, as long as timers fire in time (see
 * `fencingToken`); holders in the order in which their znodes were made; a release wakes one
 * waiter; a lost connection neither loses a place nor takes a second one; the end of a session
 * gives up all its places. Not reentrant: each acquire() is a place of its own.
 */
export class Lock {
  private readonly line: Line;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    const { acl } = checkRecipe(client, path, options, ['acl']);
    this.line = { client, parent: path, kind: 'lock', kinds: LOCK_KINDS, acl };
  }

  /**
   * Waits until the lock is free and takes it. A connection that is lost meanwhile is waited for.
   * @throws RecipeError ETIMEDOUT or ELOST, the reason of `signal`, or the ZooKeeperError of a
   * refused request or an ended session. The place in the queue is given up in the background.
   */
  async acquire(options: WaitOptions = {}): Promise<Held> {
    const { fencingToken, signal, leave } = await takeTurn(this.line, NO_DATA, options);
    return { fencingToken, signal, release: leave };
  }
}
