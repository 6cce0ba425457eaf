import { checkBytes, checkWhole, readFields } from '../protocol/check-argument.js';
import { type CreateMode, CreateModes } from '../protocol/create-mode.js';
import { childPath } from '../protocol/path.js';
import { RecipeError } from './errors.js';
import { limited, type WaitOptions } from './limit.js';
import { PathRecipe } from './path-recipe.js';
import { decodeItems, encodeItem } from './queue-items.js';
import { changeOnce, failedAt } from './receipt.js';
import { type Wait, whileAlive } from './session.js';
import { takeTurn } from './turn.js';
import {
  childrenOf,
  countCreations,
  createOptions,
  createParent,
  makeContainer,
  NO_DATA,
  readIfThere,
  watchChildren,
} from './znodes.js';

/** What a taker gets: the content of one znode of a DistributedQueue or a DelayQueue. */
export interface TakenItems {
  /** The name of the znode, below the queue's path. */
  readonly name: string;
  /** The first item, or the only one. */
  readonly data: Buffer;
  /** All items: Curator's putMulti writes several into one znode. */
  readonly items: readonly Buffer[];
}

/** Options of DistributedQueue.put. */
export interface PutOptions {
  /**
   * The server deletes the item after this many milliseconds if nobody takes it. Needs
   * `extendedTypesEnabled`. Default: it stays.
   */
  readonly ttlMs?: number;
}

interface Place {
  readonly name: string;
  readonly sequence: number;
  /** Milliseconds since 1970; 0 in a queue without delays. */
  readonly at: number;
}

const PREFIX = 'queue-';
const TAKER = 'taker';
/** Beside the queue: a child with another name would stop the timer of Curator's consumers. */
const TAKERS = '-takers';
const NAME = /^queue-(?:\|([0-9A-F]{8,})\|)?(-?\d{10})$/;
/** Node.js fires a longer timer at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;
const EPOCH_DIGITS = 8;

/** One listing of a queue serves many takes. */
interface Listing {
  /** The next item last. */
  readonly places: Place[];
  /** See creations(). */
  readonly creations: number;
}

/** The items among the children, the next one last. The counter of names wraps around. */
function placesOf(children: readonly string[]): Place[] {
  return children
    .flatMap((name) => {
      const [, at = '0', sequence] = NAME.exec(name) ?? [];
      if (sequence === undefined) return [];
      return [{ name, sequence: Number(sequence), at: Number.parseInt(at, 16) }];
    })
    .sort((a, b) => b.at - a.at || (b.sequence - a.sequence) | 0);
}

class CuratorQueue extends PathRecipe {
  private listing: Listing = { places: [], creations: 0 };

  /**
   * Waits for an item, removes it, and returns it. At most one taker gets it; it is lost if that
   * taker crashes at this moment. Needs the built-in client.
   * @throws RecipeError ETIMEDOUT or ELOST, or EBADDATA for an item that stays in the queue because
   * Curator did not write it; the reason of the signal; ZooKeeperError: if the session ended, the
   * outcome is unknown
   */
  async take(options: WaitOptions = {}): Promise<TakenItems> {
    const { client, path, acl } = this;
    return limited(options, `${path}: the queue got no item`, async (limit) => {
      const line = { client, parent: `${path}${TAKERS}`, kind: TAKER, acl };
      const turn = await takeTurn(line, NO_DATA, { signal: limit });
      try {
        const signal = AbortSignal.any([limit, turn.signal]);
        for (;;) {
          const item = await this.next({ client, path, signal });
          const isMine = await this.remove(item);
          if (this.listing.places.at(-1)?.name === item.name) this.listing.places.pop();
          if (isMine) return item;
        }
      } finally {
        await turn.leave();
      }
    });
  }

  /** The number of items, also of those that are not due yet. @throws ZooKeeperError */
  async size(): Promise<number> {
    const { client, path } = this;
    return placesOf(await childrenOf({ client, path }, path)).length;
  }

  /** @param part the part of the name before the sequence */
  protected async putAs(part: string, data: Buffer, ttlMs?: number): Promise<void> {
    const { client, path, acl } = this;
    const item = childPath(path, `${PREFIX}${part}`);
    const takers = `${path}${TAKERS}`;
    const mode: CreateMode =
      ttlMs === undefined
        ? CreateModes.PERSISTENT_SEQUENTIAL
        : CreateModes.PERSISTENT_SEQUENTIAL_WITH_TTL;
    const options = { ...createOptions(mode, acl), ...(ttlMs === undefined ? {} : { ttl: ttlMs }) };
    const ops = [{ op: 'create', path: item, data: encodeItem(data), options }] as const;
    for (;;) {
      try {
        await changeOnce({ client, path }, { ops, parent: takers, acl });
        return;
      } catch (error) {
        await createParent(error, { client, path }, item, acl);
        await makeContainer({ client, path }, takers, acl);
      }
    }
  }

