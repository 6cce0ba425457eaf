/**
 * A place in a queue: an ephemeral sequential znode whose name holds a GUID, as the Recipes page
 * asks ("Recoverable Errors and the GUID"). When the reply to its create is lost, the znode is found
 * again by the GUID instead of being made twice.
 *
 * ```
 *   /parent/_c_<guid>-<kind>-0000000003     the lowest has the turn,
 *   /parent/_c_<guid>-<kind>-0000000004     each other one watches the one before it
 * ```
 */
import { randomUUID } from 'node:crypto';
import type { CreateOptions, ZooKeeperClient } from '../client/client.js';
import { UnsupportedError } from '../client/errors.js';
import { type CreateMode, CreateModes } from '../protocol/create-mode.js';
import type { ACL } from '../protocol/data.js';
import { childPath, parentPath, pathFault } from '../protocol/path.js';
import { RecipeError } from './errors.js';
import {
  endOfSession,
  hasCode,
  isLoss,
  once,
  retried,
  untilConnected,
  type Wait,
  whileAlive,
} from './session.js';

/** Which queue: members of another kind under the same parent are not looked at. */
export interface Queue {
  readonly client: ZooKeeperClient;
  readonly parent: string;
  readonly kind: string;
  /** Of the znodes made; whoever queues must be able to read the others'. */
  readonly acl?: readonly ACL[] | undefined;
}

/** @throws RangeError when the path is none */
export function checkQueuePath(path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw new RangeError(`"${path}" is not a path: ${fault}`);
}

/**
 * The children that are members of a queue, in its order. A sequence number is a signed 32-bit
 * counter that wraps around, so what counts is which of two is ahead, not which is larger.
 */
export function membersOf(children: readonly string[], kind: string): readonly string[] {
  const pattern = new RegExp(`^_c_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-${kind}-(-?\\d+)$`);
  return children
    .flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, sequence: Number(digits) }];
    })
    .sort((a, b) => (a.sequence - b.sequence) | 0)
    .map(({ name }) => name);
}

export class SequenceNode {
  private readonly queue: Queue;
  /** The path up to the sequence number. */
  private readonly prefix: string;
  private created: string | undefined;
  private leaving: Promise<void> | undefined;

  constructor(queue: Queue) {
    this.queue = queue;
    this.prefix = childPath(queue.parent, `_c_${randomUUID()}-${queue.kind}-`);
  }

  /** With its sequence number, once it is entered. */
  get path(): string {
    return this.created ?? this.prefix;
  }

  /**
   * Makes the znode, and its parents where they are missing. When it rejects, the znode may be
   * there: call leave().
   */
  async enter(data: Buffer, signal?: AbortSignal): Promise<void> {
    const wait = this.wait(signal);
    const { client, parent } = this.queue;
    const options = this.options(CreateModes.EPHEMERAL_SEQUENTIAL);
    while (this.created === undefined) {
      try {
        this.created = (await once(wait, () => client.create(this.prefix, data, options))).path;
      } catch (error) {
        if (hasCode(error, 'NONODE')) {
          await this.makeParent(parent, wait);
        } else if (isLoss(error)) {
          await untilConnected(wait);
          [this.created] = await this.find(wait);
        } else {
          throw error;
        }
      }
    }
  }

  /**
   * Resolves when no member of the queue is before this one.
   * @throws RecipeError ELOST when someone else deleted the znode
   */
  async waitForTurn(signal?: AbortSignal): Promise<void> {
    const wait = this.wait(signal);
    for (;;) {
      const members = await this.members(wait);
      const index = members.indexOf(this.path);
      if (index === -1) {
        throw new RecipeError('ELOST', `${this.path} was deleted by someone else while it waited`);
      }
      const before = members[index - 1];
      if (before === undefined) return;
      await this.untilChanged(before, wait);
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
    return { client: this.queue.client, path: this.path, signal };
  }

  private async remove(): Promise<void> {
    const { client } = this.queue;
    const wait = this.wait();
    try {
      const paths = this.created === undefined ? await this.find(wait) : [this.created];
      for (const path of paths) {
        await retried(wait, () => client.delete(path)).catch((error) => {
          if (!hasCode(error, 'NONODE')) throw error;
        });
      }
    } catch (error) {
      if (endOfSession(client.state, this.path) === undefined) throw error;
    }
  }

  /**
   * What a create whose reply never came has made. The sync waits for what the leader had from this
   * session, which the server that is asked now may not have seen yet.
   */
  private async find(wait: Wait): Promise<readonly string[]> {
    await retried(wait, () => this.queue.client.sync(this.queue.parent));
    return (await this.members(wait)).filter((path) => path.startsWith(this.prefix));
  }

  private async members(wait: Wait): Promise<readonly string[]> {
    const { client, parent, kind } = this.queue;
    try {
      const { children } = await retried(wait, () => client.getChildren(parent));
      return membersOf(children, kind).map((name) => childPath(parent, name));
    } catch (error) {
      if (hasCode(error, 'NONODE')) return [];
      throw error;
    }
  }

  /** Watches by getData: exists would leave a watch behind on a znode that is gone for good. */
  private untilChanged(path: string, wait: Wait): Promise<void> {
    const { client } = this.queue;
    return whileAlive(wait, (resolve, reject) => {
      const watch = (): void => resolve();
      retried(wait, () => client.getData(path, { watch })).catch((error) => {
        if (hasCode(error, 'NONODE')) resolve();
        else reject(error);
      });
      return () => undefined;
    });
  }

  /** Containers, so that the server removes them again when the queue is empty. */
  private async makeParent(path: string, wait: Wait): Promise<void> {
    const make = (mode: CreateMode) =>
      retried(wait, () => this.queue.client.create(path, Buffer.alloc(0), this.options(mode)));
    try {
      await make(CreateModes.CONTAINER).catch((error) => {
        const isUnknown = error instanceof UnsupportedError || hasCode(error, 'UNIMPLEMENTED');
        if (!isUnknown) throw error;
        return make(CreateModes.PERSISTENT);
      });
    } catch (error) {
      if (hasCode(error, 'NODEEXISTS')) return;
      const above = parentPath(path);
      // Below the root a missing parent is a missing chroot, which is not ours to make.
      if (!hasCode(error, 'NONODE') || above === '/' || above === '') throw error;
      await this.makeParent(above, wait);
      await this.makeParent(path, wait);
    }
  }

  private options(mode: CreateMode): CreateOptions {
    const { acl } = this.queue;
    return acl === undefined ? { mode } : { mode, acl };
  }
}
