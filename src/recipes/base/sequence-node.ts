/**
 * A place in a line: an ephemeral sequential znode. The GUID in its name, as in
 * `_c_<guid>-lock-0000000003`, identifies it after a lost reply (Recipes page, "Recoverable Errors
 * and the GUID"). The place with the lowest number has the turn, each other one watches the one
 * before.
 */
import { randomUUID } from 'node:crypto';
import type { CallOptions, ZooKeeperClient } from '../../client/base/client.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { baseName, childPath } from '../../protocol/path.js';
import { RecipeError } from './errors.js';
import { awaited, type WaitOptions } from './limit.js';
import { kindText, type Member, parseMembers } from './members.js';
import { hasEnded, Losses, once, retried, untilConnected, type Wait } from './session.js';
import {
  childrenOf,
  createParent,
  deleteIfThere,
  readIfThere,
  untilOneChanged,
  type Znode,
} from './znodes.js';

export interface Line {
  readonly client: ZooKeeperClient;
  readonly parent: string;
  readonly kind: string;
  /** Default: only `kind`. */
  readonly kinds?: readonly string[];
  /**
   * Selects the places before this one that block it; it waits for a change of any. An empty result
   * means its turn, undefined that only the rule blocks it. Default: the last place, so that each
   * place wakes one other.
   */
  readonly blockers?: (
    before: readonly Member[],
    rule: Znode | undefined,
  ) => readonly Member[] | undefined;
  /** A znode that `blockers` needs; a change of it wakes all waiters. */
  readonly rulePath?: string;
  /** As of HoldOptions. */
  readonly isPlace?: boolean;
  /** Every process in the line must be able to read all its places. */
  readonly acl?: readonly ACL[] | undefined;
}

const lastOf = (before: readonly Member[]): readonly Member[] => before.slice(-1);

export class SequenceNode {
  private readonly line: Line;
  private readonly prefix: string;
  private created: string | undefined;
  /** The last call of enter(), also after it ended. */
  private entering: Promise<void> | undefined;
  private leaving: Promise<void> | undefined;

  constructor(line: Line) {
    this.line = line;
    this.prefix = childPath(line.parent, `_c_${randomUUID()}-${kindText(line.kind)}`);
  }

  get path(): string {
    return this.created ?? this.prefix;
  }

  get name(): string {
    return baseName(this.path);
  }

  /** Creates the znode and missing parents. After a rejection the znode may exist: call leave(). */
  enter(data: Buffer, signal?: AbortSignal): Promise<void> {
    this.entering = this.create(data, signal);
    return this.entering;
  }

  private async create(data: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const wait = this.wait(signal);
    const { client, acl } = this.line;
    const options = { mode: CreateModes.EPHEMERAL_SEQUENTIAL, acl };
    const losses = new Losses(wait);
    while (this.created === undefined) {
      try {
        const create = (call: CallOptions) =>
          client.create(this.prefix, data, { ...options, ...call });
        this.created = (await once(wait, create)).path;
      } catch (error) {
        if (losses.mayRepeat(error)) {
          await untilConnected(wait);
          [this.created] = await this.find(wait);
        } else {
          await createParent(error, wait, this.prefix, acl);
        }
      }
    }
  }

  /**
   * @param line the members, if they are known; those of a line without a rule
   * @throws RecipeError ELOST if the znode was deleted
   */
  async waitForTurn(signal?: AbortSignal, line?: readonly Member[]): Promise<void> {
    const wait = this.wait(signal);
    const { parent, rulePath } = this.line;
    for (let known = line; ; known = undefined) {
      const { blockers, rule } = await this.blockers(wait, known);
      if (blockers?.length === 0) return;
      const paths = blockers?.map(({ name }) => childPath(parent, name)) ?? [];
      const rules = rulePath === undefined ? [] : [{ path: rulePath, mzxid: rule?.stat.mzxid }];
      await untilOneChanged(wait, paths, rules);
    }
  }

  /** Whether nothing blocks this place. @throws RecipeError ELOST if the znode was deleted */
  async hasTurn(signal?: AbortSignal): Promise<boolean> {
    const { blockers } = await this.blockers(this.wait(signal));
    return blockers?.length === 0;
  }

  /** As of Line.blockers, with the rule that it read. */
  private async blockers(
    wait: Wait,
    known?: readonly Member[],
  ): Promise<{ blockers: readonly Member[] | undefined; rule: Znode | undefined }> {
    const { rulePath, blockers: blockersOf = lastOf } = this.line;
    const rule = rulePath === undefined ? undefined : await readIfThere(wait, rulePath);
    const members = known ?? (await this.members(wait));
    const index = members.findIndex(({ name }) => name === this.name);
    if (index === -1) {
      throw new RecipeError('ELOST', this.path, 'deleted while it waited for its turn');
    }
    return { blockers: blockersOf(members.slice(0, index), rule), rule };
  }

  /** Deletes the znode, also after lost connections, or waits for the end of the session. */
  async leave(options: WaitOptions = {}): Promise<void> {
    this.leaving ??= this.remove();
    await awaited(this.leaving, options, this.path, 'not deleted');
  }

  /** The znode is deleted, as a request of the caller found out. */
  hasLeft(): void {
    this.leaving = Promise.resolve();
  }

  wait(signal?: AbortSignal): Wait {
    return { client: this.line.client, path: this.path, signal };
  }

  async members(wait: Wait): Promise<readonly Member[]> {
    const { parent, kind, kinds } = this.line;
    return parseMembers(await childrenOf(wait, parent), kinds ?? [kind]);
  }

  private async remove(): Promise<void> {
    try {
      await this.erase();
    } catch (error) {
      if (!hasEnded(this.line.client, error)) throw error;
    }
  }

  /** Deletes the znode, also one of an ended session, which a server may still have. */
  async erase(signal?: AbortSignal): Promise<void> {
    const wait = this.wait(signal);
    // Only then it is clear what exists: a create with a missing parent is sent again.
    await this.entering?.catch(() => undefined);
    const paths = this.created === undefined ? await this.find(wait) : [this.created];
    for (const path of paths) await deleteIfThere(wait, path);
  }

  /**
   * Finds the znode after a lost reply. The sync makes earlier requests of the session visible,
   * which this server may not have applied yet.
   */
  private async find(wait: Wait): Promise<readonly string[]> {
    await retried(wait, (call) => this.line.client.sync(this.line.parent, call));
    return (await this.members(wait))
      .map(({ name }) => childPath(this.line.parent, name))
      .filter((path) => path.startsWith(this.prefix));
  }
}
