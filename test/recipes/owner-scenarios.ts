import * as assert from 'uvu/assert';
import { type Held, Lock } from '../../src/recipes/locks/lock.js';
import type { LockOwner } from '../../src/recipes/locks/lock-owner.js';
import { ReentrantLock } from '../../src/recipes/locks/reentrant-lock.js';
import { SharedLock } from '../../src/recipes/locks/shared-lock.js';
import { DistributedPriorityQueue } from '../../src/recipes/queues/distributed-queue.js';
import { waitFor } from '../support/wait-for.js';
import { Referee } from './referee.js';
import type { Scenario, Stage } from './scenarios.js';
import { causeOf } from './world.js';

// Who holds a lock: reentrant holds, news of the owner, a revocation by force.

async function reentrantLock({ world, subject, midpoint }: Stage): Promise<void> {
  const referee = new Referee(1);
  const mine = new ReentrantLock(subject, world.path);
  const theirs = new ReentrantLock(await world.client(), world.path);
  const [first, same] = await Promise.all([mine.acquire('a'), mine.acquire('a')]);
  const again = await mine.acquire('a');
  assert.is(mine.holdCount('a'), 3);
  assert.is(new Set([first, same, again].map((held) => held.fencingToken)).size, 1);
  const others = [mine.acquire('b'), theirs.acquire('a')];
  const served = others.map(async (other) => referee.during(await other));
  await world.members('lock', 3);
  await midpoint();
  await Promise.all([same.release(), same.release(), first.release()]);
  assert.equal([mine.holdCount('a'), mine.holdCount('b')], [1, 0]);
  await referee.during(again);
  await Promise.all(served);
  await referee.during(await mine.acquire('a'));
  referee.checkTokens(4);
}

async function owners({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new Lock(subject, world.path), new Lock(other, world.path)];
  const seen: (LockOwner | undefined)[] = [];
  const stop = new AbortController();
  const listening = (async () => {
    for await (const owner of mine.owners({ signal: stop.signal })) seen.push(owner);
  })().catch((error) => error);
  await waitFor('nobody', () => seen.length > 0);
  const first = await theirs.acquire();
  const second = mine.acquire();
  await waitFor('them', () => seen.at(-1)?.sessionId === other.sessionId);
  assert.is((await mine.owner())?.fencingToken, first.fencingToken);
  await midpoint();
  await first.release();
  const { fencingToken, release } = await second;
  await waitFor('us', () => seen.at(-1)?.fencingToken === fencingToken);
  await release();
  await waitFor('nobody', () => seen.at(-1) === undefined);
  stop.abort(new Error('enough'));
  assert.is(causeOf(await listening), 'enough');
  const names = seen.map((owner) => {
    if (owner === undefined) return 'nobody';
    return owner.sessionId === other.sessionId ? 'they' : 'we';
  });
  assert.equal(names, ['nobody', 'they', 'we', 'nobody']);
}

/** The reason why a wait or a hold ended. */
function lossOf(taking: Promise<Held>): Promise<{ code?: unknown }> {
  return taking.then(
    ({ signal, release }) =>
      waitFor('the loss', () => signal.aborted)
        .then(() => release())
        .then(() => signal.reason),
    (error) => error,
  );
}

async function forcedRevocation({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new SharedLock(subject, world.path), new SharedLock(other, world.path)];
  const deaf = await theirs.acquire('write');
  const wanted = lossOf(mine.acquire('write'));
  await world.members('write', 2);
  await midpoint();
  // The place in line ends, too, at once or when it gets the lock.
  assert.is(await mine.revoke('write', { forceAfterMs: 0 }), 2);
  await waitFor('the loss', () => deaf.signal.aborted);
  assert.is(deaf.signal.reason.code, 'ELOST');
  assert.is((await wanted).code, 'ELOST');
  const polite = await theirs.acquire('write');
  const yielding = new Promise((resolve) => polite.revoked.addEventListener('abort', resolve)).then(
    () => polite.release(),
  );
  // 0 if the reply to the request was lost, because the holder is gone then.
  assert.ok((await mine.revoke('read', { forceAfterMs: 60_000 })) <= 1);
  await yielding;
  assert.not(polite.signal.aborted);
  await deaf.release();
}

async function distributedPriorityQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const mine = new DistributedPriorityQueue(subject, world.path);
  const theirs = new DistributedPriorityQueue(await world.client(), world.path);
  await mine.put('c', 7);
  await mine.put('b', -2);
  await theirs.put('d', 7);
  await midpoint();
  await mine.put('a', -(2 ** 31));
  await theirs.put('e', 2 ** 31 - 1);
  // The server of this client may be a moment behind.
  await waitFor('all items', async () => (await mine.size()) === 5);
  const taken: [string, number][] = [];
  for (const queue of [mine, theirs, mine, theirs, mine]) {
    const { data, priority } = await queue.take();
    taken.push([`${data}`, priority]);
  }
  assert.equal(taken, [
    ['a', -(2 ** 31)],
    ['b', -2],
    ['c', 7],
    ['d', 7],
    ['e', 2 ** 31 - 1],
  ]);
}

export const OWNER_SCENARIOS: readonly Scenario[] = [
  { name: 'reentrant lock', run: reentrantLock },
  { name: 'owner of a lock', run: owners },
  { name: 'forced revocation', run: forcedRevocation },
  {
    name: 'distributed priority queue',
    run: distributedPriorityQueue,
    isBuiltinOnly: true,
  },
];
