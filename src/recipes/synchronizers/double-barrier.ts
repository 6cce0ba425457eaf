import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkWhole } from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkRecipe, checkWaitOptions } from '../base/arguments.js';
import { type Hold, hold } from '../base/hold.js';
import { cleanedUp, limited, type WaitOptions, whileHeld } from '../base/limit.js';
import { membersOf } from '../base/members.js';
import { type Line, SequenceNode } from '../base/sequence-node.js';
import type { Wait } from '../base/session.js';
import { placeOf } from '../base/turn.js';
import {
  childrenOf,
  deleteIfThere,
  makePersistent,
  NO_DATA,
  readIfThere,
  untilOneChanged,
  type WaitWatches,
  watched,
  watchPresence,
  type ZnodeOptions,
} from '../base/znodes.js';

export interface DoubleBarrierOptions extends ZnodeOptions {
  /** Number of processes that must enter before any begins; the same for all users of a path. */
  readonly count: number;
}

/** A place in a double barrier. */
export interface Entered {
  /** Aborted when the place is lost; see Held.signal. */
  readonly signal: AbortSignal;
  /**
   * Waits until all processes of the round have left. An aborted leave() counts as left.
   * @throws TimeoutError, RequestAbortedError, ZooKeeperError
   */
  leave(options?: WaitOptions): Promise<void>;
  /** leave() without a limit, for `await using entered = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const READY = 'ready';

/**
 * Lets `count` processes begin together and end together (Recipes page, "Double Barriers").
 *
 * Layout: `<path>/_c_<guid>-process-<sequence>`, ephemeral and empty, one per process; and
 * `<path>/ready`, persistent, created by the process that completes the round. Its data are the
 * names of the processes, one per line. A `ready` without living processes is left from a crash;
 * the next process deletes it. Other children are ignored.
 *
 * Guarantees: no process begins before `count` have entered. leave() resolves only when all
 * processes of the round have left, or their sessions have ended. Each process wakes once to begin,
 * by `ready`, and once to end: the first process watches the last one, each other process the
 * first. The path is reusable at once: a late leaver does not wait for the next round.
 * @example
 * const barrier = new DoubleBarrier(client, '/round', { count: 3 });
 * const entered = await barrier.enter({ timeoutMs: 60_000 });
 * await entered.leave();
 */
export class DoubleBarrier {
  private readonly line: Line;
  private readonly count: number;
  private readonly ready: string;

  /** @throws RangeError for an invalid path or `count` (a whole number from 1) */
  constructor(client: ZooKeeperClient, path: string, options: DoubleBarrierOptions) {
    const { count, acl } = checkRecipe(client, path, options, ['count', 'acl']);
    checkWhole('options.count', count, 1);
    this.line = { client, parent: path, kind: 'process', acl };
    this.count = count;
    this.ready = childPath(path, READY);
  }

  /**
   * Waits until enough processes have entered. A rejection deletes the place in the background.
   * @throws RecipeError ELOST; TimeoutError, RequestAbortedError, ZooKeeperError
   */
  enter(options: WaitOptions = {}): Promise<Entered> {
    let earlier: SequenceNode | undefined;
    return limited(options, placeOf(this.line), 'not all members entered', async (signal) => {
      // In the next session: the place of the last one must not count as another process.
      await earlier?.erase(signal);
      const node = new SequenceNode(this.line);
      earlier = node;
      let held: Hold | undefined;
      try {
        await node.enter(NO_DATA, signal);
        held = await hold(node.wait(signal));
        const { stop } = held;
        await whileHeld(held.signal, signal, async (whileIn) => {
          const wait = node.wait(whileIn);
          for await (const isReady of watched(wait, (watches) => this.isReady(wait, watches))) {
            if (isReady) return;
          }
        });
        const leave = async (leaveOptions: WaitOptions = {}): Promise<void> => {
          checkWaitOptions(leaveOptions);
          stop();
          return this.leave(node, leaveOptions);
        };
        return { signal: held.signal, leave, [Symbol.asyncDispose]: () => leave() };
      } catch (error) {
        held?.stop();
        node.leave().catch(() => undefined);
        throw error;
      }
    });
  }

  private async leave(node: SequenceNode, options: WaitOptions): Promise<void> {
    try {
      await limited(options, placeOf(this.line), 'not all members left', async (signal) => {
        const wait = node.wait(signal);
        await this.leaveWith(await this.present(wait), node, wait);
      });
    } catch (error) {
      node.leave().catch(() => undefined);
      throw error;
    }
  }

  /** @param round the processes of this round; later ones belong to the next */
  private async leaveWith(round: readonly string[], node: SequenceNode, wait: Wait): Promise<void> {
    for (;;) {
      const present = (await this.present(wait)).filter((name) => round.includes(name));
      const others = present.filter((name) => name !== node.name);
      const [first = node.name] = present;
      if (others.length === 0) {
        await this.dropStaleReady(wait, node.name);
        await cleanedUp(node.leave(), wait.signal);
        return;
      }
      const awaited = first === node.name ? others.at(-1) : first;
      if (first !== node.name) await cleanedUp(node.leave(), wait.signal);
      await untilOneChanged(wait, [childPath(this.line.parent, awaited ?? first)]);
    }
  }

  private async isReady(wait: Wait, watches: WaitWatches): Promise<boolean> {
    const { parent, acl } = this.line;
    for (;;) {
      const isThere = await watchPresence(wait, this.ready, watches);
      if (isThere && !(await this.dropStaleReady(wait))) return true;
      if (isThere) continue;
      const present = await this.present(wait);
      if (present.length < this.count) return false;
      await makePersistent(wait, childPath(parent, READY), Buffer.from(present.join('\n')), acl);
      return true;
    }
  }

  private async present(wait: Wait): Promise<readonly string[]> {
    return membersOf(await childrenOf(wait, this.line.parent), this.line.kind);
  }

  /**
   * Deletes a `ready` if none of its processes is left.
   * @param leaving does not count as a process
   * @returns whether `ready` does not exist now
   */
  private async dropStaleReady(wait: Wait, leaving?: string): Promise<boolean> {
    const found = await readIfThere(wait, this.ready);
    if (found === undefined) return true;
    const names = new Set(found.data?.toString().split('\n'));
    const present = await this.present(wait);
    if (present.some((name) => name !== leaving && names.has(name))) return false;
    await deleteIfThere(wait, this.ready);
    return true;
  }
}
