import { checkBytes, checkWhole, readFields } from '../../protocol/check-argument.js';
import { type CreateMode, CreateModes } from '../../protocol/create-mode.js';
import { childPath } from '../../protocol/path.js';
import { WAIT_NAMES } from '../base/arguments.js';
import { RecipeError } from '../base/errors.js';
import type { WaitOptions } from '../base/limit.js';
import type { Wait } from '../base/session.js';
import { childrenOf, countCreations, NO_DATA } from '../base/znodes.js';
import { type Place, TakerQueue } from './taker-queue.js';

/** What a taker of a queue with Curator's layout gets: the content of one znode. */
export interface TakenItems {
  /** The name of the znode, below the queue's path. */
  readonly name: string;
  /** 0 in a queue without priorities. */
  readonly priority: number;
  /** The first item, or the only one. */
  readonly data: Buffer;
  /** All items: Curator's putMulti writes several into one znode. */
  readonly items: readonly Buffer[];
}

/** Options of DistributedQueue.put. */
export interface PutOptions extends WaitOptions {
  /**
   * The server deletes the item after this many milliseconds if nobody takes it. Needs
   * `extendedTypesEnabled`. Default: it stays.
   */
  readonly ttlMs?: number | undefined;
}

interface CuratorPlace extends Place {
  readonly at: number;
  readonly priority: number;
  readonly sequence: number;
}

const PREFIX = 'queue-';
/** Beside the queue: a child with another name would stop the timer of Curator's consumers. */
const TAKERS = '-takers';
const NAME = /^queue-(?:\|([0-9A-F]{8,})\||([01][0-9A-F]{8}))?(-?\d{9,10})$/;
const EPOCH_DIGITS = 8;
const PRIORITY_DIGITS = 8;

/** The first digit sorts negative priorities before the others. */
function priorityText(priority: number): string {
  const digits = (priority >>> 0).toString(16).toUpperCase().padStart(PRIORITY_DIGITS, '0');
  return `${priority < 0 ? 0 : 1}${digits}`;
}

function parsePriority(text: string | undefined): number {
  return text === undefined ? 0 : Number.parseInt(text.slice(1), 16) | 0;
}

class CuratorQueue extends TakerQueue<CuratorPlace, TakenItems> {
  protected override get takersPath(): string {
    return `${this.path}${TAKERS}`;
  }

  /** The number of items, also of those that are not due yet. @throws ZooKeeperError */
  size(options: WaitOptions = {}): Promise<number> {
    return this.within(
      options,
      async (wait) => this.placesOf(await childrenOf(wait, this.path)).length,
    );
  }

  /** @param part the part of the name before the sequence */
  protected putAs(part: string, data: Buffer, limits: WaitOptions, ttlMs?: number): Promise<void> {
    const { path, acl, takersPath } = this;
    const item = childPath(path, `${PREFIX}${part}`);
    const mode: CreateMode =
      ttlMs === undefined
        ? CreateModes.PERSISTENT_SEQUENTIAL
        : CreateModes.PERSISTENT_SEQUENTIAL_WITH_TTL;
    const options = { mode, acl, ttl: ttlMs };
    const ops = [{ op: 'create', path: item, data: encodeItem(data), options }] as const;
    const change = { ops, parent: takersPath, acl, isReceiptKept: true };
    return this.within(limits, (wait) => this.change(wait, item, change));
  }

  /** The counter of names wraps around. */
  protected override placesOf(children: readonly string[]): CuratorPlace[] {
    return children
      .flatMap((name) => {
        const [, at = '0', priority, sequence] = NAME.exec(name) ?? [];
        if (sequence === undefined) return [];
        return [
          {
            name,
            at: Number.parseInt(at, 16),
            priority: parsePriority(priority),
            sequence: Number(sequence),
          },
        ];
      })
      .sort((a, b) => b.at - a.at || b.priority - a.priority || (b.sequence - a.sequence) | 0);
  }

  protected override itemOf({ name, priority }: CuratorPlace, data: Buffer): TakenItems {
    const items = decodeItems(data);
    if (items !== undefined) return { name, priority, data: items[0] ?? NO_DATA, items };
    throw new RecipeError('EBADDATA', childPath(this.path, name), 'not an item of a queue');
  }
}

