import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkArray, checkText, outOfRange } from '../../protocol/check-argument.js';
import { cleanedUp, limited, type WaitOptions } from '../base/limit.js';
import { endOfWait } from '../base/session.js';
import type { ZnodeOptions } from '../base/znodes.js';
import { type Held, Lock } from './lock.js';

/** A hold on several locks. */
export interface HeldAll {
  /** The fencing token of each lock, by its path; see Held. */
  readonly fencingTokens: ReadonlyMap<string, bigint>;
  /** Aborted with a RecipeError ELOST when any of the locks is lost. */
  readonly signal: AbortSignal;
  /** Releases all locks. Rejects with the first error of Held.release, after all have ended. */
  release(options?: WaitOptions): Promise<void>;
  /** release(), for `await using held = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Several locks at once, all or none. The Recipes page has no such recipe.
 *
 * Layout: that of Lock at each path. Guarantees: those of Lock for each of them. Every MultiLock
 * takes its locks in the order of their paths, so two of them never wait for each other.
 * @example
 * const held = await new MultiLock(client, ['/locks/a', '/locks/b']).acquire();
 * await held.release();
 */
export class MultiLock {
  private readonly client: ZooKeeperClient;
  private readonly locks: readonly (readonly [path: string, lock: Lock])[];

  /** @throws RangeError for no path, an invalid one, or one that occurs twice */
  constructor(client: ZooKeeperClient, paths: readonly string[], options: ZnodeOptions = {}) {
    const given = checkArray('paths', paths, checkText);
    if (given.length === 0 || new Set(given).size < given.length) {
      throw outOfRange('paths', paths, 'different paths, at least one');
    }
    // By code units, so that every process has the same order.
    const ordered = [...given].sort((a, b) => (a < b ? -1 : 1));
    this.client = client;
    this.locks = ordered.map((path) => [path, new Lock(client, path, options)]);
  }

  /**
   * Waits until it holds all locks. A rejection releases those that it has.
   * @throws the errors of Lock.acquire; RecipeError ELOST when a lock is lost during the wait
   */
  acquire(options: WaitOptions = {}): Promise<HeldAll> {
    const paths = this.locks.map(([path]) => path).join(', ');
    const { client } = this;
    return limited(options, { client, path: paths }, 'not all locks were free', async (signal) => {
      const held = new Map<string, Held>();
      try {
        for (const [path, lock] of this.locks) {
          const whileHeld = AbortSignal.any([signal, ...signalsOf(held)]);
          held.set(path, await lock.acquire({ signal: whileHeld }));
        }
      } catch (error) {
        await cleanedUp(releaseAll(held), signal).catch(() => undefined);
        const lost = signalsOf(held).find(({ aborted }) => aborted);
        throw lost !== undefined && !signal.aborted ? endOfWait(lost.reason) : error;
      }
      const release = (limits: WaitOptions = {}): Promise<void> => releaseAll(held, limits);
      const tokens = [...held].map(([path, { fencingToken }]) => [path, fencingToken] as const);
      return {
        fencingTokens: new Map(tokens),
        signal: AbortSignal.any(signalsOf(held)),
        release,
        [Symbol.asyncDispose]: () => release(),
      };
    });
  }
}

function signalsOf(held: ReadonlyMap<string, Held>): AbortSignal[] {
  return [...held.values()].map(({ signal }) => signal);
}

async function releaseAll(
  held: ReadonlyMap<string, Held>,
  options: WaitOptions = {},
): Promise<void> {
  const ends = await Promise.allSettled([...held.values()].map((each) => each.release(options)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
