import type { Op, ZooKeeperClient } from '../../client/base/client.js';
import { hasUnknownOutcome, isCode, withOutcome } from '../../client/base/errors.js';
import { RecipeError } from '../base/errors.js';
import type { Hold } from '../base/hold.js';
import { limited, unlessAborted, type WaitOptions } from '../base/limit.js';
import { failedAt } from '../base/receipt.js';
import { hasEnded, Losses, once, retried, untilConnected, type Wait } from '../base/session.js';
import { deleteIfThere, readIfThere } from '../base/znodes.js';

/** An item that this client has taken, and that stays in the queue until done(). */
export interface LockedItem {
  /** The name of its znode, below `<path>/entries`. */
  readonly name: string;
  /** 0 to 999; the least is first. */
  readonly priority: number;
  readonly data: Buffer;
  /** Greater than the token of every earlier taker of this item; see Held. */
  readonly fencingToken: bigint;
  /** Aborted with a RecipeError ELOST when another taker may get the item; see Held.signal. */
  readonly signal: AbortSignal;
  /**
   * Removes the item and its lock in one txn. A second call waits for the first one. A limit ends
   * only the wait.
   * @throws RecipeError ELOST if the lock was lost: another taker gets, or got, the item;
   * ZooKeeperError of a refused delete; if the session ended meanwhile, the outcome is unknown
   */
  done(options?: WaitOptions): Promise<void>;
  /**
   * Gives the item back, for any taker; nothing after done(). Resolves when the lock is deleted or
   * the session has ended; see Held.release.
   */
  release(options?: WaitOptions): Promise<void>;
  /** release(), for `await using item = …`: it gives the item back unless it is done. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The lock of an item: an ephemeral with a token that no other znode has. */
export interface ItemLock {
  readonly client: ZooKeeperClient;
  /** Of the item. */
  readonly path: string;
  readonly lockPath: string;
  readonly token: Buffer;
}

/** Whether the lock exists, with the token; also right after a lost reply. */
export async function isLocked({ lockPath, token }: ItemLock, wait: Wait): Promise<boolean> {
  await retried(wait, (call) => wait.client.sync(lockPath, call));
  return (await readIfThere(wait, lockPath))?.data?.equals(token) === true;
}

/** Deletes the lock in the background if it exists. At the latest, the session's end deletes it. */
export function unlock(lock: ItemLock): void {
  const { client, lockPath: path } = lock;
  const remove = async (): Promise<void> => {
    if (await isLocked(lock, { client, path })) await deleteIfThere({ client, path }, path);
  };
  remove().catch(() => undefined);
}

/** The end of the hold on one item: at most one done() happens, or the item is given back. */
export class ItemHold {
  private readonly lock: ItemLock;
  private readonly held: Hold;
  /** Undefined while the caller works on the item. A failed done() may still become a release(). */
  private ending: { readonly isDone: boolean; readonly work: Promise<void> } | undefined;

  constructor(lock: ItemLock, held: Hold) {
    this.lock = lock;
    this.held = held;
  }

  done(options: WaitOptions = {}): Promise<void> {
    const { path } = this.lock;
    return limited(options, { path }, 'not removed', async (signal) => {
      if (this.ending?.isDone === false) throw new RecipeError('ELOST', path, 'was given back');
      this.ending ??= { isDone: true, work: this.remove() };
      await unlessLimited(this.ending.work, signal);
    });
  }

  release(options: WaitOptions = {}): Promise<void> {
    return limited(options, { path: this.lock.path }, 'not given back', async (signal) => {
      if (this.ending?.isDone === true) {
        const isRemoved = this.ending.work.then(always, never);
        if (await unlessLimited(isRemoved, signal)) return;
      }
      if (this.ending?.isDone !== false) this.ending = { isDone: false, work: this.giveBack() };
      await unlessLimited(this.ending.work, signal);
    });
  }

  private async remove(): Promise<void> {
    const { client, path } = this.lock;
    this.held.stop();
    try {
      await this.removeAs({ client, path });
    } catch (error) {
      const isLost = hasEnded(client, error) && !hasUnknownOutcome(error);
      const failure = isLost ? this.lost(error) : error;
      this.held.abort(failure);
      throw failure;
    }
  }

  private async removeAs(wait: Wait): Promise<void> {
    const { client, path, lockPath } = this.lock;
    const ops: readonly Op[] = [
      { op: 'delete', path },
      { op: 'delete', path: lockPath },
    ];
    const losses = new Losses(wait);
    // The hold counts as lost before the session ends, so the lock may still exist.
    if (this.held.signal.aborted && !(await isLocked(this.lock, wait))) throw this.lost();
    for (;;) {
      try {
        await once(wait, (call) => client.multi(ops, call));
        return;
      } catch (error) {
        if (failedAt(error, 0, 'NONODE') || failedAt(error, 1, 'NONODE')) throw this.lost(error);
        if (!losses.mayRepeat(error)) throw error;
      }
      if (await this.hasRemoved(wait)) return;
    }
  }

  /** After a lost reply. @returns false if nothing happened */
  private async hasRemoved(wait: Wait): Promise<boolean> {
    try {
      await untilConnected(wait);
      if (await isLocked(this.lock, wait)) return false;
      if ((await retried(wait, (call) => wait.client.exists(wait.path, call))) === null)
        return true;
    } catch (error) {
      throw withOutcome(error, true);
    }
    throw this.lost();
  }

  private lost(cause?: unknown): RecipeError {
    unlock(this.lock);
    const known: unknown = this.held.signal.reason;
    if (known instanceof RecipeError) return known;
    return new RecipeError('ELOST', this.lock.path, 'its lock was lost before it was done', cause);
  }

  private async giveBack(): Promise<void> {
    const { client, path, lockPath } = this.lock;
    const wait = { client, path };
    this.held.stop();
    const losses = new Losses(wait);
    try {
      // Another taker may have the lock.
      for (let isMine = !this.held.signal.aborted || (await isLocked(this.lock, wait)); isMine; ) {
        try {
          await once(wait, (call) => client.delete(lockPath, -1, call));
          return;
        } catch (error) {
          if (isCode(error, 'NONODE')) return;
          if (!losses.mayRepeat(error)) throw error;
        }
        await untilConnected(wait);
        isMine = await isLocked(this.lock, wait);
      }
    } catch (error) {
      if (!hasEnded(client, error)) throw error;
    }
  }
}

const always = (): boolean => true;
const never = (): boolean => false;

/** Waits for work that continues when the limit is over, and that may have happened then. */
async function unlessLimited<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? withOutcome(error, true) : error;
  }
}
