/**
 * A place in a line: an ephemeral sequential znode with a GUID in its name, as the Recipes page
 * requires ("Recoverable Errors and the GUID"). After a lost reply to its create, the GUID
 * identifies the znode.
 *
 * ```
 *   /parent/_c_<guid>-<kind>-0000000003     the lowest has the turn,
 *   /parent/_c_<guid>-<kind>-0000000004     the others each watch the one before
 * ```
 */
import { randomUUID } from 'node:crypto';
import type { ZooKeeperClient } from '../client/base/client.js';
import { endOfSession } from '../client/base/errors.js';
import { CreateModes } from '../protocol/create-mode.js';
import type { ACL } from '../protocol/data.js';
import { baseName, childPath } from '../protocol/path.js';
import { RecipeError } from './errors.js';
import { type Member, parseMembers } from './members.js';
import { isLoss, once, retried, untilConnected, type Wait } from './session.js';
import { childrenOf, createOptions, deleteIfThere, makeAbove, untilOneChanged } from './znodes.js';

/** A line; other children of the same parent are ignored. */
export interface Line {
  readonly client: ZooKeeperClient;
  readonly parent: string;
  /** The kind in the name of a place. */
  readonly kind: string;
  /** The kinds of places in this line. Default: only `kind`. */
  readonly kinds?: readonly string[];
  /**
   * Chooses, of the places before this one, those of which one must go first; none means its turn
   * has come. Default: the last one, so that each wakes one other.
   */
  readonly blockers?: (before: readonly Member[]) => readonly Member[];
  /** ACL of the znodes; every process in the line must be able to read the others'. */
  readonly acl?: readonly ACL[] | undefined;
}

export class SequenceNode {
  private readonly line: Line;
  /** The path up to the sequence number. */
  private readonly prefix: string;
  private created: string | undefined;
  private leaving: Promise<void> | undefined;

  constructor(line: Line) {
    this.line = line;
    this.prefix = childPath(line.parent, `_c_${randomUUID()}-${line.kind}-`);
  }

  /** With its sequence number, once it has entered. */
  get path(): string {
    return this.created ?? this.prefix;
  }

  get name(): string {
    return baseName(this.path);
  }

  /**
   * Creates the znode, and missing parents. After a rejection the znode may exist: call leave().
   */
  async enter(data: Buffer, signal?: AbortSignal): Promise<void> {
    const wait = this.wait(signal);
    const { client, acl } = this.line;
    const options = createOptions(CreateModes.EPHEMERAL_SEQUENTIAL, acl);
    while (this.created === undefined) {
      try {
        this.created = (await once(wait, () => client.create(this.prefix, data, options))).path;
      } catch (error) {
        if (isLoss(error)) {
          await untilConnected(wait);
          [this.created] = await this.find(wait);
        } else {
          await makeAbove(error, wait, this.prefix, acl);
        }
      }
    }
  }

  /**
   * Resolves when no place before this one blocks it.
   * @throws RecipeError ELOST when the znode was deleted
   */
  async waitForTurn(signal?: AbortSignal): Promise<void> {
    const wait = this.wait(signal);
    const blockersOf = this.line.blockers ?? ((before) => before.slice(-1));
    for (;;) {
      const members = await this.members(wait);
      const index = members.findIndex(({ name }) => name === this.name);
      if (index === -1) {
        throw new RecipeError('ELOST', `${this.path} was deleted while it waited for its turn`);
      }
      const blockers = blockersOf(members.slice(0, index));
      if (blockers.length === 0) return;
      await untilOneChanged(
        wait,
        blockers.map(({ name }) => childPath(this.line.parent, name)),
      );
    }
  }

  /**
   * Deletes the znode, and retries after a lost connection. Resolves when it is gone, or when the
   * session has ended, which deletes it.
   */
  leave(): Promise<void> {
    this.leaving ??= this.remove();
    return this.leaving;
  }

  wait(signal?: AbortSignal): Wait {
    return { client: this.line.client, path: this.path, signal };
  }

  /** All places of the line, in its order. */
  async members(wait: Wait): Promise<readonly Member[]> {
    const { parent, kind, kinds } = this.line;
    return parseMembers(await childrenOf(wait, parent), kinds ?? [kind]);
  }

  private async remove(): Promise<void> {
    const wait = this.wait();
    try {
      const paths = this.created === undefined ? await this.find(wait) : [this.created];
      for (const path of paths) await deleteIfThere(wait, path);
    } catch (error) {
      if (endOfSession(this.line.client.state, this.path) === undefined) throw error;
    }
  }

  /**
   * Finds the znode of a create without a reply. The sync waits for the session's earlier requests,
   * which another server may not have applied yet.
   */
  private async find(wait: Wait): Promise<readonly string[]> {
    await retried(wait, () => this.line.client.sync(this.line.parent));
    return (await this.members(wait))
      .map(({ name }) => childPath(this.line.parent, name))
      .filter((path) => path.startsWith(this.prefix));
  }
}
