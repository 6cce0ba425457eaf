import { randomUUID } from 'node:crypto';
import type { Op } from '../../client/base/client.js';
import { isCode } from '../../client/base/errors.js';
import { checkArray, checkBytes, checkWhole } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { Stat } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import { type Hold, hold } from '../base/hold.js';
import { cleanedUp, limited, type WaitOptions, whileHeld } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { changeOnce, failedAt } from '../base/receipt.js';
import { SequenceNode } from '../base/sequence-node.js';
import { Losses, once, retried, untilConnected, type Wait } from '../base/session.js';
import {
  absent,
  childrenOf,
  makeContainer,
  makePersistent,
  NO_DATA,
  readIfThere,
  type WaitWatches,
  watchChildren,
  watched,
} from '../base/znodes.js';
import { ItemHold, type ItemLock, isLocked, type LockedItem, unlock } from './locked-item.js';

interface Entry {
  readonly name: string;
  readonly priority: number;
  readonly sequence: number;
}

/** What one listing found, for later takes. */
interface Listing {
  /** The next entry last. */
  readonly entries: Entry[];
  /** See versionOf(). */
  readonly version: string;
}

const NAME = /^entry-(\d{3})-(-?\d{9,10})$/;
const DEFAULT_PRIORITY = 100;
const HIGHEST_PRIORITY = 999;
const NOTHING: Listing = { entries: [], version: '' };

/**
 * An at-least-once queue: an item stays in the queue, locked, until its taker is done with it. It
 * has the layout of kazoo's LockingQueue, which puts and takes the same items.
 *
 * Layout: `<path>/entries/entry-<priority>-<sequence>`, persistent, with an item's data and a
 * priority of three digits; `<path>/taken/<entry>`, ephemeral, the lock of an item, with 32 random
 * digits of hexadecimal; and a line of takers that wait,
 * `<path>/takers/_c_<guid>-taker-<sequence>`, ephemeral and empty. `entries` and `taken` are
 * persistent. A put writes a temporary receipt beside the takers (receipt.ts).
 *
 * Guarantees: each item is put once, even if the connection is lost. Until an item is done, it has
 * at most one taker with a live signal; it returns to the queue when that one releases it, or when
 * its session ends. So its work may happen more than once, and not at once if it heeds the signal.
 * done() removes an item once. Takers get items by priority, then by sequence, among those that
 * were put or given back before take(), as far as their server knows; takers at the same moment
 * may get neighboring items in any order. A taker that finds an item takes it at once. Those that
 * wait stand in a line, and only the first one watches, so an item wakes one of them. Takers of
 * kazoo stand in no line. Needs the built-in client.
 * @example
 * const queue = new LockingQueue(client, '/tasks');
 * await queue.put('work');
 * const item = await queue.take({ timeoutMs: 5000 });
 * await item.done();
 */
export class LockingQueue extends PathRecipe {
  private listing = NOTHING;

  /**
   * @param priority a whole number from 0 (first) to 999; default 100
   * @throws RangeError for another priority; the errors of Queue.put
   */
  async put(
    data: string | Uint8Array,
    priority: number = DEFAULT_PRIORITY,
    options: WaitOptions = {},
  ): Promise<void> {
    await this.putEach([checkBytes('data', data)], priority, options);
  }

  /** Puts all of them, or none. @throws the errors of put() */
  async putAll(
    values: readonly (string | Uint8Array)[],
    priority: number = DEFAULT_PRIORITY,
    options: WaitOptions = {},
  ): Promise<void> {
    await this.putEach(checkArray('values', values, checkBytes), priority, options);
  }

  /**
   * Waits for an item, and takes it under a lock. A rejection gives it back in the background.
   * @example
   * await using item = await queue.take({ signal });
   * await work(item.signal);
   * await item.done();
   * @throws TimeoutError, RequestAbortedError; RecipeError ELOST if its place in the line was lost;
   * ZooKeeperError of a refused request or an ended session
   */
  take(options: WaitOptions = {}): Promise<LockedItem> {
    return limited(options, this.waitOf(), 'the queue got no item', async (limit) => {
      const wait = this.waitOf(limit);
      return (
        (await this.takeKnown(wait)) ?? (await this.takeListed(wait)) ?? this.takeInLine(limit)
      );
    });
  }

