import { limited, type WaitOptions } from './limit.js';
import { PathRecipe } from './path-recipe.js';
import { retried } from './session.js';
import { deleteIfThere, makePersistent, NO_DATA, readIfThere, untilOneChanged } from './znodes.js';

/**
 * Holds everyone back until it is removed (Recipes page, "Barriers").
 *
 * Layout: the znode `path` itself, persistent and empty: while it is there, the barrier is up.
 * What is missing above it is made as containers.
 *
 * Guarantees: who waits goes on when the barrier is removed, and at once when there is none; each
 * who waits is woken once. It outlives every session.
 */
export class Barrier extends PathRecipe {
  /** Puts it up; one that is up stays so. @throws ZooKeeperError */
  raise(): Promise<void> {
    const { client, path } = this;
    return makePersistent({ client, path }, path, NO_DATA, this.acl);
  }

  /** Takes it away; one that is not there is as good. @throws ZooKeeperError */
  remove(): Promise<void> {
    const { client, path } = this;
    return deleteIfThere({ client, path }, path);
  }

  /**
   * Resolves when there is no barrier.
   * @throws RecipeError ETIMEDOUT, the reason of the signal, ZooKeeperError
   */
  wait(options: WaitOptions = {}): Promise<void> {
    const { client, path } = this;
    return limited(options, `${path}: the end of the barrier`, async (signal) => {
      const wait = { client, path, signal };
      // A barrier that was put up before this call counts, on whichever server.
      await retried(wait, () => client.sync(path));
      while ((await readIfThere(wait, path)) !== undefined) await untilOneChanged(wait, [path]);
    });
  }
}