  /** A number that differs if the queue got a new item that may be ahead of listed ones. */
  protected async creations(_wait: Wait): Promise<number> {
    return 0;
  }

  /**
   * Takers of Curator may delete the same item, so a receipt shows whose delete it was. Once the
   * request is sent, no limit may drop the item. @returns false if another client deleted it
   */
  private async remove({ name }: TakenItems): Promise<boolean> {
    const { client, path, acl } = this;
    const ops = [{ op: 'delete', path: childPath(path, name) }] as const;
    try {
      await changeOnce({ client, path }, { ops, parent: `${path}${TAKERS}`, acl });
      return true;
    } catch (error) {
      if (failedAt(error, 0, 'NONODE')) return false;
      throw error;
    }
  }

  /** Lists the items only if the last listing has none left, or if a later item may be ahead. */
  private async next(wait: Wait): Promise<TakenItems> {
    if ((await this.creations(wait)) === this.listing.creations) {
      const item = await this.firstOf(wait);
      if (item !== undefined) return item;
    }
    for (;;) {
      const item = await this.untilChange(wait);
      if (item !== undefined) return item;
    }
  }

  /** Lists the items, then waits for the time of the next one. @returns undefined after a change */
  private async untilChange(wait: Wait): Promise<TakenItems | undefined> {
    let hasChanged = false;
    let tell = (): void => undefined;
    const creations = await this.creations(wait);
    const children = await watchChildren(wait, this.path, () => {
      hasChanged = true;
      tell();
    });
    this.listing = { places: placesOf(children ?? []), creations };
    while (!hasChanged) {
      const item = await this.firstOf(wait);
      if (item !== undefined) return item;
      const next = this.listing.places.at(-1);
      await whileAlive<void>(wait, (resolve) => {
        tell = resolve;
        if (hasChanged) queueMicrotask(resolve);
        if (next === undefined) return () => undefined;
        const ms = Math.min(Math.max(next.at - Date.now(), 0), LONGEST_TIMER_MS);
        const timer = setTimeout(resolve, ms);
        return () => clearTimeout(timer);
      });
    }
    return undefined;
  }

  /** Drops places whose znodes do not exist any more. */
  private async firstOf(wait: Wait): Promise<TakenItems | undefined> {
    const { places } = this.listing;
    for (let last = places.at(-1); last !== undefined; last = places.at(-1)) {
      const { name, at } = last;
      if (at > Date.now()) return undefined;
      const found = await readIfThere(wait, childPath(this.path, name));
      if (found === undefined) {
        places.pop();
        continue;
      }
      const items = decodeItems(found.data ?? NO_DATA);
      if (items !== undefined) return { name, data: items[0] ?? NO_DATA, items };
      throw new RecipeError('EBADDATA', `${childPath(this.path, name)}: not an item of a queue`);
    }
    return undefined;
  }
}

/**
 * Items in insertion order that Curator's DistributedQueue puts and takes, too.
 *
 * Layout: `<path>/queue-<sequence>`, persistent or with a time to live, with the item in Curator's
 * frame (queue-items.ts); and a line of takers, `<path>-takers/_c_<guid>-taker-<sequence>`,
 * ephemeral and empty, of which only the first lists the items, and watches for new ones. It lists
 * them again when it has taken all of its last listing. A put and a take create a temporary receipt
 * beside the takers (receipt.ts). Other children are ignored.
 *
 * Guarantees: each item is put once and taken once, even if the connection is lost. Takers are
 * served in the order of arrival, beside consumers of Curator, which take what they find. Needs the
 * built-in client.
 */
export class DistributedQueue extends CuratorQueue {
  /**
   * @throws RangeError for `ttlMs` (a whole number from 1); ZooKeeperError of a refused request, or
   * of an ended session: the outcome is unknown then
   */
  async put(data: string | Uint8Array, options: PutOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    const { ttlMs } = readFields('options', options, ['ttlMs']);
    if (ttlMs !== undefined) checkWhole('options.ttlMs', ttlMs, 1);
    await this.putAs('', bytes, ttlMs);
  }
}

/**
 * Items that takers get from a time on, the earliest first. Curator's DistributedDelayQueue puts
 * and takes them, too.
 *
 * Layout: `<path>/queue-|<time>|<sequence>`, with the milliseconds since 1970 in upper-case
 * hexadecimal. The rest, and the guarantees, are as with DistributedQueue. The clock of the taker
 * decides.
 */
export class DelayQueue extends CuratorQueue {
  protected override creations(wait: Wait): Promise<number> {
    return countCreations(wait);
  }

  /**
   * @param at milliseconds since 1970
   * @throws RangeError for another `at`; the errors of DistributedQueue.put
   */
  async put(data: string | Uint8Array, at: number): Promise<void> {
    const bytes = checkBytes('data', data);
    checkWhole('at', at, 0, Number.MAX_SAFE_INTEGER);
    const time = at.toString(16).toUpperCase().padStart(EPOCH_DIGITS, '0');
    await this.putAs(`|${time}|`, bytes);
  }
}
