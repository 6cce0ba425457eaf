import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkText, wrongType } from '../../protocol/check-argument.js';
import { limited, unlessAborted, type WaitOptions } from '../base/limit.js';
import type { ZnodeOptions } from '../base/znodes.js';
import { type Held, Lock } from './lock.js';

/** Identifies who holds a ReentrantLock; objects are compared by identity. */
export type OwnerToken = string | symbol | object;

interface Entry {
  readonly held: Held;
  count: number;
}

/**
 * A lock that its owner can take again, as with Curator's InterProcessMutex, where the owner is a
 * thread. Here it is a token of the program, such as the id of a job, known in this object only.
 *
 * Layout and guarantees: those of Lock. However often an owner takes it, it has one place in line,
 * one fencing token, and one signal. The last release gives the lock to the next place.
 * @example
 * const lock = new ReentrantLock(client, '/locks/jobs');
 * const [outer, inner] = [await lock.acquire('job-7'), await lock.acquire('job-7')];
 * await inner.release();
 * await outer.release();
 */
export class ReentrantLock {
  private readonly lock: Lock;
  private readonly path: string;
  private readonly entries = new Map<OwnerToken, Entry>();
  /** Owners that wait for the lock. */
  private readonly waiting = new Map<OwnerToken, Promise<void>>();

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    this.lock = new Lock(client, path, options);
    this.path = path;
  }

  /**
   * Takes the lock again at once if the owner holds it, or waits for it. Calls of one owner share
   * one wait.
   * @throws TypeError for another kind of owner; RecipeError ELOST if the owner has lost the lock
   * and not released it yet; the errors of Lock.acquire
   */
  async acquire(owner: OwnerToken, options: WaitOptions = {}): Promise<Held> {
    checkOwner(owner);
    return limited(options, { path: this.path }, 'not first in line', async (signal) => {
      for (;;) {
        const entry = this.entries.get(owner);
        if (entry !== undefined) {
          entry.held.signal.throwIfAborted();
          return this.enter(owner, entry);
        }
        const other = this.waiting.get(owner);
        if (other === undefined) return this.take(owner, signal);
        await unlessAborted(other, signal);
      }
    });
  }

  /** The number of holds of this owner that are not released; 0 if it does not hold the lock. */
  holdCount(owner: OwnerToken): number {
    checkOwner(owner);
    return this.entries.get(owner)?.count ?? 0;
  }

  private async take(owner: OwnerToken, signal: AbortSignal): Promise<Held> {
    const taking = this.lock.acquire({ signal });
    const done = taking.then(
      () => undefined,
      () => undefined,
    );
    this.waiting.set(owner, done);
    try {
      const entry = { held: await taking, count: 0 };
      this.entries.set(owner, entry);
      return this.enter(owner, entry);
    } finally {
      this.waiting.delete(owner);
    }
  }

  private enter(owner: OwnerToken, entry: Entry): Held {
    const { fencingToken, signal } = entry.held;
    entry.count++;
    let isReleased = false;
    const release = async (options?: WaitOptions): Promise<void> => {
      if (!isReleased) entry.count--;
      isReleased = true;
      if (entry.count > 0) return;
      this.entries.delete(owner);
      await entry.held.release(options);
    };
    return { fencingToken, signal, release, [Symbol.asyncDispose]: () => release() };
  }
}

function checkOwner(owner: OwnerToken): void {
  const isObject = (typeof owner === 'object' && owner !== null) || typeof owner === 'function';
  if (isObject || typeof owner === 'symbol') return;
  if (typeof owner !== 'string')
    throw wrongType('owner', owner, 'a string, a symbol, or an object');
  checkText('owner', owner);
}
