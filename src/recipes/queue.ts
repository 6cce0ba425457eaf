import { randomUUID } from 'node:crypto';
import { checkBytes, checkWhole } from '../protocol/check-argument.js';
import { CreateModes } from '../protocol/create-mode.js';
import { childPath } from '../protocol/path.js';
import { limited, type WaitOptions } from './limit.js';
import { parseMembers } from './members.js';
import { PathRecipe } from './path-recipe.js';
import { changeOnce } from './receipt.js';
import { hasCode, isLoss, once, untilConnected, type Wait } from './session.js';
import { takeTurn } from './turn.js';
import {
  childrenOf,
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
const HIGHEST = 0x7fff_ffff;

class ItemQueue extends PathRecipe {
  /**
   * Waits for an item, removes it, and returns it. At most one taker gets it; it is lost if that
   * taker crashes at this moment.
   * @throws RecipeError ETIMEDOUT or ELOST, the reason of the signal, ZooKeeperError
   */
  async take(options: WaitOptions = {}): Promise<QueueItem> {
    const { client, path, acl } = this;
    return limited(options, `${path}: the queue got no item`, async (limit) => {
      const line = { client, parent: path, kind: TAKER, acl };
      const turn = await takeTurn(line, NO_DATA, { signal: limit });
      try {
        const signal = AbortSignal.any([limit, turn.signal]);
        for (;;) {
          const item = await this.untilItem({ client, path, signal });
          if (await this.remove(item)) return item;
        }
      } finally {
        await turn.leave();
      }
    });
  }

  /** The next item, which stays in the queue; undefined if it is empty. @throws ZooKeeperError */
  async peek(): Promise<QueueItem | undefined> {
    const wait = { client: this.client, path: this.path };
    return this.firstOf(wait, await childrenOf(wait, this.path));
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

  private async untilItem(wait: Wait): Promise<QueueItem> {
    const lists = watched(wait, (watch) => watchChildren(wait, this.path, watch));
    for await (const children of lists) {
      const item = await this.firstOf(wait, children ?? []);
      if (item !== undefined) return item;
    }
    throw new Error('watched() never ends');
  }

  private async firstOf(wait: Wait, children: readonly string[]): Promise<QueueItem | undefined> {
    for (const { name, priority } of parseMembers(children, [ITEM])) {
      const found = await readIfThere(wait, childPath(this.path, name));
      if (found !== undefined) return { name, priority, data: found.data ?? NO_DATA };
    }
    return undefined;
  }
}

/**
 * Items in insertion order (Recipes page, "Queues").
 *
 * Layout: `<path>/_c_<guid>-queue-<sequence>`, persistent, with an item's data; and a line of
 * takers, `<path>/_c_<guid>-taker-<sequence>`, ephemeral and empty, of which only the first watches
 * for items. A put creates a temporary receipt (receipt.ts). Other children are ignored.
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
 * number goes first.
 */
export class PriorityQueue extends ItemQueue {
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
