import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { absent } from '../../src/recipes/base/znodes.js';
import { LeaderElection, type Leadership } from '../../src/recipes/locks/leader-election.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { MultiLock } from '../../src/recipes/locks/multi-lock.js';
import { SharedLock } from '../../src/recipes/locks/shared-lock.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { waitFor } from '../support/wait-for.js';
import { Referee } from './referee.js';
import { causeOf, type World } from './world.js';

/** A client whose connection a test may break. */
export interface Stage {
  readonly world: World;
  readonly subject: ZooKeeperClient;
  /** Called once, in the middle of the recipe. */
  midpoint(): Promise<void>;
}

/** The whole life of a recipe, with its guarantees checked from outside. It leaves no znodes. */
export interface Scenario {
  readonly name: string;
  /** Whether it needs a feature that the native client lacks. */
  readonly isBuiltinOnly?: boolean;
  run(stage: Stage): Promise<void>;
}

async function lock({ world, subject, midpoint }: Stage): Promise<void> {
  const referee = new Referee(1);
  const [a, b] = [await world.client(), await world.client()];
  const first = await new Lock(a, world.path).acquire();
  const second = new Lock(subject, world.path).acquire();
  await world.members('lock', 2);
  const third = new Lock(b, world.path).acquire();
  await world.members('lock', 3);
  await midpoint();
  await referee.during(first);
  await referee.during(await second);
  const again = new Lock(subject, world.path).acquire();
  await referee.during(await third);
  await referee.during(await again);
  referee.checkTokens(4);
}

async function multiLock({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [a, b] = [`${world.path}/locks`, `${world.path}/leases`];
  const [mine, theirs] = [new MultiLock(subject, [a, b]), new MultiLock(other, [b, a])];
  let holders = 0;
  const tokens: bigint[] = [];
  const work = async (lock: MultiLock): Promise<void> => {
    const held = await lock.acquire();
    assert.is(++holders, 1, 'one holds both');
    assert.not(held.signal.aborted);
    tokens.push(held.fencingTokens.get(a) ?? 0n);
    await world.observer.sync(a);
    assert.is(--holders, 0, 'nobody else came');
    await held.release();
  };
  const single = await new Lock(other, b).acquire();
  const waiting = [work(mine), work(theirs)];
  const refused = mine.acquire({ timeoutMs: 1 }).catch((error) => error.code);
  assert.is(await refused, 'ETIMEDOUT');
  await midpoint();
  await single.release();
  await Promise.all([...waiting, work(mine)]);
  assert.is(new Set(tokens).size, 3);
}

async function sharedLock({ world, subject, midpoint }: Stage): Promise<void> {
  const referee = new Referee(2);
  const other = await world.client();
  const [mine, theirs] = [new SharedLock(subject, world.path), new SharedLock(other, world.path)];
  const readers = [await mine.acquire('read'), await theirs.acquire('read')] as const;
  const writer = mine.acquire('write');
  await world.members('write', 1);
  const alone = new Lock(other, world.path).acquire();
  await world.members('lock', 1);
  const late = theirs.acquire('read');
  await world.members('read', 3);
  await midpoint();
  await Promise.all(readers.map((held) => referee.during(held)));
  await referee.during(await writer, undefined, 'write');
  await referee.during(await alone, undefined, 'write');
  await referee.during(await late);
  assert.is(referee.tokens.length, 5);
}

async function revocation({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new SharedLock(subject, world.path), new SharedLock(other, world.path)];
  const held = await mine.acquire('write');
  const stop = new AbortController();
  const leaving = mine
    .acquire('write', { signal: stop.signal, onRevoked: () => stop.abort(new Error('asked')) })
    .catch((error) => error);
  const [, waiting] = await world.members('write', 2);
  const wanted = theirs.acquire('read');
  await world.members('read', 1);
  await midpoint();
  // The place may leave before a lost reply is asked for again.
  await world.observer.setData(`${world.path}/${waiting}`, 'unlock').catch(absent);
  assert.is(causeOf(await leaving), 'asked');
  await world.members('write', 1);
  assert.is(await theirs.revoke('read'), 1);
  await waitFor('the holder to be asked', () => held.revoked.aborted);
  assert.not(held.signal.aborted);
  await held.release();
  const next = await wanted;
  assert.not(next.revoked.aborted);
  assert.is(await mine.revoke('read'), 0);
  assert.is(await mine.revoke('write'), 1);
  await waitFor('the reader to be asked', () => next.revoked.aborted);
  await next.release();
}

async function semaphore({ world, subject, midpoint }: Stage): Promise<void> {
  const referee = new Referee(2);
  const other = await world.client();
  const options = { permits: 2 };
  const [mine, theirs] = [
    new Semaphore(subject, world.path, options),
    new Semaphore(other, world.path, options),
  ];
  const [first, second] = [await mine.acquire(), await theirs.acquire()];
  const waiting = [mine.acquire(), theirs.acquire(), mine.acquire()];
  await midpoint();
  const all = waiting.map(async (each) => referee.during(await each));
  await Promise.all([referee.during(first), referee.during(second), ...all]);
  // Simultaneous holders may learn their tokens in any order.
  assert.is(new Set(referee.tokens).size, 5);
}

async function election({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [
    new LeaderElection(subject, world.path, { id: 'mine' }),
    new LeaderElection(other, world.path, { id: 'theirs' }),
  ];
  const told: (string | undefined)[] = [];
  const stop = new AbortController();
  const listening = (async () => {
    const listener = new LeaderElection(world.observer, world.path, { id: 'nobody' });
    for await (const id of listener.changes({ signal: stop.signal })) told.push(id);
  })().catch((error) => error);
  const tokens: bigint[] = [];
  const lead = async ({ acknowledge, fencingToken }: Leadership, id: string) => {
    tokens.push(fencingToken);
    await acknowledge();
    assert.is(await (id === 'mine' ? mine : theirs).acknowledged(), id);
    await waitFor(`the listener to hear of ${id}`, () => told.at(-1) === id);
  };
  const successors: Promise<void>[] = [];
  await mine.lead({
    onElected: async (leadership) => {
      successors.push(theirs.lead({ onElected: (theirLead) => lead(theirLead, 'theirs') }));
      await world.members('latch', 2);
      await midpoint();
      assert.is(await theirs.leader(), 'mine');
      await lead(leadership, 'mine');
    },
  });
  await Promise.all(successors);
  assert.ok(tokens.length === 2 && (tokens[1] ?? 0n) > (tokens[0] ?? 0n));
  await waitFor('the listener to hear that nobody leads', () => told.at(-1) === undefined);
  stop.abort(new Error('enough'));
  assert.is(causeOf(await listening), 'enough');
}

export const LOCK_SCENARIOS: readonly Scenario[] = [
  { name: 'lock', run: lock },
  { name: 'multi-lock', run: multiLock },
  { name: 'shared lock', run: sharedLock },
  { name: 'revocable shared lock', run: revocation },
  { name: 'semaphore', run: semaphore },
  { name: 'leader election', run: election },
];
