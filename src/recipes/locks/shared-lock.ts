import type { ZooKeeperClient } from '../../client/base/client.js';
import {
  checkFunction,
  checkOneOf,
  checkWhole,
  readFields,
} from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkRecipe, WAIT_NAMES } from '../base/arguments.js';
import { UNLOCK } from '../base/hold.js';
import { limited, type WaitOptions } from '../base/limit.js';
import { LOCK_KINDS, type Member, parseMembers } from '../base/members.js';
import type { Line } from '../base/sequence-node.js';
import { asChange, retried, type Wait } from '../base/session.js';
import { takeTurn, tryTurn } from '../base/turn.js';
import {
  absent,
  childrenOf,
  deleteIfThere,
  NO_DATA,
  readIfThere,
  watched,
  type ZnodeOptions,
} from '../base/znodes.js';
import { type Held, heldOf, whileHolding } from './lock.js';

/** Many readers, or one writer. */
export type SharedLockMode = 'read' | 'write';

const MODES: readonly SharedLockMode[] = ['read', 'write'];

/** Options of SharedLock.acquire. */
export interface AcquireSharedOptions extends WaitOptions {
  /** Called once, when another process asks for the lock, also while this place waits for it. */
  readonly onRevoked?: (() => void) | undefined;
}

/** Options of SharedLock.revoke. */
export interface RevokeOptions extends WaitOptions {
  /**
   * Deletes the places that are still there after this many milliseconds, so that their holders
   * lose the lock. Default: no place is deleted.
   */
  readonly forceAfterMs?: number | undefined;
}

/** A hold on a shared lock. */
export interface HeldShared extends Held {
  /** As passed to acquire(). */
  readonly mode: SharedLockMode;
  /** Aborted when a waiter asks for the lock: release it when possible. */
  readonly revoked: AbortSignal;
}

/**
 * A lock of many readers or one writer (Recipes page, "Shared Locks" and "Revocable Shared Locks").
 *
 * Layout: `<path>/_c_<guid>-__READ__<sequence>` and `<path>/_c_<guid>-__WRIT__<sequence>`,
 * ephemeral, as of Curator's InterProcessReadWriteLock, which may stand in the same line; the data
 * is empty, or `unlock` to request a release. Parents, other children and lost connections
 * are as with Lock, whose places share the line and count as writers.
 *
 * Guarantees: a writer holds alone; a reader waits only for the writers before it, so no later
 * writer overtakes it. A reader watches the last writer before it, a writer the place before it: a
 * release wakes the readers that it blocked, and at most one writer. Not reentrant; a read lock
 * cannot become a write lock.
 * @example
 * const held = await new SharedLock(client, '/locks/table').acquire('read');
 * await held.release();
 */
export class SharedLock {
  private readonly line: Omit<Line, 'kind'>;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    const { acl } = checkRecipe(client, path, options, ['acl']);
    this.line = { client, parent: path, kinds: LOCK_KINDS, acl };
  }

  /**
   * Waits for the lock in this mode and takes it. A place that `onRevoked` tells of while it waits
   * may leave by the signal of its options. @throws the errors of Lock.acquire
   */
  async acquire(mode: SharedLockMode, options: AcquireSharedOptions = {}): Promise<HeldShared> {
    const line = this.lineOf(mode);
    const given = readFields('options', options, ['signal', 'timeoutMs', 'onRevoked']);
    const { onRevoked, ...limits } = given;
    if (onRevoked !== undefined) checkFunction('options.onRevoked', onRevoked);
    const turn = await takeTurn(line, NO_DATA, limits, onRevoked);
    return { ...heldOf(turn), mode, revoked: turn.revoked };
  }

  /** Takes the lock in this mode if no other place blocks it; see Lock.tryAcquire. */
  async tryAcquire(
    mode: SharedLockMode,
    options: WaitOptions = {},
  ): Promise<HeldShared | undefined> {
    const turn = await tryTurn(this.lineOf(mode), NO_DATA, options);
    return turn && { ...heldOf(turn), mode, revoked: turn.revoked };
  }

  /** Holds the lock in this mode while `work` runs; see Lock.do. */
  async do<T>(
    mode: SharedLockMode,
    work: (signal: AbortSignal, held: HeldShared) => T | Promise<T>,
    options: AcquireSharedOptions = {},
  ): Promise<T> {
    checkFunction('work', work);
    return whileHolding(await this.acquire(mode, options), work);
  }

  private lineOf(mode: SharedLockMode): Line {
    checkOneOf('mode', mode, MODES);
    const blockers = (before: readonly Member[]) => blockersOf(mode, before).slice(-1);
    return { ...this.line, kind: mode, blockers };
  }

  /**
   * Requests a release from every place that blocks a new one of this mode, also from those that
   * wait. A holder may ignore it (`revoked`), unless `forceAfterMs` is given. Its own signal is
   * aborted then, perhaps after the next holder has begun: only the fencing token protects the
   * resource.
   * @returns the number of these holders; after a lost reply, one that released is not counted
   * @throws TimeoutError, RequestAbortedError; ZooKeeperError of a refused request or
   * an ended session
   */
  async revoke(mode: SharedLockMode, options: RevokeOptions = {}): Promise<number> {
    checkOneOf('mode', mode, MODES);
    const { forceAfterMs } = readFields('options', options, ['forceAfterMs'], WAIT_NAMES);
    if (forceAfterMs !== undefined) checkWhole('options.forceAfterMs', forceAfterMs, 0);
    const { client, parent } = this.line;
    const limits = readFields('options', options, ['signal', 'timeoutMs'], ['forceAfterMs']);
    return limited(limits, { client, path: parent }, 'no answer', async (signal) => {
      const wait = { client, path: parent, signal };
      await retried(wait, (call) => client.sync(parent, call));
      const before = parseMembers(await childrenOf(wait, parent), LOCK_KINDS);
      const asked = blockersOf(mode, before).map(async ({ name }) => {
        const path = childPath(parent, name);
        const stat = await retried(asChange(wait), (call) =>
          client.setData(path, UNLOCK, -1, call),
        ).catch(absent);
        return stat === undefined ? [] : [path];
      });
      const paths = (await Promise.all(asked)).flat();
      if (forceAfterMs !== undefined) {
        await Promise.all(paths.map((path) => removeAfter(wait, path, forceAfterMs)));
      }
      return paths.length;
    });
  }
}

/** Deletes the znode if nobody else deletes it within this time. */
async function removeAfter(
  wait: Wait & { readonly signal: AbortSignal },
  path: string,
  forceAfterMs: number,
): Promise<void> {
  const over = AbortSignal.timeout(forceAfterMs);
  const isGone = async (): Promise<void> => {
    const limit = { ...wait, signal: AbortSignal.any([over, wait.signal]) };
    for await (const znode of watched(limit, (watches) => readIfThere(limit, path, watches))) {
      if (znode === undefined) return;
    }
  };
  try {
    await isGone();
  } catch (error) {
    if (!over.aborted || wait.signal.aborted) throw error;
    await deleteIfThere(asChange(wait), path);
  }
}

/** The places among `before` that block a place of this mode. */
export function blockersOf(mode: SharedLockMode, before: readonly Member[]): readonly Member[] {
  return mode === 'write' ? before : before.filter(({ kind }) => kind !== 'read');
}
