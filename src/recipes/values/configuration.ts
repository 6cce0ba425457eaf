import { checkBytes, checkSignal, checkWhole } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import { PathRecipe } from '../base/path-recipe.js';
import { changeOnce, failedAt } from '../base/receipt.js';
import { createOptions, createParent, readIfThere, watchData, watched } from '../base/znodes.js';

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
 */
export class Configuration extends PathRecipe {
  /**
   * The setting; undefined if it does not exist. Like any read, it may be stale. @throws
   * ZooKeeperError
   */
  async read(): Promise<Setting | undefined> {
    const { client, path } = this;
    return settingOf(await readIfThere({ client, path }, path));
  }

  /**
   * The current setting and every new one; undefined if it does not exist. Throws when the signal
   * aborts or the session ends.
   */
  async *changes(signal?: AbortSignal): AsyncGenerator<Setting | undefined, never> {
    checkSignal('signal', signal);
    const { client, path } = this;
    const wait = { client, path, signal };
    for await (const found of watched(wait, (watch) => watchData(wait, path, watch))) {
      yield settingOf(found);
    }
    throw new Error('watched() never ends');
  }

  /** Creates the setting. @returns false if it exists @throws ZooKeeperError */
  async create(data: string | Uint8Array): Promise<boolean> {
    const bytes = checkBytes('data', data);
    const { client, path, acl } = this;
    const options = createOptions(CreateModes.PERSISTENT, acl);
    const ops = [{ op: 'create', path, data: bytes, options }] as const;
    for (;;) {
      try {
        await changeOnce({ client, path }, { ops, parent: path, acl });
        return true;
      } catch (error) {
        if (failedAt(error, 0, 'NODEEXISTS')) return false;
        await createParent(error, { client, path }, path, acl);
      }
    }
  }

  /**
   * Changes the setting if it still has this version.
   * @returns the new version; undefined if the version differs or the setting does not exist
   * @throws ZooKeeperError of a refused request, or of an ended session: the outcome is unknown
   * then
   */
  async compareAndSet(data: string | Uint8Array, version: number): Promise<number | undefined> {
    const bytes = checkBytes('data', data);
    checkWhole('version', version);
    const { client, path } = this;
    const ops = [{ op: 'set', path, data: bytes, version }] as const;
    try {
      await changeOnce({ client, path }, { ops, parent: path, acl: this.acl });
      return version + 1;
    } catch (error) {
      if (failedAt(error, 0, 'BADVERSION') || failedAt(error, 0, 'NONODE')) return undefined;
      throw error;
    }
  }
}

function settingOf(found: Awaited<ReturnType<typeof readIfThere>>): Setting | undefined {
  return found && { data: found.data ?? Buffer.alloc(0), version: found.stat.version };
}
