import { checkBytes, checkWhole, outOfRange } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import { checkLoopOptions } from '../base/arguments.js';
import type { LoopOptions, WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { changeOnce, failedAt } from '../base/receipt.js';
import { createParent, readIfThere, watchData, watched } from '../base/znodes.js';

/** A setting, as read. */
export interface Setting {
  readonly data: Buffer;
  /** The znode's data version; compareAndSet expects it. */
  readonly version: number;
}

/**
 * One setting with many readers and some writers (Recipes page, "Configuration").
 *
 * Layout: the znode `path` itself, persistent; its data are the setting. A change creates a
 * temporary receipt below it (receipt.ts). Missing parents are created as containers.
 *
 * Guarantees: compareAndSet and create happen once or not at all, and report which, even if the
 * connection is lost. Watchers get the newest setting after each change; a quick succession may
 * skip some. Changes need the built-in client.
 * @example
 * const setting = new Configuration(client, '/limits');
 * const before = await setting.read();
 * if (before !== undefined) await setting.compareAndSet('{}', before.version);
 */
export class Configuration extends PathRecipe {
  /**
   * The setting; undefined if it does not exist. Like any read, it may be stale. @throws
   * ZooKeeperError
   */
  read(options: WaitOptions = {}): Promise<Setting | undefined> {
    return this.within(options, async (wait) => settingOf(await readIfThere(wait, this.path)));
  }

  /**
   * The current setting and every new one; undefined if it does not exist. Throws when the signal
   * aborts or the session ends.
   */
  async *changes(options: LoopOptions = {}): AsyncGenerator<Setting | undefined, never> {
    const { path } = this;
    const wait = this.waitOf(checkLoopOptions(options).signal);
    for await (const found of watched(wait, (watches) => watchData(wait, path, watches))) {
      yield settingOf(found);
    }
    throw new Error('watched() never ends');
  }

  /** Creates the setting. @returns false if it exists @throws ZooKeeperError */
  async create(data: string | Uint8Array, options: WaitOptions = {}): Promise<boolean> {
    const bytes = checkBytes('data', data);
    const { path, acl } = this;
    const op = { op: 'create', path, data: bytes } as const;
    const ops = [{ ...op, options: { mode: CreateModes.PERSISTENT, acl } }];
    return this.within(options, async (wait) => {
      for (;;) {
        try {
          await changeOnce(wait, { ops, parent: path, acl });
          return true;
        } catch (error) {
          if (failedAt(error, 0, 'NODEEXISTS')) return false;
          await createParent(error, wait, path, acl);
        }
      }
    });
  }

  /**
   * Changes the setting if it still has this version.
   * @returns the new version; undefined if the version differs or the setting does not exist
   * @throws ZooKeeperError of a refused request, or of an ended session: the outcome is unknown
   * then; RangeError for -1, which a server takes for any version
   */
  async compareAndSet(
    data: string | Uint8Array,
    version: number,
    options: WaitOptions = {},
  ): Promise<number | undefined> {
    const bytes = checkBytes('data', data);
    checkWhole('version', version);
    // A server takes -1 for any version.
    if (version === -1) throw outOfRange('version', version, 'a version that was read');
    const { path, acl } = this;
    const ops = [{ op: 'set', path, data: bytes, version }] as const;
    return this.within(options, async (wait) => {
      try {
        await changeOnce(wait, { ops, parent: path, acl });
        return version + 1;
      } catch (error) {
        if (failedAt(error, 0, 'BADVERSION') || failedAt(error, 0, 'NONODE')) return undefined;
        throw error;
      }
    });
  }
}

/**
 * Changes a setting that is still as it was read.
 * @returns whether it was changed
 */
export async function replaceSetting(
  setting: Configuration,
  data: Uint8Array,
  before: Setting | undefined,
  options: WaitOptions,
): Promise<boolean> {
  if (before === undefined) return setting.create(data, options);
  return (await setting.compareAndSet(data, before.version, options)) !== undefined;
}

function settingOf(found: Awaited<ReturnType<typeof readIfThere>>): Setting | undefined {
  return found && { data: found.data ?? Buffer.alloc(0), version: found.stat.version };
}
