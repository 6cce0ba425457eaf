import { childPath } from '../../protocol/path.js';
import { checkName } from '../base/arguments.js';
import type { WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { asChange } from '../base/session.js';
import { childrenOf, deleteIfThere } from '../base/znodes.js';
import { Configuration } from './configuration.js';

/**
 * Names and their values (Recipes page, "Name Service"), until they are unbound. For names that end
 * with their process, use Group.
 *
 * Layout: `<path>/<name>`, persistent; its data are the value. Guarantees: as with Configuration;
 * of concurrent bind() calls for a name, one succeeds.
 * @example
 * const names = new NameService(client, '/names');
 * await names.bind('mail', '10.0.0.7:25');
 * const address = await names.resolve('mail');
 */
export class NameService extends PathRecipe {
  /** @returns false if the name is taken @throws RangeError for an invalid name, ZooKeeperError */
  async bind(name: string, data: string | Uint8Array, options: WaitOptions = {}): Promise<boolean> {
    return this.entry(name).create(data, options);
  }

  /** The value of a name; undefined if it is not bound. */
  async resolve(name: string, options: WaitOptions = {}): Promise<Buffer | undefined> {
    return (await this.entry(name).read(options))?.data;
  }

  /** Deletes a name, if it is bound. */
  async unbind(name: string, options: WaitOptions = {}): Promise<void> {
    checkName(name);
    const path = childPath(this.path, name);
    return this.within(options, (wait) => deleteIfThere(asChange(wait), path));
  }

  /** The bound names, in no order. Like any read, it may be stale. */
  names(options: WaitOptions = {}): Promise<readonly string[]> {
    return this.within(options, (wait) => childrenOf(wait, this.path));
  }

  private entry(name: string): Configuration {
    checkName(name);
    return new Configuration(this.client, childPath(this.path, name), { acl: this.acl });
  }
}
