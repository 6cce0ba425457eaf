import { childPath } from '../../protocol/path.js';
import { checkName } from '../base/arguments.js';
import { PathRecipe } from '../base/path-recipe.js';
import { childrenOf, deleteIfThere } from '../base/znodes.js';
import { Configuration } from './configuration.js';

/**
 * Names and their values (Recipes page, "Name Service"), until they are unbound. For names that end
 * with their process, use Group.
 *
 * Layout: `<path>/<name>`, persistent; its data are the value. Guarantees: as with Configuration;
 * of concurrent bind() calls for a name, one succeeds.
 */
export class NameService extends PathRecipe {
  /** @returns false if the name is taken @throws RangeError for an invalid name, ZooKeeperError */
  async bind(name: string, data: string | Uint8Array): Promise<boolean> {
    return this.entry(name).create(data);
  }

  /** The value of a name; undefined if it is not bound. */
  async resolve(name: string): Promise<Buffer | undefined> {
    return (await this.entry(name).read())?.data;
  }

  /** Deletes a name, if it is bound. */
  async unbind(name: string): Promise<void> {
    checkName(name);
    const { client, path } = this;
    await deleteIfThere({ client, path }, childPath(path, name));
  }

  /** The bound names, in no order. Like any read, it may be stale. */
  async names(): Promise<readonly string[]> {
    const { client, path } = this;
    return childrenOf({ client, path }, path);
  }

  private entry(name: string): Configuration {
    checkName(name);
    return new Configuration(this.client, childPath(this.path, name), { acl: this.acl });
  }
}
