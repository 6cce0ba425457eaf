import { checkBytes, checkSignal, checkWhole } from '../protocol/check-argument.js';
import { CreateModes } from '../protocol/create-mode.js';
import { PathRecipe } from './path-recipe.js';
import { changeOnce, failedAt } from './receipt.js';
import { createOptions, makeAbove, readIfThere, watchData, watched } from './znodes.js';

export interface Setting {
  readonly data: Buffer;
  /** Counts the changes since the znode was made; what compareAndSet expects. */
  readonly version: number;
}

/**
 * One setting that many read and some change (Recipes page, "Configuration").
 *
 * Layout: the znode `path` itself, persistent, its data being the setting. While it is changed, a
 * receipt stands below it (receipt.ts). What is missing above it is made as containers.
 *
 * Guarantees: compareAndSet and create are done once or not at all, and say which, whatever
 * happens to the connection; who watches is given the newest setting after each change, and may
 * not be given those in between. Changing needs the built-in client.
 */
export class Configuration extends PathRecipe {
  /** Undefined when there is no setting. As any read, it may be behind. @throws ZooKeeperError */
  async read(): Promise<Setting | undefined> {
    const { client, path } = this;
    return settingOf(await readIfThere({ client, path }, path));
  }

  /**
   * The setting now, and whenever it has changed, until the signal or the end of the session, with
   * which it throws; undefined while there is none.
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

  /** Makes it where there is none. @returns false when there is one @throws ZooKeeperError */
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
        await makeAbove(error, { client, path }, path, acl);
      }
    }
  }

  /**
   * Changes it if nobody else has since it had this version.
   * @returns the new version, or undefined when it has another version, or is gone
   * @throws ZooKeeperError of a refused request; of an ended session, after which it is not known
   * whether it was changed
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
