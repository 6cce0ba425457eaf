import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { type LockedItem, LockingQueue } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, inWorld, type World } from './world.js';

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

/** Counts the calls of one method of a client from now on. */
function count(client: ZooKeeperClient, name: 'getChildren' | 'multi'): { count: number } {
  const counter = { count: 0 };
  const own = client[name].bind(client) as (...args: unknown[]) => Promise<never>;
  client[name] = (...args: unknown[]) => {
    counter.count++;
    return own(...args);
  };
  return counter;
}

async function lossOf({ signal }: LockedItem): Promise<unknown> {
  await waitFor('the loss', () => signal.aborted);
  return signal.reason.code;
}

worldTest('locking queue: an item of a dead taker is taken again', async (world) => {
  const [dying, living] = [await world.client(), await world.client()];
  const queue = new LockingQueue(living, world.path);
  await queue.put('x');
  const lost = await new LockingQueue(dying, world.path).take();
  const waiting = queue.take();
  await world.members('taker', 1);
  await dying.close();
  const item = await waiting;
  assert.is(item.name, lost.name);
  assert.ok(item.fencingToken > lost.fencingToken);
  assert.is(await lossOf(lost), 'ELOST');
  assert.is((await failureOf(lost.done())).code, 'ELOST');
  await lost.release();
  assert.not(item.signal.aborted);
  await item.done();
  assert.equal(await world.leftovers(), []);
});

worldTest(
  'locking queue: a lock that somebody deletes is lost, and done() says so',
  async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const queue = new LockingQueue(a, world.path);
    await queue.put('x');
    const item = await queue.take();
    await world.observer.delete(`${world.path}/taken/${item.name}`);
    const theirs = await new LockingQueue(b, world.path).take();
    assert.is(await lossOf(item), 'ELOST');
    assert.is((await failureOf(item.done())).code, 'ELOST');
    await item.release();
    assert.not(theirs.signal.aborted, 'their lock stays');
    await theirs.done();
    assert.is(await queue.size(), 0);
    const other = await queue.put('y').then(() => queue.take());
    await world.observer.delete(`${world.path}/entries/${other.name}`);
    assert.is((await failureOf(other.done())).code, 'ELOST');
    await waitFor('no lock', async () => (await world.leftovers()).length === 0);
  },
);

worldTest('locking queue: done() and release() exclude each other', async (world) => {
  const queue = new LockingQueue(await world.client(), world.path);
  await queue.put('x');
  const item = await queue.take();
  await item.release();
  assert.is((await failureOf(item.done())).code, 'ELOST');
  {
    await using again = await queue.take();
    assert.is(again.name, item.name);
  }
  {
    await using again = await queue.take();
    await again.done();
  }
  assert.is(await queue.size(), 0);
});

worldTest('locking queue: each item has one taker, with many of them', async (world) => {
  const clients = await Promise.all(Array.from({ length: 6 }, () => world.client()));
  const expected = Array.from({ length: 90 }, (_, i) => String(i).padStart(2, '0'));
  const held = new Set<string>();
  const taken: string[] = [];
  const work = async (client: ZooKeeperClient): Promise<void> => {
    const queue = new LockingQueue(client, world.path);
    for (;;) {
      const item = await queue.take();
      const text = `${item.data}`;
      if (text === 'end') return item.done();
      assert.not(held.has(item.name), 'nobody else has it');
      held.add(item.name);
      const isGivenBack = text.endsWith('7') && !taken.includes(text);
      taken.push(text);
      await client.sync(world.path);
      held.delete(item.name);
      await (isGivenBack ? item.release() : item.done());
    }
  };
  const working = clients.map(work);
  const queue = new LockingQueue(world.observer, world.path);
  for (const data of expected.slice(0, 30)) await queue.put(data);
  await queue.putAll(expected.slice(30));
  await queue.putAll(
    clients.map(() => 'end'),
    999,
  );
  await Promise.all(working);
  assert.equal([...new Set(taken)].sort(), expected);
  assert.is(taken.length, 99);
  assert.equal(await world.leftovers(), []);
});

worldTest(
  'locking queue: one listing serves many takes, until a put or a release',
  async (world) => {
    const client = await world.client();
    const queue = new LockingQueue(client, world.path);
    await queue.putAll(['a', 'b', 'c', 'd', 'e']);
    const listed = count(client, 'getChildren');
    const take = async () => `${(await queue.take()).data}`;
    const first = await queue.take();
    assert.equal([`${first.data}`, await take(), await take()], ['a', 'b', 'c']);
    assert.is(listed.count, 2);
    await first.release();
    assert.is(await take(), 'a', 'an item that was given back comes first');
    assert.is(listed.count, 4);
    await new LockingQueue(await world.client(), world.path).put('urgent', 1);
    assert.equal([await take(), await take(), await take()], ['urgent', 'd', 'e']);
    assert.is(listed.count, 6);
  },
);

worldTest('locking queue: only the first taker in line watches', async (world) => {
  const clients = [await world.client(), await world.client(), await world.client()];
  const takers: Promise<LockedItem>[] = [];
  for (const [i, client] of clients.entries()) {
    takers.push(new LockingQueue(client, world.path).take());
    await world.members('taker', i + 1);
  }
  const counters = clients.map((client) => count(client, 'multi'));
  const queue = new LockingQueue(world.observer, world.path);
  for (const data of ['x', 'y', 'z']) {
    await queue.put(data);
    const item = await takers.shift();
    assert.is(`${item?.data}`, data, 'in the order of arrival');
    await item?.done();
  }
  // A lock and a done() each.
  assert.equal(
    counters.map((counter) => counter.count),
    [2, 2, 2],
  );
});

worldTest('locking queue: an aborted taker leaves no lock', async (world) => {
  const queue = new LockingQueue(await world.client(), world.path);
  assert.is((await failureOf(queue.take({ timeoutMs: 20 }))).code, 'ETIMEDOUT');
  await world.members('taker', 0);
  await queue.put('x');
  assert.is(`${(await queue.take()).data}`, 'x');
  assert.is((await failureOf(queue.put('x', 1000))) instanceof RangeError, true);
});

test.run();
