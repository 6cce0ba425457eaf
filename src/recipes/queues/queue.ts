import { randomUUID } from 'node:crypto';
import { checkBytes, checkWhole } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import { childPath } from '../../protocol/path.js';
import type { WaitOptions } from '../base/limit.js';
import { type Member, parseMembers } from '../base/members.js';
import type { Wait } from '../base/session.js';
import { childrenOf, countCreations } from '../base/znodes.js';
import { TakerQueue } from './taker-queue.js';

/** An item of a queue. */
export interface QueueItem {
  /** The name of its znode, below the queue's path. */
  readonly name: string;
  /** 0 in a queue without priorities. */
  readonly priority: number;
  readonly data: Buffer;
}

const ITEM = 'queue';
const TAKERS = 'takers';
const HIGHEST = 0x7fff_ffff;

abstract class ItemQueue extends TakerQueue<Member, QueueItem> {
  protected override get takersPath(): string {
    return childPath(this.path, TAKERS);
  }

  /** The next item, which stays in the queue; undefined if it is empty. @throws ZooKeeperError */
  peek(options: WaitOptions = {}): Promise<QueueItem | undefined> {
    return this.within(options, async (wait) =>
      this.firstOf(wait, this.placesOf(await childrenOf(wait, this.path))),
    );
  }

  /** The names of all items, the next one first. @throws ZooKeeperError */
  items(
    options: WaitOptions = {},
  ): Promise<readonly { readonly name: string; readonly priority: number }[]> {
    return this.within(options, async (wait) => {
      const members = parseMembers(await childrenOf(wait, this.path), [ITEM]);
      return members.map(({ name, priority }) => ({ name, priority }));
    });
  }

  /** @param part the part of the name between kind and sequence */
  protected putAs(part: string, data: Buffer, limits: WaitOptions): Promise<void> {
    const { path, acl, takersPath: parent } = this;
    const item = childPath(path, `_c_${randomUUID()}-${ITEM}-${part}`);
    const options = { mode: CreateModes.PERSISTENT_SEQUENTIAL, acl };
    const ops = [{ op: 'create', path: item, data, options }] as const;
    const change = { ops, parent, acl, isReceiptKept: true };
    return this.within(limits, (wait) => this.change(wait, item, change));
  }

  protected override placesOf(children: readonly string[]): Member[] {
    return [...parseMembers(children, [ITEM])].reverse();
  }

  protected override itemOf({ name, priority }: Member, data: Buffer): QueueItem {
    return { name, priority, data };
  }
}

/**
 * Items in insertion order (Recipes page, "Queues").
 *
 * Layout: `<path>/_c_<guid>-queue-<sequence>`, persistent, with an item's data; and a line of
 * takers that wait, `<path>/takers/_c_<guid>-taker-<sequence>`, ephemeral and empty, of which only
 * the first watches for new items. Items are listed again when all of the last listing are taken. A
 * put and a take write a temporary receipt beside the takers (receipt.ts). Other children are
 * ignored.
 *
 * Guarantees: each item is put once and taken once, even if the connection is lost. A taker that
 * finds an item while nobody waits takes it at once. Those that wait are served in the order of
 * arrival; a new item wakes one of them. put() and take() need the built-in client.
 * @example
 * const queue = new Queue(client, '/tasks');
 * await queue.put('work');
 * const { data } = await queue.take({ timeoutMs: 5000 });
 */
export class Queue extends ItemQueue {
  /**
   * @throws ZooKeeperError of a refused request, or of an ended session; TimeoutError,
   * RequestAbortedError. hasUnknownOutcome tells whether the item may be in the queue
   */
  async put(data: string | Uint8Array, options: WaitOptions = {}): Promise<void> {
    await this.putAs('', checkBytes('data', data), options);
  }
}

/**
 * Items by ascending priority number, then in insertion order (Recipes page, "Priority Queues").
 *
 * Layout: `<path>/_c_<guid>-queue-<priority>-<sequence>`, the priority in ten digits. The rest, and
 * the guarantees, are as with Queue. take() decides which item is next: a later item with a lower
 * number goes first. So a put makes the next take() list the items again.
 * @example
 * const queue = new PriorityQueue(client, '/tasks');
 * await queue.put('urgent', 1);
 * const { data, priority } = await queue.take();
 */
export class PriorityQueue extends ItemQueue {
  protected override creations(wait: Wait): Promise<number> {
    return countCreations(wait);
  }

  /**
   * @param priority a whole number from 0 (first) to 2147483647
   * @throws RangeError for another value; the errors of Queue.put
   */
  async put(data: string | Uint8Array, priority: number, options: WaitOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    checkWhole('priority', priority, 0, HIGHEST);
    await this.putAs(`${String(priority).padStart(10, '0')}-`, bytes, options);
  }
}