/**
 * Items in insertion order that Curator's DistributedQueue puts and takes, too.
 *
 * Layout: `<path>/queue-<sequence>`, persistent or with a time to live, with the item in Curator's
 * frame (queue-items.ts); and a line of takers that wait,
 * `<path>-takers/_c_<guid>-taker-<sequence>`, ephemeral and empty, of which only the first watches
 * for new items. Items are listed again when all of the last listing are taken. A put and a take
 * create a temporary receipt beside the takers (receipt.ts). Other children are ignored.
 *
 * Guarantees: each item is put once and taken once, even if the connection is lost. A taker that
 * finds an item while nobody waits takes it at once. Those that wait are served in the order of
 * arrival, beside consumers of Curator, which take what they find. Needs the built-in client.
 * @example
 * const queue = new DistributedQueue(client, '/tasks');
 * await queue.put('work', { ttlMs: 60_000 });
 * const { data } = await queue.take();
 */
export class DistributedQueue extends CuratorQueue {
  /**
   * @throws RangeError for `ttlMs` (a whole number from 1); the errors of Queue.put
   */
  async put(data: string | Uint8Array, options: PutOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    const { ttlMs } = readFields('options', options, ['ttlMs'], WAIT_NAMES);
    const limits = readFields('options', options, ['signal', 'timeoutMs'], ['ttlMs']);
    if (ttlMs !== undefined) checkWhole('options.ttlMs', ttlMs, 1);
    await this.putAs('', bytes, limits, ttlMs);
  }
}

/**
 * Items that takers get from a time on, the earliest first. Curator's DistributedDelayQueue puts
 * and takes them, too.
 *
 * Layout: `<path>/queue-|<time>|<sequence>`, with the milliseconds since 1970 in upper-case
 * hexadecimal. The rest, and the guarantees, are as with DistributedQueue. The clock of the taker
 * decides.
 * @example
 * const queue = new DelayQueue(client, '/reminders');
 * await queue.put('wake up', Date.now() + 60_000);
 * const { data } = await queue.take();
 */
export class DelayQueue extends CuratorQueue {
  protected override creations(wait: Wait): Promise<number> {
    return countCreations(wait);
  }

  /**
   * @param at milliseconds since 1970
   * @throws RangeError for another `at`; the errors of DistributedQueue.put
   */
  async put(data: string | Uint8Array, at: number, options: WaitOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    checkWhole('at', at, 0, Number.MAX_SAFE_INTEGER);
    const time = at.toString(16).toUpperCase().padStart(EPOCH_DIGITS, '0');
    await this.putAs(`|${time}|`, bytes, options);
  }
}

/**
 * Items by ascending priority number, then in insertion order. Curator's DistributedPriorityQueue
 * puts and takes them, too.
 *
 * Layout: `<path>/queue-<sign><priority><sequence>`, with the priority as eight digits in
 * upper-case hexadecimal, two's complement, after 0 for a negative one and 1 for another. The rest,
 * and the guarantees, are as with DistributedQueue. A consumer of Curator keeps to its last listing
 * for a while.
 * @example
 * const queue = new DistributedPriorityQueue(client, '/tasks');
 * await queue.put('urgent', -5);
 * const { data } = await queue.take();
 */
export class DistributedPriorityQueue extends CuratorQueue {
  protected override creations(wait: Wait): Promise<number> {
    return countCreations(wait);
  }

  /**
   * @param priority a whole number of 32 bits; the least is first
   * @throws RangeError for another `priority`; the errors of DistributedQueue.put
   */
  async put(data: string | Uint8Array, priority: number, options: WaitOptions = {}): Promise<void> {
    const bytes = checkBytes('data', data);
    checkWhole('priority', priority);
    await this.putAs(priorityText(priority), bytes, options);
  }
}

// The data of an item as Curator's queues write them: 0x00010001, then for each item 0x01, its
// length in four bytes, and its bytes, then 0x02.

const VERSION = 0x0001_0001;
const ITEM = 1;
const END = 2;
const HEAD_BYTES = 4;
const ITEM_HEAD_BYTES = 5;

export function encodeItem(data: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + ITEM_HEAD_BYTES);
  head.writeInt32BE(VERSION);
  head.writeUInt8(ITEM, HEAD_BYTES);
  head.writeInt32BE(data.length, HEAD_BYTES + 1);
  return Buffer.concat([head, data, Buffer.of(END)]);
}

/** Curator puts several items into one znode on demand. @returns undefined for other data */
export function decodeItems(bytes: Buffer): readonly Buffer[] | undefined {
  if (bytes.length <= HEAD_BYTES || bytes.readInt32BE() !== VERSION) return undefined;
  const items: Buffer[] = [];
  for (let at = HEAD_BYTES; ; ) {
    const code = bytes[at];
    if (code === END) return items;
    if (code !== ITEM || at + ITEM_HEAD_BYTES > bytes.length) return undefined;
    const length = bytes.readInt32BE(at + 1);
    const begin = at + ITEM_HEAD_BYTES;
    if (length < 0 || begin + length > bytes.length) return undefined;
    items.push(bytes.subarray(begin, begin + length));
    at = begin + length;
  }
}
