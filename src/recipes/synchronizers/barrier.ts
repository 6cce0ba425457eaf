import { limited, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { asChange, retried } from '../base/session.js';
import {
  deleteIfThere,
  makePersistent,
  NO_DATA,
  readIfThere,
  untilOneChanged,
} from '../base/znodes.js';

/**
 * Blocks all processes until it is removed (Recipes page, "Barriers").
 *
 * Layout: the znode `path` itself, persistent and empty; the barrier is up while it exists. Missing
 * parents are created as containers.
 *
 * Guarantees: waiters continue when the barrier is removed, or at once without a barrier. Each
 * waiter wakes once. It outlives every session.
 * @example
 * const barrier = new Barrier(client, '/maintenance');
 * await barrier.raise();
 * await Promise.all([barrier.wait(), barrier.remove()]);
 */
export class Barrier extends PathRecipe {
  /** Creates the barrier, unless it exists. @throws ZooKeeperError */
  raise(options: WaitOptions = {}): Promise<void> {
    const { path, acl } = this;
    return this.within(options, (wait) => makePersistent(asChange(wait), path, NO_DATA, acl));
  }

  /** Removes the barrier, if it exists. @throws ZooKeeperError */
  remove(options: WaitOptions = {}): Promise<void> {
    return this.within(options, (wait) => deleteIfThere(asChange(wait), this.path));
  }

  /**
   * Waits until the barrier is removed.
   * @throws TimeoutError, RequestAbortedError, ZooKeeperError
   */
  wait(options: WaitOptions = {}): Promise<void> {
    const { client, path } = this;
    return limited(options, { client, path }, 'the barrier was not removed', async (signal) => {
      const wait = { client, path, signal };
      // So the read sees every barrier that was raised before this call, on any server.
      await retried(wait, (call) => client.sync(path, call));
      while ((await readIfThere(wait, path)) !== undefined) await untilOneChanged(wait, [path]);
    });
  }
}
