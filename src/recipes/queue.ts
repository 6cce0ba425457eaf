import { randomUUID } from 'node:crypto';
import { checkBytes, checkWhole } from '../protocol/check-argument.js';
import { CreateModes } from '../protocol/create-mode.js';
import { childPath } from '../protocol/path.js';
import { limited, type WaitOptions } from './limit.js';
import { type Member, parseMembers } from './members.js';
import { PathRecipe } from './path-recipe.js';
import { changeOnce } from './receipt.js';
import { hasCode, isLoss, once, untilConnected, type Wait } from './session.js';
import { takeTurn } from './turn.js';
import {
  childrenOf,
  countCreations,
  createOptions,
  createParent,
  NO_DATA,
  readIfThere,
  watchChildren,
  watched,
} from './znodes.js';

/** An item of a queue. */
export interface QueueItem {
  /** The name of its znode, below the queue's path. */
  readonly name: string;
  /** 0 in a queue without priorities. */
  readonly priority: number;
  readonly data: Buffer;
}

const ITEM = 'queue';
const TAKER = 'taker';
const TAKERS = 'takers';
const HIGHEST = 0x7fff_ffff;

/** One listing of a queue serves many takes. */
interface Listing {
  /** The next item last. */
  readonly items: Member[];
  /** See creations(). */
  readonly creations: number;
}

class ItemQueue extends PathRecipe {
  private listing: Listing = { items: [], creations: 0 };

  /**
   * Waits for an item, removes it, and returns it. At most one taker gets it; it is lost if that
   * taker crashes at this moment.
   * @throws RecipeError ETIMEDOUT or ELOST, the reason of the signal, ZooKeeperError
   */
  async take(options: WaitOptions = {}): Promise<QueueItem> {
    const { client, path, acl } = this;
    return limited(options, `${path}: the queue got no item`, async (limit) => {
      const line = { client, parent: childPath(path, TAKERS), kind: TAKER, acl };
      const turn = await takeTurn(line, NO_DATA, { signal: limit });
      try {
        const signal = AbortSignal.any([limit, turn.signal]);
        for (;;) {
          const item = await this.next({ client, path, signal });
          const isMine = await this.remove(item);
          this.forget(item.name);
          if (isMine) return item;
        }
      } finally {
        await turn.leave();
      }
    });
  }

  /** The next item, which stays in the queue; undefined if it is empty. @throws ZooKeeperError */
  async peek(): Promise<QueueItem | undefined> {
    const wait = { client: this.client, path: this.path };
    return this.firstOf(wait, nextLast(await childrenOf(wait, this.path)));
  }

  /** The names of all items, the next one first. @throws ZooKeeperError */
  async items(): Promise<readonly { readonly name: string; readonly priority: number }[]> {
    const wait = { client: this.client, path: this.path };
    const members = parseMembers(await childrenOf(wait, this.path), [ITEM]);
    return members.map(({ name, priority }) => ({ name, priority }));
  }

  /** @param part the part of the name between kind and sequence */
  protected async putAs(part: string, data: Buffer): Promise<void> {
    const { client, path, acl } = this;
    const item = childPath(path, `_c_${randomUUID()}-${ITEM}-${part}`);
    const options = createOptions(CreateModes.PERSISTENT_SEQUENTIAL, acl);
    const ops = [{ op: 'create', path: item, data, options }] as const;
    for (;;) {
      try {
        await changeOnce({ client, path }, { ops, parent: path, acl });
        return;
      } catch (error) {
        await createParent(error, { client, path }, item, acl);
      }
    }
  }

  /**
   * Only the first taker deletes items: if an item is missing after a lost reply, this taker
   * deleted it. Once the delete is sent, no limit may drop the item.
   * @returns false if another client deleted it
   */
  private async remove({ name }: QueueItem): Promise<boolean> {
    const wait = this.waitOf();
    for (let wasLost = false; ; wasLost = true) {
      try {
        await once(wait, () => this.client.delete(childPath(this.path, name)));
        return true;
      } catch (error) {
        if (hasCode(error, 'NONODE')) return wasLost;
        if (!isLoss(error)) throw error;
      }
      await untilConnected(wait);
    }
  }

  /**
   * A number that differs if the queue got a new item that may be ahead of listed ones. Without
   * priorities, new items are always last.
   */
  protected async creations(_wait: Wait): Promise<number> {
    return 0;
  }

  /** Lists the items only if the last listing has none left, or if a later item may be ahead. */
  private async next(wait: Wait): Promise<QueueItem> {
    const creations = await this.creations(wait);
    if (creations === this.listing.creations) {
      const item = await this.firstOf(wait, this.listing.items);
      if (item !== undefined) return item;
    }
    const lists = watched(wait, (watch) => watchChildren(wait, this.path, watch));
    for await (const children of lists) {
      this.listing = { items: nextLast(children ?? []), creations };
      const item = await this.firstOf(wait, this.listing.items);
      if (item !== undefined) return item;
    }
    throw new Error('watched() never ends');
  }

  /** Drops items that do not exist any more. */
  private async firstOf(wait: Wait, items: Member[]): Promise<QueueItem | undefined> {
    for (let last = items.at(-1); last !== undefined; last = items.at(-1)) {
      const { name, priority } = last;
      const found = await readIfThere(wait, childPath(this.path, name));
      if (found !== undefined) return { name, priority, data: found.data ?? NO_DATA };
      if (items.at(-1) === last) items.pop();
    }
    return undefined;
  }

  private forget(name: string): void {
    const { items } = this.listing;
    if (items.at(-1)?.name === name) items.pop();
  }
}

function nextLast(children: readonly string[]): Member[] {
  return [...parseMembers(children, [ITEM])].reverse();
}

/**
 * Items in insertion order (Recipes page, "Queues").
 *
 * Layout: `<path>/_c_<guid>-queue-<sequence>`, persistent, with an item's data; and a line of
 * takers, `<path>/takers/_c_<guid>-taker-<sequence>`, ephemeral and empty, of which only the first
 * lists the items, and watches for new ones. It lists them again when it has taken all of its last
 * listing. A put creates a temporary receipt (receipt.ts). Other children are ignored.
 *
 * Guarantees: each item is put once and taken once, even if the connection is lost. Takers are
 * served in the order of arrival; a new item wakes one of them. put() needs the built-in client.
 */
export class Queue extends ItemQueue {
  /**
   * @throws ZooKeeperError of a refused request, or of an ended session: the outcome is unknown
   * then
   */
  async put(data: string | Uint8Array): Promise<void> {
    await this.putAs('', checkBytes('data', data));
  }
}

/**
 * Items by ascending priority number, then in insertion order (Recipes page, "Priority Queues").
 *
 * Layout: `<path>/_c_<guid>-queue-<priority>-<sequence>`, the priority in ten digits. The rest, and
 * the guarantees, are as with Queue. take() decides which item is next: a later item with a lower
 * number goes first. So a put makes the next take() list the items again.
 */
export class PriorityQueue extends ItemQueue {
  protected override creations(wait: Wait): Promise<number> {
    return countCreations(wait);
  }

  /**
   * @param priority a whole number from 0 (first) to 2147483647
   * @throws RangeError for another value; the errors of Queue.put
   */
  async put(data: string | Uint8Array, priority: number): Promise<void> {
    const bytes = checkBytes('data', data);
    checkWhole('priority', priority, 0, HIGHEST);
    await this.putAs(`${String(priority).padStart(10, '0')}-`, bytes);
  }
}
