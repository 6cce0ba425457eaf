import type { ZooKeeperClient } from '../client/client.js';
import { checkWhole } from '../protocol/check-argument.js';
import { childPath } from '../protocol/path.js';
import { checkRecipe } from './arguments.js';
import { limited, type WaitOptions } from './limit.js';
import type { Held } from './lock.js';
import type { Member } from './members.js';
import type { Line } from './sequence-node.js';
import { takeTurn } from './turn.js';
import { NO_DATA, type ZnodeOptions } from './znodes.js';

export interface SemaphoreOptions extends ZnodeOptions {
  /** How many may hold at once. All who use one path must say the same. */
  readonly permits: number;
}

/**
 * Lets so many hold at once. The Recipes page has none.
 *
 * Layout: a line `<path>/locks/_c_<guid>-lock-<sequence>`, as that of Lock, whose first waits
 * until a permit is free, and `<path>/leases/_c_<guid>-lease-<sequence>`, one for each who holds,
 * and one for the first of the line; all ephemeral and without data.
 *
 * Guarantees: at most `permits` holders whose signals are not aborted; holders in the order in
 * which their places in the line were made; a release wakes the first of the line alone, which
 * watches the leases. A lease has a fencing token greater than that of every lease made before it.
 */
export class Semaphore {
  private readonly line: Line;
  private readonly leases: Line;

  /** @throws RangeError when the path is none, or `permits` no whole number from 1 on */
  constructor(client: ZooKeeperClient, path: string, options: SemaphoreOptions) {
    const { permits, acl } = checkRecipe(client, path, options, ['permits', 'acl']);
    checkWhole('options.permits', permits, 1);
    this.line = { client, parent: childPath(path, 'locks'), kind: 'lock', acl };
    this.leases = {
      client,
      parent: childPath(path, 'leases'),
      kind: 'lease',
      acl,
      blockers: (before: readonly Member[]) => (before.length < permits ? [] : before),
    };
  }

  /** Waits for a permit and takes it. @throws what Lock.acquire throws */
  acquire(options: WaitOptions = {}): Promise<Held> {
    return limited(options, `${this.leases.parent}: a permit`, async (signal) => {
      const first = await takeTurn(this.line, NO_DATA, { signal });
      try {
        const whileFirst = AbortSignal.any([signal, first.signal]);
        const lease = await takeTurn(this.leases, NO_DATA, { signal: whileFirst });
        return { fencingToken: lease.fencingToken, signal: lease.signal, release: lease.leave };
      } finally {
        // The lease stands: that the place cannot be taken out ends with the session, at the
        // latest.
        await first.leave().catch(() => undefined);
      }
    });
  }
}
