import { childPath } from '../protocol/path.js';
import { checkName } from './arguments.js';
import { Configuration } from './configuration.js';
import { PathRecipe } from './path-recipe.js';
import { childrenOf, deleteIfThere } from './znodes.js';

/**
 * Names and what they stand for (Recipes page, "Name Service"), for as long as nobody takes them
 * back. Names that live as long as a process are those of Group.
 *
 * Layout: `<path>/<name>`, persistent, its data being what the name stands for; see Configuration.
 * Guarantees: those of Configuration; of several who bind a name, one is told that it did.
 */
export class NameService extends PathRecipe {
  /** @returns false when the name is taken @throws RangeError for a bad name, ZooKeeperError */
  async bind(name: string, data: string | Uint8Array): Promise<boolean> {
    return this.entry(name).create(data);
  }

  /** What it stands for; undefined for a name that nobody bound. */
  async resolve(name: string): Promise<Buffer | undefined> {
    return (await this.entry(name).read())?.data;
  }

  /** Frees the name; one that is free is as good. */
  async unbind(name: string): Promise<void> {
    checkName(name);
    const { client, path } = this;
    await deleteIfThere({ client, path }, childPath(path, name));
  }

  async names(): Promise<readonly string[]> {
    const { client, path } = this;
    return childrenOf({ client, path }, path);
  }

  private entry(name: string): Configuration {
    checkName(name);
    return new Configuration(this.client, childPath(this.path, name), { acl: this.acl });
  }
}
