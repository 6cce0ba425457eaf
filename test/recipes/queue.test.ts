import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { PriorityQueue, Queue } from '../../src/recipes/queues/queue.js';
import { startBundled } from '../support/bundled.js';
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

/** Counts the child events that this client's watches report. */
function countChildEvents(client: ZooKeeperClient): { count: number } {
  const counter = { count: 0 };
  const getChildren = client.getChildren.bind(client);
  client.getChildren = (path, options) => {
    const watch = options?.watch;
    if (typeof watch !== 'function') return getChildren(path, options);
    return getChildren(path, {
      watch: (event) => {
        counter.count++;
        watch(event);
      },
    });
  };
  return counter;
}

/** Counts the listings of one path from now on. */
function countLists(client: ZooKeeperClient, path: string): { count: number } {
  const counter = { count: 0 };
  const getChildren = client.getChildren.bind(client);
  client.getChildren = (at, options) => {
    if (at === path) counter.count++;
    return getChildren(at, options);
  };
  return counter;
}

worldTest('queue: an item wakes only the first taker', async (world) => {
  const clients = [await world.client(), await world.client(), await world.client()];
  const counters = clients.map(countChildEvents);
  const taken: string[] = [];
  const takers: Promise<unknown>[] = [];
  for (const [i, client] of clients.entries()) {
    const taking = new Queue(client, world.path).take();
    takers.push(taking.then(({ data }) => taken.push(`${i} ${data}`)));
    await world.members('taker', i + 1);
  }
  await new Queue(world.observer, world.path).put(Buffer.from('x'));
  await takers[0];
  assert.equal(taken, ['0 x']);
  assert.is(counters[2]?.count, 0);
  for (const data of ['y', 'z']) await new Queue(world.observer, world.path).put(Buffer.from(data));
  await Promise.all(takers);
  assert.equal(taken, ['0 x', '1 y', '2 z']);
  assert.equal(await world.leftovers(), []);
});

worldTest('queue: one listing of the items serves many takes', async (world) => {
  const client = await world.client();
  const listed = countLists(client, world.path);
  const queue = new Queue(client, world.path);
  const expected = Array.from({ length: 12 }, (_, i) => String(i));
  for (const data of expected) await queue.put(data);
  const taken: string[] = [];
  while (taken.length < 6) taken.push((await queue.take()).data.toString());
  const other = new Queue(await world.client(), world.path);
  taken.push((await other.take()).data.toString());
  while (taken.length < 12) taken.push((await queue.take()).data.toString());
  assert.equal(taken, expected);
  assert.is(listed.count, 1);
});

worldTest('priority queue: only a put makes the next take list the items again', async (world) => {
  const client = await world.client();
  const queue = new PriorityQueue(client, world.path);
  // Makes the parent of the takers, which is a child, too.
  await queue.put('0', 0);
  await queue.take();
  const listed = countLists(client, world.path);
  for (const priority of [5, 3, 4, 6]) await queue.put(String(priority), priority);
  const take = async () => (await queue.take()).data.toString();
  assert.equal([await take(), await take()], ['3', '4']);
  assert.is(listed.count, 1);
  await new PriorityQueue(await world.client(), world.path).put('1', 1);
  assert.equal([await take(), await take(), await take()], ['1', '5', '6']);
  assert.is(listed.count, 2);
});

worldTest('queue: one receipt serves the changes of a client, also if it is deleted', (world) =>
  withTimers(200, async (fire) => {
    const { observer } = world;
    const queue = new Queue(await world.client(), world.path);
    const receipts = async () => {
      const { children } = await observer.getChildren(`${world.path}/takers`);
      for (const name of children) assert.match(name, /^_c_.*-receipt$/);
      return children;
    };
    await queue.put('x');
    const [first = ''] = await receipts();
    await queue.put('y');
    assert.is(`${(await queue.take()).data}`, 'x');
    assert.equal(await receipts(), [first]);
    await observer.delete(`${world.path}/takers/${first}`);
    await queue.put('z');
    const others = await receipts();
    assert.is(others.length, 1);
    assert.not.equal(others, [first]);
    for (const data of ['y', 'z']) assert.is(`${(await queue.take()).data}`, data);
    fire();
    assert.equal(await world.leftovers(), []);
  }),
);

/** Timers of `length` ms do not run before `fire`. */
async function withTimers(length: number, run: (fire: () => void) => Promise<void>): Promise<void> {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const waiting = new Map<unknown, () => void>();
  const hold = (work: () => void, ms?: number, ...rest: unknown[]) => {
    if (ms !== length) return Reflect.apply(start, globalThis, [work, ms, ...rest]);
    const timer = start(() => undefined, 0);
    waiting.set(timer, work);
    return timer;
  };
  globalThis.setTimeout = hold as typeof start;
  globalThis.clearTimeout = (timer) => {
    waiting.delete(timer);
    stop(timer);
  };
  try {
    await run(() => {
      for (const work of waiting.values()) work();
    });
  } finally {
    globalThis.setTimeout = start;
    globalThis.clearTimeout = stop;
  }
}

worldTest('queue: an aborted taker takes no item', async (world) => {
  const client = await world.client();
  const queue = new Queue(client, world.path);
  assert.is((await failureOf(queue.take({ timeoutMs: 20 }))).code, 'ETIMEDOUT');
  await world.members('taker', 0);
  await queue.put(Buffer.from('x'));
  assert.is((await queue.take()).data.toString(), 'x');
});

test.run();