  /** The number of items, also of those that are taken. @throws ZooKeeperError */
  size(options: WaitOptions = {}): Promise<number> {
    return this.within(options, async (wait) => {
      return (await childrenOf(wait, this.entriesPath)).filter((name) => NAME.test(name)).length;
    });
  }

  private get entriesPath(): string {
    return childPath(this.path, 'entries');
  }

  private get takenPath(): string {
    return childPath(this.path, 'taken');
  }

  private get takersPath(): string {
    return childPath(this.path, 'takers');
  }

  private putEach(values: readonly Buffer[], priority: number, limits: WaitOptions): Promise<void> {
    checkWhole('priority', priority, 0, HIGHEST_PRIORITY);
    const path = childPath(this.entriesPath, `entry-${String(priority).padStart(3, '0')}-`);
    const options = { mode: CreateModes.PERSISTENT_SEQUENTIAL, acl: this.acl };
    const ops = values.map((data): Op => ({ op: 'create', path, data, options }));
    // kazoo takes every child of `entries` for an item, and watches `taken`.
    const change = { ops, parent: this.takersPath, acl: this.acl, isReceiptKept: true };
    return this.within(limits, async (wait) => {
      while (ops.length > 0) {
        try {
          await changeOnce(wait, change);
          return;
        } catch (error) {
          await this.makeLayout(wait, error);
        }
      }
    });
  }

  /** Makes the missing parents after a NONODE. Persistent: kazoo expects that they stay. */
  private async makeLayout(wait: Wait, error: unknown): Promise<void> {
    if (!isCode(error, 'NONODE')) throw error;
    for (const path of [this.entriesPath, this.takenPath]) {
      await makePersistent(wait, path, NO_DATA, this.acl);
    }
    await makeContainer(wait, this.takersPath, this.acl);
  }

  /** The next item of the last listing, if nothing was put or given back since then. */
  private async takeKnown(wait: Wait): Promise<LockedItem | undefined> {
    const { entries, version } = this.listing;
    const next = entries.at(-1);
    if (next === undefined) return undefined;
    const statOf = (path: string) => retried(wait, (call) => wait.client.exists(path, call));
    const stats = await Promise.all([statOf(this.entriesPath), statOf(this.takenPath)]);
    if (versionOf(...stats) !== version) return undefined;
    // Another call of take() may have it by now.
    return entries.at(-1) === next ? this.takeFirst(wait, entries, 1) : undefined;
  }

  /** @param watches set for a change of the result undefined */
  private async takeListed(wait: Wait, watches?: WaitWatches): Promise<LockedItem | undefined> {
    const entries = await (watches === undefined ? this.list(wait) : this.watch(wait, watches));
    return this.takeFirst(wait, entries, entries.length);
  }

  /** Takes the first of these that nobody else has. @param entries the next one last */
  private async takeFirst(
    wait: Wait,
    entries: Entry[],
    attempts: number,
  ): Promise<LockedItem | undefined> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const entry = entries.pop();
      if (entry === undefined) return undefined;
      const item = await this.claim(wait, entry);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  private async list(wait: Wait): Promise<Entry[]> {
    const childrenAt = (path: string) =>
      retried(wait, (call) => wait.client.getChildren(path, call)).catch(absent);
    const [entries, taken] = await Promise.all([
      childrenAt(this.entriesPath),
      childrenAt(this.takenPath),
    ]);
    const version = versionOf(entries?.stat ?? null, taken?.stat ?? null);
    this.listing = { entries: available(entries?.children, taken?.children), version };
    return this.listing.entries;
  }

  private async watch(wait: Wait, watches: WaitWatches): Promise<Entry[]> {
    const entries = await watchChildren(wait, this.entriesPath, watches);
    // No lock matters without an item.
    if (available(entries, []).length === 0) return [];
    return available(entries, await watchChildren(wait, this.takenPath, watches));
  }

