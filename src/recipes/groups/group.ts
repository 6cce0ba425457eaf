import { checkBytes } from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkLoopOptions, checkName } from '../base/arguments.js';
import { EphemeralNode } from '../base/ephemeral-node.js';
import { RecipeError } from '../base/errors.js';
import { hold } from '../base/hold.js';
import { awaited, type LoopOptions, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { childrenOf, readIfThere, watchChildren, watched } from '../base/znodes.js';
import { PersistentNode } from './persistent-node.js';

/** A member of a group, as others see it. */
export interface Member {
  readonly id: string;
  readonly data: Buffer;
}

/** The own place in a group. */
export interface GroupMembership {
  readonly id: string;
  /**
   * Aborted when the membership is lost; see Held.signal. With a client that renews its session,
   * only when it cannot be restored.
   */
  readonly signal: AbortSignal;
  /** Resolves when the znode is deleted or its session has ended; see Held.release. */
  leave(options?: WaitOptions): Promise<void>;
  /** leave(), for `await using membership = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The members of a group (Recipes page, "Group Membership").
 *
 * Layout: `<path>/<id>`, ephemeral; each member chooses its data. Missing parents are created as
 * containers. Every child is a member, no matter which client created it.
 *
 * Guarantees: a membership lasts until leave() or the end of the session, or continues in the next
 * one if the client renews it (renewSession); an id belongs to one member at a time. Watchers learn
 * of all changes, but several may be combined.
 * @example
 * const group = new Group(client, '/workers');
 * const membership = await group.join('host-1', 'idle');
 * console.log(await group.ids());
 * await membership.leave();
 */
export class Group extends PathRecipe {
  /**
   * @param id the name of the member's znode
   * @throws RangeError for an invalid id; RecipeError ETAKEN for a taken one;
   * TimeoutError, RequestAbortedError, ZooKeeperError
   */
  async join(
    id: string,
    data: string | Uint8Array,
    options: WaitOptions = {},
  ): Promise<GroupMembership> {
    checkName(id, 'id');
    const bytes = checkBytes('data', data);
    const { client } = this;
    const path = childPath(this.path, id);
    const node = new EphemeralNode({ client, path, acl: this.acl });
    return this.within(options, async ({ signal }) => {
      try {
        if (!(await node.enter(bytes, signal))) {
          throw new RecipeError('ETAKEN', path, 'a member with this id already exists');
        }
        if (client.renewsSession) return await this.kept(id, node, bytes, signal);
        const held = await hold({ client, path, signal });
        const leave = (limits?: WaitOptions): Promise<void> => {
          held.stop();
          return node.leave(limits);
        };
        return { id, signal: held.signal, leave, [Symbol.asyncDispose]: () => leave() };
      } catch (error) {
        node.leave().catch(() => undefined);
        throw error;
      }
    });
  }

  /** A membership that continues in the next session. */
  private async kept(
    id: string,
    node: EphemeralNode,
    data: Buffer,
    signal: AbortSignal | undefined,
  ): Promise<GroupMembership> {
    const { client, acl } = this;
    const kept = await PersistentNode.open(client, childPath(this.path, id), { data, acl, signal });
    const lost = new AbortController();
    let hasLeft = false;
    kept.ended.catch((error) => {
      if (!hasLeft) lost.abort(new RecipeError('ELOST', kept.path, 'cannot be kept', error));
    });
    const leave = async (limits: WaitOptions = {}): Promise<void> => {
      hasLeft = true;
      const left = kept.close().then(() => node.leave());
      await awaited(left, limits, kept.path, 'not deleted');
    };
    return { id, signal: lost.signal, leave, [Symbol.asyncDispose]: () => leave() };
  }

  /** The ids of all members, sorted. Like any read, it may be stale. @throws ZooKeeperError */
  ids(options: WaitOptions = {}): Promise<readonly string[]> {
    return this.within(options, async (wait) => [...(await childrenOf(wait, this.path))].sort());
  }

  /** All members with their data, sorted by id. @throws ZooKeeperError */
  members(options: WaitOptions = {}): Promise<readonly Member[]> {
    return this.within(options, async (wait) => {
      const ids = await this.ids({ signal: wait.signal });
      const found = ids.map(async (id) => {
        const znode = await readIfThere(wait, childPath(this.path, id));
        return znode === undefined ? [] : [{ id, data: znode.data ?? Buffer.alloc(0) }];
      });
      return (await Promise.all(found)).flat();
    });
  }

  /**
   * The current ids, and those after each change. Throws if the signal aborts or the session ends.
   */
  async *changes(options: LoopOptions = {}): AsyncGenerator<readonly string[], never> {
    const { path } = this;
    const wait = this.waitOf(checkLoopOptions(options).signal);
    for await (const ids of watched(wait, (watches) => watchChildren(wait, path, watches))) {
      yield [...(ids ?? [])].sort();
    }
    throw new Error('watched() never ends');
  }
}
