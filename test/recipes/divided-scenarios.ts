import * as assert from 'uvu/assert';
import { retryingClient } from '../../src/client/retry/retrying-client.js';
import { Partitioner } from '../../src/recipes/groups/partitioner.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/groups/service-cache.js';
import { ServiceProvider } from '../../src/recipes/groups/service-provider.js';
import { LockingQueue } from '../../src/recipes/queues/locking-queue.js';
import { waitFor } from '../support/wait-for.js';
import type { Scenario, Stage } from './scenarios.js';
import { causeOf } from './world.js';

// Work that several clients divide among themselves.

async function lockingQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [
    new LockingQueue(subject, world.path),
    new LockingQueue(other, world.path),
  ];
  await mine.putAll(['b', 'c']);
  await theirs.put('a', 0);
  await retryingClient(subject).sync(world.path);
  const first = await mine.take();
  await retryingClient(other).sync(world.path);
  const second = await theirs.take();
  assert.equal([`${first.data}`, first.priority, `${second.data}`], ['a', 0, 'b']);
  assert.is(await mine.size(), 3);
  await midpoint();
  assert.not(first.signal.aborted);
  await first.release();
  await first.release();
  const again = await mine.take();
  assert.equal([`${again.data}`, again.name], ['a', first.name]);
  assert.ok(again.fencingToken > first.fencingToken);
  await retryingClient(other).sync(world.path);
  const third = await theirs.take();
  await Promise.all([again.done(), again.done(), second.done(), third.done()]);
  await again.release();
  const waiting = mine.take();
  await world.members('taker', 1);
  const next = theirs.take();
  await world.members('taker', 2);
  await mine.put('d');
  const fourth = await waiting;
  await theirs.put('e');
  const fifth = await next;
  assert.equal([`${fourth.data}`, `${fifth.data}`], ['d', 'e']);
  await fourth.done();
  await fifth.done();
  await retryingClient(subject).sync(world.path);
  assert.is(await mine.size(), 0);
}

async function partitioner({ world, subject, midpoint }: Stage): Promise<void> {
  const names = ['p1', 'p2', 'p3'];
  const other = await world.client();
  const owners = new Map<string, string>();
  const join = (client: typeof subject, id: string) => {
    const stop = new AbortController();
    const options = { id, names, settleMs: 5 };
    const running = async (): Promise<void> => {
      const { signal: leaving } = stop;
      const loop = new Partitioner(client, world.path, options).allocations({ signal: leaving });
      for await (const { mine, signal } of loop) {
        for (const name of mine) {
          assert.is(owners.get(name), undefined);
          owners.set(name, id);
        }
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve());
        });
        for (const name of mine) owners.delete(name);
      }
    };
    const done = running().catch((error) => error);
    return async () => {
      stop.abort(new Error('enough'));
      assert.is(causeOf(await done), 'enough');
    };
  };
  const text = () => names.map((name) => owners.get(name)).join('');
  const leave = join(subject, 'a');
  await waitFor('one member', () => text() === 'aaa');
  const leaveOther = join(other, 'b');
  await waitFor('two members', () => text() === 'aba');
  await midpoint();
  await leaveOther();
  await waitFor('one member again', () => text() === 'aaa');
  await leave();
  await waitFor('no leftovers', async () => (await world.leftovers()).length === 0);
}

async function serviceProvider({ world, subject, midpoint }: Stage): Promise<void> {
  const directory = new ServiceDirectory(await world.client(), world.path);
  const a = await directory.announce('web', 'a', '1');
  const cache = await ServiceCache.open(subject, world.path);
  const provider = new ServiceProvider(cache, 'web', { down: { errors: 1 } });
  assert.is(provider.next()?.id, 'a');
  const b = await directory.announce('web', 'b', '2');
  await midpoint();
  await waitFor('both', () => provider.instances().length === 2);
  provider.failed('a');
  assert.equal([provider.next()?.id, provider.next()?.id], ['b', 'b']);
  await b.leave();
  await waitFor('none', () => provider.next() === undefined);
  await a.leave();
  await cache.close();
}

export const DIVIDED_SCENARIOS: readonly Scenario[] = [
  { name: 'locking queue', run: lockingQueue, isBuiltinOnly: true },
  { name: 'partitioner', run: partitioner },
  { name: 'service provider', run: serviceProvider, isBuiltinOnly: true },
];