  /** Waits in the line of takers, of which the first one watches the queue. */
  private async takeInLine(limit: AbortSignal): Promise<LockedItem> {
    const { client, acl } = this;
    const { takersPath: parent } = this;
    const place = new SequenceNode({ client, parent, kind: 'taker', acl });
    let held: Hold | undefined;
    try {
      await place.enter(NO_DATA, limit);
      await place.waitForTurn(limit);
      held = await hold(place.wait(limit), { isPlace: true });
      return await whileHeld(held.signal, limit, (signal) => this.untilTaken(this.waitOf(signal)));
    } finally {
      held?.stop();
      await cleanedUp(place.leave(), limit);
    }
  }

  private async untilTaken(wait: Wait): Promise<LockedItem> {
    for await (const item of watched(wait, (watches) => this.takeListed(wait, watches))) {
      if (item !== undefined) return item;
    }
    throw new Error('watched() never ends');
  }

  /** Locks an item, if it exists and nobody else has it. */
  private async claim(wait: Wait, { name, priority }: Entry): Promise<LockedItem | undefined> {
    const { client } = this;
    const path = childPath(this.entriesPath, name);
    const lockPath = childPath(this.takenPath, name);
    const token = Buffer.from(randomUUID().replaceAll('-', ''));
    const lock: ItemLock = { client, path, lockPath, token };
    let mayExist = true;
    try {
      mayExist = await this.lock(wait, lock);
      if (!mayExist) return undefined;
      const [held, found] = await Promise.all([
        hold({ client, path: lockPath, signal: wait.signal }),
        readIfThere(wait, path),
      ]);
      const own = new ItemHold(lock, held);
      // Somebody deleted it in spite of the lock.
      if (found === undefined) return void (await own.release());
      const { fencingToken, signal } = held;
      return {
        ...{ name, priority, data: found.data ?? NO_DATA, fencingToken, signal },
        done: (options) => own.done(options),
        release: (options) => own.release(options),
        [Symbol.asyncDispose]: () => own.release(),
      };
    } catch (error) {
      if (mayExist) unlock(lock);
      throw error;
    }
  }

  /** @returns false if the item is gone or taken; a rejection may have made the lock */
  private async lock(wait: Wait, lock: ItemLock): Promise<boolean> {
    const { client, path, lockPath, token } = lock;
    const options = { mode: CreateModes.EPHEMERAL, acl: this.acl };
    const ops: readonly Op[] = [
      { op: 'create', path: lockPath, data: token, options },
      { op: 'check', path, version: -1 },
    ];
    const losses = new Losses(wait);
    for (;;) {
      try {
        await once(wait, (call) => client.multi(ops, call));
        return true;
      } catch (error) {
        if (failedAt(error, 0, 'NODEEXISTS') || failedAt(error, 1, 'NONODE')) return false;
        if (failedAt(error, 0, 'NONODE')) {
          await this.makeLayout(wait, error);
          continue;
        }
        if (!losses.mayRepeat(error)) throw error;
      }
      await untilConnected(wait);
      if (await isLocked(lock, wait)) return true;
    }
  }
}

/** By priority, then by sequence; the next one last. The counter of names wraps around. */
function available(names: readonly string[] = [], taken: readonly string[] = []): Entry[] {
  const locked = new Set(taken);
  return names
    .flatMap((name) => {
      const [, priority, sequence] = NAME.exec(name) ?? [];
      if (sequence === undefined || locked.has(name)) return [];
      return [{ name, priority: Number(priority), sequence: Number(sequence) }];
    })
    .sort((a, b) => b.priority - a.priority || (b.sequence - a.sequence) | 0);
}

/**
 * Differs when an item was put or given back: cversion counts creates and deletes, so with the
 * number of children it tells of each alone. done() deletes in both places.
 */
function versionOf(entries: Stat | null, taken: Stat | null): string {
  const created = (entries?.cversion ?? 0) + (entries?.numChildren ?? 0);
  const deletes = (stat: Stat | null) => (stat?.cversion ?? 0) - (stat?.numChildren ?? 0);
  return `${created | 0} ${(deletes(taken) - deletes(entries)) | 0}`;
}
