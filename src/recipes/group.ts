import { checkBytes, checkSignal } from '../protocol/check-argument.js';
import { childPath } from '../protocol/path.js';
import { checkName } from './arguments.js';
import { EphemeralNode } from './ephemeral-node.js';
import { RecipeError } from './errors.js';
import { hold } from './hold.js';
import { limited } from './limit.js';
import { PathRecipe } from './path-recipe.js';
import { childrenOf, readIfThere, watchChildren, watched } from './znodes.js';

export interface Member {
  readonly id: string;
  readonly data: Buffer;
}

export interface Membership {
  readonly id: string;
  /** Aborted when the membership is lost; see Held in lock.ts. */
  readonly signal: AbortSignal;
  /** Resolves when the znode is gone, or the session that owns it. */
  leave(): Promise<void>;
}

/**
 * Who is there (Recipes page, "Group Membership").
 *
 * Layout: `<path>/<id>`, ephemeral, its data being what the member tells of itself. What is
 * missing above is made as containers. Every child is a member, whoever made it.
 *
 * Guarantees: a member is there until it leaves or its session ends; an id belongs to one member
 * at a time. Who watches is told of each change, and may be given several as one.
 */
export class Group extends PathRecipe {
  /**
   * @param id the name of the member's znode
   * @throws RangeError for an id that cannot be one; RecipeError ETAKEN when somebody has it; the
   * reason of the signal; ZooKeeperError
   */
  async join(id: string, data: string | Uint8Array, signal?: AbortSignal): Promise<Membership> {
    checkName(id, 'id');
    const bytes = checkBytes('data', data);
    checkSignal('signal', signal);
    const { client } = this;
    const path = childPath(this.path, id);
    const node = new EphemeralNode({ client, path, acl: this.acl });
    return limited({ signal }, path, async (limit) => {
      try {
        if (!(await node.enter(bytes, limit))) {
          throw new RecipeError('ETAKEN', `${path}: a member of this id is there already`);
        }
        const held = await hold({ client, path, signal: limit });
        const leave = (): Promise<void> => {
          held.stop();
          return node.leave();
        };
        return { id, signal: held.signal, leave };
      } catch (error) {
        node.leave().catch(() => undefined);
        throw error;
      }
    });
  }

  /** The ids of all members, sorted. As any read, it may be behind. @throws ZooKeeperError */
  async ids(): Promise<readonly string[]> {
    const { client, path } = this;
    return [...(await childrenOf({ client, path }, path))].sort();
  }

  /** All members with what they tell of themselves, sorted by id. @throws ZooKeeperError */
  async members(): Promise<readonly Member[]> {
    const { client, path } = this;
    const ids = await this.ids();
    const found = await Promise.all(
      ids.map(async (id) => {
        const znode = await readIfThere({ client, path }, childPath(path, id));
        return znode === undefined ? [] : [{ id, data: znode.data ?? Buffer.alloc(0) }];
      }),
    );
    return found.flat();
  }

  /**
   * The ids now, and after each change, until the signal or the end of the session, with which it
   * throws.
   */
  async *changes(signal?: AbortSignal): AsyncGenerator<readonly string[], never> {
    checkSignal('signal', signal);
    const { client, path } = this;
    const wait = { client, path, signal };
    for await (const ids of watched(wait, (watch) => watchChildren(wait, path, watch))) {
      yield [...(ids ?? [])].sort();
    }
    throw new Error('watched() never ends');
  }
}
