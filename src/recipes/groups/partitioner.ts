import { setTimeout } from 'node:timers/promises';
import { onAbort, throwIfAborted } from '../../client/base/abort.js';
import type { ZooKeeperClient } from '../../client/base/client.js';
import { endOfSession } from '../../client/base/errors.js';
import { checkArray, checkWhole, outOfRange, readFields } from '../../protocol/check-argument.js';
import type { ACL } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import { checkLoopOptions, checkName, checkRecipe } from '../base/arguments.js';
import { RecipeError } from '../base/errors.js';
import { cleanedUp, type LoopOptions } from '../base/limit.js';
import { NO_DATA, type ZnodeOptions } from '../base/znodes.js';
import { type Held, Lock } from '../locks/lock.js';
import { Group, type GroupMembership } from './group.js';

/** Options of a Partitioner. */
export interface PartitionerOptions extends ZnodeOptions {
  /** The name of this member; each member has its own. */
  readonly id: string;
  /** What the members divide; all of them must name the same. Each is the name of a znode. */
  readonly names: readonly string[];
  /**
   * A division begins when no member has come or gone for this time, so that members that start
   * together divide once. Default 1000.
   */
  readonly settleMs?: number | undefined;
}

/** What one member has, for as long as the signal lives. */
export interface Allocation {
  /** The names of this member, sorted. Empty if there are more members than names. */
  readonly mine: readonly string[];
  /** The fencing token of each of them; see Held. */
  readonly fencingTokens: ReadonlyMap<string, bigint>;
  /** The ids of the members that divide the names, sorted. */
  readonly members: readonly string[];
  /**
   * Aborted when the names must be given up: the members have changed, or a hold is lost. Then end
   * the work on them, and the body of the loop.
   */
  readonly signal: AbortSignal;
}

const DEFAULT_SETTLE_MS = 1000;

/**
 * Members of a group that divide a set of names among themselves, as with kazoo's SetPartitioner.
 * The Recipes page has no such recipe.
 *
 * Layout: `<path>/members/<id>`, ephemeral, a Group; and `<path>/locks/<name>`, a Lock for each
 * name. Members take the sorted names in turns, in the order of their ids.
 *
 * Guarantees: a name belongs to at most one member with a live signal, because that member holds
 * its lock. A member keeps its names until the body of its loop ends, so the others begin only
 * then. When the members stay the same and all of them end their bodies, each name belongs to one.
 * A member whose connection was lost joins again.
 * @example
 * const names = ['shard-1', 'shard-2', 'shard-3'];
 * const partitioner = new Partitioner(client, '/shards', { id: 'host-1', names });
 * for await (const { mine, signal } of partitioner.allocations()) {
 *   console.log(mine);
 *   await work(signal);
 * }
 */
export class Partitioner {
  private readonly client: ZooKeeperClient;
  private readonly path: string;
  private readonly acl: readonly ACL[] | undefined;
  private readonly id: string;
  private readonly names: readonly string[];
  private readonly settleMs: number;
  private readonly group: Group;

  /** @throws TypeError or RangeError, for example for names that occur twice */
  constructor(client: ZooKeeperClient, path: string, options: PartitionerOptions) {
    const own = ['id', 'names', 'settleMs'] as const;
    const { acl } = checkRecipe<PartitionerOptions>(client, path, options, ['acl'], own);
    const fields = readFields('options', options, own, ['acl']);
    const { id, names, settleMs = DEFAULT_SETTLE_MS } = fields;
    this.client = client;
    this.path = path;
    this.acl = acl;
    checkName(id, 'options.id');
    this.id = id;
    this.names = checkNames(names);
    this.settleMs = checkWhole('options.settleMs', settleMs, 0);
    this.group = new Group(client, childPath(path, 'members'), { acl });
  }

  /**
   * Joins the members, and yields what this one has, now and after each change. The body of the
   * loop works until the signal of the allocation aborts; if it ends earlier, the names stay with
   * this member. Leaving the loop gives up everything.
   * @throws RecipeError ETAKEN for an id that another member has; RequestAbortedError;
   * ZooKeeperError when the session ends
   */
  async *allocations(options: LoopOptions = {}): AsyncGenerator<Allocation, never> {
    const { signal = new AbortController().signal } = checkLoopOptions(options);
    for (;;) {
      const membership = await this.group.join(this.id, NO_DATA, { signal });
      const ending = new AbortController();
      try {
        const lives = AbortSignal.any([signal, membership.signal]);
        const rounds = new Rounds(this.group, AbortSignal.any([lives, ending.signal]));
        yield* this.asMember(membership, rounds, lives);
      } finally {
        ending.abort();
        await cleanedUp(membership.leave(), signal);
      }
      // The membership was lost, perhaps with the session.
      throwIfAborted(signal, this.path);
      const end = endOfSession(this.client.state, this.path);
      if (end !== undefined) throw end;
    }
  }

