import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { ReentrantLock } from '../../src/recipes/locks/reentrant-lock.js';
import { SharedLock } from '../../src/recipes/locks/shared-lock.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { causeOf, failureOf, inWorld, type World } from './world.js';

function worldTest(name: string, run: (world: World) => Promise<void>): void {
  test(name, async () => {
    const server = await startBundled({ config: { tickTime: '500' } });
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
}

worldTest(
  'an owner that lost a reentrant lock takes it again after its releases',
  async (world) => {
    const lock = new ReentrantLock(await world.client(), world.path);
    const owner = { job: 7 };
    const holds = [await lock.acquire(owner), await lock.acquire(owner)];
    const [name] = await world.members('lock', 1);
    await world.observer.delete(`${world.path}/${name}`);
    await waitFor('the loss', () => holds.every(({ signal }) => signal.aborted));
    assert.is((await failureOf(lock.acquire(owner))).code, 'ELOST');
    for (const held of holds) await held.release();
    await holds[0]?.release();
    assert.is(lock.holdCount(owner), 0);
    const held = await lock.acquire(owner);
    assert.is((await failureOf(lock.acquire({ job: 7 }, { timeoutMs: 1 }))).code, 'ETIMEDOUT');
    await held.release();
  },
);

worldTest('an aborted call does not end the wait of another call of its owner', async (world) => {
  const [mine, theirs] = [
    new ReentrantLock(await world.client(), world.path),
    new ReentrantLock(await world.client(), world.path),
  ];
  const held = await theirs.acquire('a');
  const stop = new AbortController();
  const first = failureOf(mine.acquire('b', { signal: stop.signal }));
  const second = mine.acquire('b');
  const late = failureOf(mine.acquire('b', { timeoutMs: 1 }));
  assert.is((await late).code, 'ETIMEDOUT');
  await world.members('lock', 2);
  stop.abort(new Error('enough'));
  assert.is(causeOf(await first), 'enough');
  await held.release();
  await (await second).release();
  assert.is(mine.holdCount('b'), 0);
  await world.members('lock', 0);
});

worldTest('a place in line that is asked to release learns it with the lock', async (world) => {
  const [mine, theirs] = [
    new SharedLock(await world.client(), world.path),
    new SharedLock(await world.client(), world.path),
  ];
  const held = await mine.acquire('write');
  const waiting = theirs.acquire('write');
  await world.members('write', 2);
  assert.is(await mine.revoke('write'), 2);
  await waitFor('the request', () => held.revoked.aborted);
  await held.release();
  const next = await waiting;
  assert.ok(next.revoked.aborted);
  assert.not(next.signal.aborted);
  await next.release();
});

worldTest(
  'a place in line learns at once that it is asked to release, and leaves',
  async (world) => {
    const [mine, theirs] = [
      new SharedLock(await world.client(), world.path),
      new SharedLock(await world.client(), world.path),
    ];
    const calls = { held: 0, deaf: 0 };
    const held = await mine.acquire('write', { onRevoked: () => calls.held++ });
    const stop = new AbortController();
    const leaving = failureOf(
      theirs.acquire('write', {
        signal: stop.signal,
        onRevoked: () => stop.abort(new Error('asked')),
      }),
    );
    await world.members('write', 2);
    const deaf = theirs.acquire('write', { onRevoked: () => calls.deaf++ });
    const [, , last] = await world.members('write', 3);
    // Other data asks for nothing, and the next change is noticed, too.
    await world.observer.setData(`${world.path}/${last}`, 'x');
    assert.is(await mine.revoke('write'), 3);
    assert.is(causeOf(await leaving), 'asked');
    await world.members('write', 2);
    await waitFor('both calls', () => calls.held === 1 && calls.deaf === 1);
    assert.not(held.signal.aborted);
    await held.release();
    const next = await deaf;
    assert.ok(next.revoked.aborted);
    await mine.revoke('write');
    await next.release();
    assert.equal(calls, { held: 1, deaf: 1 });
  },
);

worldTest('an election tells its candidates in their order', async (world) => {
  const clients = [await world.client(), await world.client()];
  const observed = new LeaderElection(world.observer, world.path, { id: 'nobody' });
  assert.equal(await observed.candidates(), []);
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const leading: Promise<void>[] = [];
  for (const [at, client] of clients.entries()) {
    const election = new LeaderElection(client, world.path, { id: `${at}` });
    leading.push(election.lead({ onElected: () => finished }));
    await world.members('latch', at + 1);
  }
  assert.equal(await observed.candidates(), ['0', '1']);
  finish();
  await Promise.all(leading);
});

test.run();
