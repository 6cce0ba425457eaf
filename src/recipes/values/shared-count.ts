import type { ZooKeeperClient } from '../../client/base/client.js';
import { backOff } from '../../client/retry/back-off.js';
import { checkWhole } from '../../protocol/check-argument.js';
import { RecipeError } from '../base/errors.js';
import { type LoopOptions, limited, type WaitOptions } from '../base/limit.js';
import type { ZnodeOptions } from '../base/znodes.js';
import { Configuration, replaceSetting, type Setting } from './configuration.js';

/** A count, as read. */
export interface VersionedCount {
  /** A whole number of 32 bits. */
  readonly count: number;
  /** The znode's data version; compareAndSet expects it. */
  readonly version: number;
}

const BYTES = 4;

/**
 * A whole number of 32 bits with many readers, for example the permits of a Semaphore.
 *
 * Layout: the znode `path` itself, persistent; its data are four bytes, the most significant first,
 * as Curator's SharedCount writes them. A change creates a temporary receipt below it (receipt.ts).
 *
 * Guarantees: as with Configuration. Changes need the built-in client.
 * @example
 * const count = new SharedCount(client, '/permits');
 * await count.set(4);
 * for await (const change of count.changes({ signal })) console.log(change?.count);
 */
export class SharedCount {
  /** The znode of the count. */
  readonly path: string;
  private readonly setting: Configuration;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    this.setting = new Configuration(client, path, options);
    this.path = path;
  }

  /**
   * The count; undefined if it does not exist. Like any read, it may be stale.
   * @throws RecipeError EBADDATA, ZooKeeperError
   */
  async read(options: WaitOptions = {}): Promise<VersionedCount | undefined> {
    return this.countOf(await this.setting.read(options));
  }

  /**
   * The count, now and after each change; a quick succession may skip some. Throws when the signal
   * aborts or the session ends.
   */
  async *changes(options: LoopOptions = {}): AsyncGenerator<VersionedCount | undefined, never> {
    for await (const setting of this.setting.changes(options)) yield this.countOf(setting);
    throw new Error('changes() never ends');
  }

  /** Creates the count. @returns false if it exists @throws the errors of Configuration.create */
  async create(count: number, options: WaitOptions = {}): Promise<boolean> {
    return this.setting.create(bytesOf(count), options);
  }

  /** Creates or changes the count. @throws the errors of Configuration.compareAndSet */
  async set(count: number, options: WaitOptions = {}): Promise<void> {
    const bytes = bytesOf(count);
    await limited(options, { path: this.path }, 'no answer', async (signal) => {
      for (let attempt = 1; ; attempt++) {
        const before = await this.setting.read({ signal });
        if (await replaceSetting(this.setting, bytes, before, { signal })) return;
        await backOff(attempt, signal);
      }
    });
  }

  /**
   * Changes the count if it still has this version.
   * @returns the new version; undefined if the version differs or the count does not exist
   * @throws the errors of Configuration.compareAndSet
   */
  async compareAndSet(
    count: number,
    version: number,
    options: WaitOptions = {},
  ): Promise<number | undefined> {
    return this.setting.compareAndSet(bytesOf(count), version, options);
  }

  /**
   * The number in a znode that was read.
   * @throws RecipeError EBADDATA if the znode is missing, or its data are not four bytes
   */
  requireCount(znode: { readonly data: Buffer | null } | undefined): number {
    if (znode === undefined) {
      throw new RecipeError('EBADDATA', this.path, 'the count does not exist');
    }
    const { data } = znode;
    if (data?.length === BYTES) return data.readInt32BE();
    const found = `${data?.length ?? 0} bytes`;
    throw new RecipeError('EBADDATA', this.path, `not a count: ${found} (expected ${BYTES})`);
  }

  private countOf(setting: Setting | undefined): VersionedCount | undefined {
    return setting && { count: this.requireCount(setting), version: setting.version };
  }
}

function bytesOf(count: number): Buffer {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeInt32BE(checkWhole('count', count));
  return bytes;
}
