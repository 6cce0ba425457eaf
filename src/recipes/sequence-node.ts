/**
 * A place in a line: an ephemeral sequential znode whose name holds a GUID, as the Recipes page
 * asks ("Recoverable Errors and the GUID"). When the reply to its create is lost, the znode is
 * found again by the GUID instead of being made twice.
 *
 * ```
 *   /parent/_c_<guid>-<kind>-0000000003     the lowest has the turn,
 *   /parent/_c_<guid>-<kind>-0000000004     each other one watches the one before it
 * ```
 */
import { randomUUID } from 'node:crypto';
import type { ZooKeeperClient } from '../client/client.js';
import { CreateModes } from '../protocol/create-mode.js';
import type { ACL } from '../protocol/data.js';
import { baseName, childPath } from '../protocol/path.js';
import { RecipeError } from './errors.js';
import { type Member, parseMembers } from './members.js';
import { endOfSession, isLoss, once, retried, untilConnected, type Wait } from './session.js';
import { childrenOf, createOptions, deleteIfThere, makeAbove, untilOneChanged } from './znodes.js';

/** Which line: other children of the same parent are not looked at. */
export interface Line {
  readonly client: ZooKeeperClient;
  readonly parent: string;
  /** What stands in the name of a place. */
  readonly kind: string;
  /** Whose places are in this line. Default: those of `kind` alone. */
  readonly kinds?: readonly string[];
  /**
   * The places before one's own of which one must go before it is looked again; none when one has
   * the turn. Default: the last one, so that each wakes one other.
   */
  readonly blockers?: (before: readonly Member[]) => readonly Member[];
  /** Of the znodes made; whoever queues must be able to read the others'. */
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

  /** With its sequence number, once it is entered. */
  get path(): string {
    return this.created ?? this.prefix;
  }

  get name(): string {
    return baseName(this.path);
  }

  /**
   * Makes the znode, and its parents where they are missing. When it rejects, the znode may be
   * there: call leave().
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
   * Resolves when nobody before this one blocks it.
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
   * Takes the znode out, wherever it stands, and asks again after a lost connection. Resolves when
   * it is gone, and when the session has ended, which takes it along.
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
   * What a create whose reply never came has made. The sync waits for what the leader had from
   * this session, which the server that is asked now may not have seen yet.
   */
  private async find(wait: Wait): Promise<readonly string[]> {
    await retried(wait, () => this.line.client.sync(this.line.parent));
    return (await this.members(wait))
      .map(({ name }) => childPath(this.line.parent, name))
      .filter((path) => path.startsWith(this.prefix));
  }
}
