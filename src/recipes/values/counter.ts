import type { ZooKeeperClient } from '../../client/base/client.js';
import { backOff } from '../../client/retry/back-off.js';
import { checkLong } from '../../protocol/check-argument.js';
import { RecipeError } from '../base/errors.js';
import { limited, type WaitOptions } from '../base/limit.js';
import type { ZnodeOptions } from '../base/znodes.js';
import { Configuration, replaceSetting, type Setting } from './configuration.js';

/**
 * A shared number. The Recipes page has no such recipe.
 *
 * Layout: the znode `path` itself, persistent; its data are the number as decimal text. A missing
 * znode is 0. A change creates a temporary receipt below it (receipt.ts).
 *
 * Guarantees: each add() counts once, even if the connection is lost. It returns the sum, which is
 * unique if all deltas are positive. A conflicting add() retries; of concurrent ones at least one
 * succeeds. Needs the built-in client.
 * @example
 * const id = await new Counter(client, '/ids').add(1n);
 */
export class Counter {
  private readonly path: string;
  private readonly setting: Configuration;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    this.path = path;
    this.setting = new Configuration(client, path, options);
  }

  /** Like any read, it may be stale. @throws RecipeError EBADDATA, ZooKeeperError */
  async value(options: WaitOptions = {}): Promise<bigint> {
    return this.numberOf(await this.setting.read(options));
  }

  /**
   * @returns the sum
   * @throws RecipeError EBADDATA if the data are not a number; TimeoutError, RequestAbortedError,
   * ZooKeeperError: hasUnknownOutcome tells whether it may have counted
   */
  async add(delta: bigint, options: WaitOptions = {}): Promise<bigint> {
    checkLong('delta', delta);
    return limited(options, { path: this.path }, 'no answer', async (signal) => {
      for (let attempt = 1; ; attempt++) {
        const before = await this.setting.read({ signal });
        const sum = this.numberOf(before) + delta;
        const data = Buffer.from(String(sum));
        if (await replaceSetting(this.setting, data, before, { signal })) return sum;
        await backOff(attempt, signal);
      }
    });
  }

  private numberOf(setting: Setting | undefined): bigint {
    const text = setting?.data.toString() ?? '0';
    if (/^-?\d+$/.test(text)) return BigInt(text);
    throw new RecipeError('EBADDATA', this.path, `not a number: "${text.slice(0, 40)}"`);
  }
}
