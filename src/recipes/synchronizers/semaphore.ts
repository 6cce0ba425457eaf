import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkFunction, checkWhole } from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkRecipe } from '../base/arguments.js';
import { cleanedUp, limited, type WaitOptions, whileHeld } from '../base/limit.js';
import type { Member } from '../base/members.js';
import type { Line } from '../base/sequence-node.js';
import { placeOf, takeTurn, tryTurn } from '../base/turn.js';
import { NO_DATA, type Znode, type ZnodeOptions } from '../base/znodes.js';
import { type Held, heldOf, whileHolding } from '../locks/lock.js';
import { SharedCount } from '../values/shared-count.js';

export interface SemaphoreOptions extends ZnodeOptions {
  /** Number of concurrent holders; the same for all users of a path. */
  readonly permits?: number | undefined;
  /**
   * Instead of `permits`: the path of a SharedCount, which can change while holders exist. A
   * greater number admits more at once, a smaller one takes no lease away.
   */
  readonly permitsPath?: string | undefined;
}

/**
 * Allows `permits` holders at once. The Recipes page has no such recipe.
 *
 * Layout: a line `<path>/locks/_c_<guid>-lock-<sequence>`, as with Lock, whose first waits for a
 * free permit; and `<path>/leases/_c_<guid>-lease-<sequence>`, one per holder, and one for the
 * first of the line. All are ephemeral and without data.
 *
 * Guarantees: at most `permits` holders with a live signal. Holders follow the order of their
 * places. A release wakes only the first of the line, which watches the leases. The fencing token
 * of a lease is greater than that of every earlier lease. A change of the SharedCount also wakes
 * the first of the line. Without that znode, acquire() rejects with a RecipeError EBADDATA.
 * Curator's InterProcessSemaphoreV2 uses the same znodes, and the same count.
 * @example
 * const lease = await new Semaphore(client, '/slots', { permits: 4 }).acquire();
 * await lease.release();
 */
export class Semaphore {
  private readonly line: Line;
  private readonly leases: Line;

  /** @throws RangeError for an invalid path or `permits` (a whole number from 1) */
  constructor(client: ZooKeeperClient, path: string, options: SemaphoreOptions) {
    const names = ['permits', 'permitsPath', 'acl'] as const;
    const { permits, permitsPath, acl } = checkRecipe(client, path, options, names);
    const isFixed = permitsPath === undefined;
    const count = isFixed ? undefined : new SharedCount(client, permitsPath);
    const most = isFixed ? checkWhole('options.permits', permits, 1) : 0;
    this.line = { client, parent: childPath(path, 'locks'), kind: 'lock', isPlace: true, acl };
    this.leases = {
      client,
      parent: childPath(path, 'leases'),
      kind: 'lease',
      acl,
      ...(isFixed ? {} : { rulePath: permitsPath }),
      blockers: (before: readonly Member[], rule: Znode | undefined) => {
        if (before.length < (count?.requireCount(rule) ?? most)) return [];
        return before.length === 0 ? undefined : before;
      },
    };
  }

  /** Waits for a permit and takes it. @throws the errors of Lock.acquire */
  acquire(options: WaitOptions = {}): Promise<Held> {
    return limited(options, placeOf(this.leases), 'no permit was free', async (signal) => {
      const first = await takeTurn(this.line, NO_DATA, { signal });
      try {
        const lease = await whileHeld(first.signal, signal, (whileFirst) =>
          takeTurn(this.leases, NO_DATA, { signal: whileFirst }),
        );
        return heldOf(lease);
      } finally {
        // The lease exists already. A place that cannot be deleted ends with the session.
        await cleanedUp(first.leave(), signal).catch(() => undefined);
      }
    });
  }

  /**
   * Takes a permit if one is free, and nobody waits for one; see Lock.tryAcquire.
   * @throws the errors of Lock.acquire
   */
  tryAcquire(options: WaitOptions = {}): Promise<Held | undefined> {
    return limited(options, placeOf(this.leases), 'no answer', async (signal) => {
      const first = await tryTurn(this.line, NO_DATA, { signal });
      if (first === undefined) return undefined;
      try {
        const lease = await whileHeld(first.signal, signal, (whileFirst) =>
          tryTurn(this.leases, NO_DATA, { signal: whileFirst }),
        );
        return lease && heldOf(lease);
      } finally {
        await cleanedUp(first.leave(), signal).catch(() => undefined);
      }
    });
  }

  /** Holds a permit while `work` runs; see Lock.do. */
  async do<T>(
    work: (signal: AbortSignal, held: Held) => T | Promise<T>,
    options: WaitOptions = {},
  ): Promise<T> {
    checkFunction('work', work);
    return whileHolding(await this.acquire(options), work);
  }
}
