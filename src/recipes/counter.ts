import type { ZooKeeperClient } from '../client/client.js';
import { checkLong, checkSignal } from '../protocol/check-argument.js';
import { Configuration, type Setting } from './configuration.js';
import { RecipeError } from './errors.js';
import type { ZnodeOptions } from './znodes.js';

/**
 * A number that many add to. The Recipes page has none.
 *
 * Layout: the znode `path` itself, persistent, its data being the number as decimal text; no znode
 * is 0. While it is changed, a receipt stands below it (receipt.ts).
 *
 * Guarantees: each add() counts once, whatever happens to the connection, and returns the number
 * that it made, which no other add() returned if all add something above 0. Who is overtaken by
 * another tries again, so that of those who add at once, one at least gets through. Needs the
 * built-in client.
 */
export class Counter {
  private readonly path: string;
  private readonly setting: Configuration;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    this.path = path;
    this.setting = new Configuration(client, path, options);
  }

  /** As any read, it may be behind. @throws RecipeError EBADDATA, ZooKeeperError */
  async value(): Promise<bigint> {
    return this.numberOf(await this.setting.read());
  }

  /**
   * @returns the sum
   * @throws RecipeError EBADDATA for a znode that holds no number; the reason of the signal,
   * before anything was added; ZooKeeperError: when the session has ended, it is not known whether
   * it was
   */
  async add(delta: bigint, signal?: AbortSignal): Promise<bigint> {
    checkSignal('signal', signal);
    checkLong('delta', delta);
    for (;;) {
      signal?.throwIfAborted();
      const before = await this.setting.read();
      const sum = this.numberOf(before) + delta;
      const data = Buffer.from(String(sum));
      const isDone =
        before === undefined
          ? await this.setting.create(data)
          : (await this.setting.compareAndSet(data, before.version)) !== undefined;
      if (isDone) return sum;
    }
  }

  private numberOf(setting: Setting | undefined): bigint {
    const text = setting?.data.toString() ?? '0';
    if (/^-?\d+$/.test(text)) return BigInt(text);
    throw new RecipeError('EBADDATA', `${this.path} holds no number, but "${text.slice(0, 40)}"`);
  }
}