  /** Returns when `lives` aborts. */
  private async *asMember(
    { id }: GroupMembership,
    rounds: Rounds,
    lives: AbortSignal,
  ): AsyncGenerator<Allocation, void> {
    while (!lives.aborted) {
      const { ids, over } = await rounds.settled(id, this.settleMs, lives);
      if (lives.aborted) return;
      const limit = AbortSignal.any([lives, over]);
      const at = ids.indexOf(id);
      const mine = this.names.filter((_, i) => i % ids.length === at);
      const held = await this.lockAll(mine, limit);
      try {
        if (limit.aborted) continue;
        const locks = [...held.values()];
        const signal = AbortSignal.any([limit, ...locks.map((each) => each.signal)]);
        const fencingTokens = new Map(
          [...held].map(([name, { fencingToken }]) => [name, fencingToken] as const),
        );
        yield { mine, fencingTokens, members: ids, signal };
        await aborted(signal);
      } finally {
        await cleanedUp(releaseAll(held), lives);
      }
    }
  }

  /** Waits until all others have given these up. @returns some of them when the limit aborts */
  private async lockAll(
    names: readonly string[],
    limit: AbortSignal,
  ): Promise<ReadonlyMap<string, Held>> {
    const held = new Map<string, Held>();
    const failing = new AbortController();
    const signal = AbortSignal.any([limit, failing.signal]);
    const locking = names.map(async (name) => {
      const path = childPath(childPath(this.path, 'locks'), name);
      const lock = new Lock(this.client, path, { acl: this.acl });
      // The first error ends the waits for the other locks.
      const taking = lock.acquire({ signal }).catch((error) => failing.abort(error));
      const own = await taking;
      if (own !== undefined) held.set(name, own);
    });
    await Promise.all(locking);
    if (!failing.signal.aborted || limit.aborted) return held;
    await releaseAll(held);
    throw failing.signal.reason;
  }
}

/** The members between two changes. */
interface Round {
  readonly ids: readonly string[];
  /** Aborted at the next change. */
  readonly over: AbortSignal;
}

/** Follows the members of a group. */
class Rounds {
  private round: Round;
  private change: AbortController;
  private failure: { readonly error: unknown } | undefined;

  constructor(group: Group, signal: AbortSignal) {
    this.change = new AbortController();
    this.round = { ids: [], over: this.change.signal };
    this.follow(group, signal).catch((error: unknown) => {
      this.failure = { error };
      this.change.abort(error);
    });
  }

  /** Waits for a round with `id` that has lasted `settleMs`, or until `lives` aborts. */
  async settled(id: string, settleMs: number, lives: AbortSignal): Promise<Round> {
    for (;;) {
      const { round } = this;
      const limit = AbortSignal.any([round.over, lives]);
      if (round.ids.includes(id)) {
        await setTimeout(settleMs, undefined, { signal: limit }).catch(() => undefined);
      } else await aborted(limit);
      if (lives.aborted || !round.over.aborted) return round;
      if (this.failure !== undefined) throw this.failure.error;
    }
  }

  private async follow(group: Group, signal: AbortSignal): Promise<void> {
    for await (const ids of group.changes({ signal })) {
      const { change } = this;
      this.change = new AbortController();
      this.round = { ids, over: this.change.signal };
      change.abort(new RecipeError('ELOST', undefined, 'the members have changed'));
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => onAbort(signal, resolve));
}

async function releaseAll(held: ReadonlyMap<string, Held>): Promise<void> {
  await Promise.all([...held.values()].map((each) => each.release()));
}

/** Sorted by code units, so that every member has the same order. */
function checkNames(given: readonly string[]): readonly string[] {
  const names = checkArray('options.names', given, (name, value) => {
    checkName(value as string, name);
    return value as string;
  });
  if (new Set(names).size < names.length) {
    throw outOfRange('options.names', names, 'different names');
  }
  return [...names].sort();
}
