import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { PersistentNode } from '../../src/recipes/groups/persistent-node.js';
import {
  decodeServiceInstance,
  encodeServiceInstance,
} from '../../src/recipes/groups/service-instance.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import {
  DelayQueue,
  DistributedQueue,
  decodeItems,
  encodeItem,
} from '../../src/recipes/queues/distributed-queue.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { AtomicLong, AtomicValue } from '../../src/recipes/values/atomic.js';
import { SharedCount } from '../../src/recipes/values/shared-count.js';
import { startBundled } from '../support/bundled.js';
import { uncaughtIn } from '../support/uncaught.js';
import { waitFor } from '../support/wait-for.js';
import { causeOf, failureOf, inWorld, type World } from './world.js';

// Edge cases of the recipes with Curator's layouts.

type Server = Awaited<ReturnType<typeof startBundled>>;

function worldTest(name: string, run: (world: World, server: Server) => Promise<void>): void {
  test(name, async () => {
    const server = await startBundled({
      config: {
        tickTime: '500',
        extendedTypesEnabled: 'true',
        'znode.container.checkIntervalMs': '50',
      },
    });
    try {
      await inWorld(server.port, (world) => run(world, server));
    } finally {
      await server.close();
    }
  });
}

worldTest('a persistent node is there again in the next session', async (world, server) => {
  const path = `${world.path}/a`;
  const first = await world.client();
  const made: ZooKeeperClient[] = [];
  let failures = 0;
  const renew = async (): Promise<ZooKeeperClient> => {
    if (++failures < 3) throw new Error('not yet');
    const client = createClient({ connectString: server.connectString });
    made.push(client);
    await client.connect();
    return client;
  };
  const seen: boolean[] = [];
  const node = await PersistentNode.open(first, path, {
    data: 'x',
    renew,
    onChange: (isPresent) => seen.push(isPresent),
  });
  try {
    const owner = (await world.observer.exists(path))?.ephemeralOwner;
    server.control.expireSession(first.sessionId);
    await waitFor('the new znode', async () => {
      const stat = await world.observer.exists(path);
      return stat !== null && stat.ephemeralOwner !== owner;
    });
    await waitFor('the news', () => node.isPresent);
    assert.equal(seen, [true, false, true]);
    assert.is(failures, 3);
    await node.setData('y');
    assert.is(`${(await world.observer.getData(path)).data}`, 'y');
    await node.close();
    assert.is(await world.observer.exists(path), null);
    assert.match((await failureOf(node.ended)).message, /the node is closed/);
  } finally {
    for (const client of made) await client.close();
  }
});

worldTest('a persistent node outlives its listener', async (world) => {
  const onChange = (): never => {
    throw new Error('mine');
  };
  const path = `${world.path}/a`;
  const uncaught = await uncaughtIn(async () => {
    const node = await PersistentNode.open(await world.client(), path, { onChange });
    await world.observer.delete(path);
    await waitFor('the new znode', async () => (await world.observer.exists(path)) !== null);
    await waitFor('the news', () => node.isPresent);
    await node.close();
  });
  assert.ok(uncaught.every((message) => message === 'mine') && uncaught.length > 0);
});

worldTest('a persistent node closes although its renewal never ends', async (world, server) => {
  const client = await world.client();
  let calls = 0;
  const renew = (): Promise<ZooKeeperClient> => {
    calls++;
    return new Promise(() => undefined);
  };
  const node = await PersistentNode.open(client, `${world.path}/a`, { renew });
  server.control.expireSession(client.sessionId);
  await waitFor('the renewal', () => calls === 1);
  await node.close();
  assert.not(node.isPresent);
});

worldTest('a persistent node waits for another owner, and ends with its client', async (world) => {
  const path = `${world.path}/a`;
  const [mine, theirs] = [await world.client(), await world.client()];
  const node = await PersistentNode.open(theirs, path, { data: 'theirs' });
  const waiting = PersistentNode.open(mine, path, { data: 'mine' });
  const stop = new AbortController();
  const aborted = PersistentNode.open(mine, path, { signal: stop.signal });
  stop.abort(new Error('enough'));
  assert.is(causeOf(await failureOf(aborted)), 'enough');
  await mine.sync(path);
  assert.is(`${(await world.observer.getData(path)).data}`, 'theirs');
  await node.close();
  const own = await waiting;
  assert.is(`${(await world.observer.getData(path)).data}`, 'mine');
  // Data of others stay.
  await world.observer.setData(path, 'other');
  await mine.sync(path);
  assert.is(`${(await world.observer.getData(path)).data}`, 'other');
  await mine.close();
  assert.is((await failureOf(own.ended)).code, 'ECLOSED');
  assert.is((await failureOf(own.setData('z'))).code, 'ECLOSED');
  assert.not(own.isPresent);
  await own[Symbol.asyncDispose]();
});

worldTest('a semaphore without its count is refused, and a count of other data', async (world) => {
  const client = await world.client();
  const path = `${world.path}/count`;
  const semaphore = new Semaphore(client, `${world.path}/jobs`, { permitsPath: path });
  const missing = await failureOf(semaphore.acquire());
  assert.is(missing.message, `${path}: the count does not exist`);
  const count = new SharedCount(client, path);
  await count.create(1);
  await world.observer.setData(path, 'text of a page');
  const wrong = 'not a count: 14 bytes (expected 4)';
  assert.is((await failureOf(count.read())).message, `${path}: ${wrong}`);
  assert.is((await failureOf(semaphore.acquire())).message, `${path}: ${wrong}`);
});

worldTest('an atomic long refuses other data and sums of more than 64 bits', async (world) => {
  const path = `${world.path}/n`;
  const long = new AtomicLong(await world.client(), path);
  await long.set(2n ** 63n - 1n);
  const tooLarge = await failureOf(long.add(1n));
  assert.instance(tooLarge, RangeError);
  assert.match(tooLarge.message, /^delta: not allowed: bigint 1 \(expected a sum of 64 bits/);
  assert.is(await long.value(), 2n ** 63n - 1n);
  await world.observer.setData(path, '12');
  assert.is((await failureOf(long.value())).code, 'EBADDATA');
  assert.is((await failureOf(long.add(1n))).code, 'EBADDATA');
  await world.observer.setData(path, '');
  assert.equal(await long.add(2n), { before: 0n, after: 2n });
});

worldTest('an update takes the lock after a conflict, and ends at its limit', async (world) => {
  const [a, b] = [await world.client(), await world.client()];
  const [path, lockPath] = [`${world.path}/v`, `${world.path}/lock`];
  const rival = new AtomicValue(b, path);
  // Each read of the subject is outdated before it can write.
  let isContended = true;
  const getData = a.getData.bind(a);
  a.getData = async (at, options) => {
    const found = await getData(at, options);
    if (isContended && at === path) await rival.update((before) => `${before}t`);
    return found;
  };
  await rival.update(() => '');
  const value = new AtomicValue(a, path, { attempts: 2, lockPath });
  const held = await new Lock(b, lockPath).acquire();
  const limit = new AbortController();
  const late = failureOf(value.update(() => 'x', { signal: limit.signal }));
  await waitFor('the update in the line of the lock', async () => {
    return (await world.observer.exists(lockPath))?.numChildren === 2;
  });
  limit.abort(new Error('enough'));
  assert.is(causeOf(await late), 'enough');
  assert.is(`${await rival.read()}`, 'tt', 'two attempts without the lock');
  isContended = false;
  await held.release();
  await value.update((before) => `${before}m`);
  assert.is(`${await rival.read()}`, 'ttm');
  assert.is((await failureOf(value.update(() => ({}) as string))).constructor, TypeError);
});

worldTest('an item without a taker ends after its time to live', async (world) => {
  const client = await world.client();
  const queue = new DistributedQueue(client, world.path);
  await queue.put('short', { ttlMs: 1 });
  await queue.put('long', { ttlMs: 3_600_000 });
  await waitFor('the end of one', async () => (await queue.size()) === 1);
  assert.is(`${(await queue.take()).data}`, 'long');
  assert.is((await failureOf(queue.put('x', { ttlMs: 0 }))).constructor, RangeError);
});

worldTest('foreign data stay in a queue, and the taker learns of them', async (world) => {
  const client = await world.client();
  const queue = new DistributedQueue(client, world.path);
  await queue.put('a');
  const mode = CreateModes.PERSISTENT_SEQUENTIAL;
  await world.observer.create(`${world.path}/queue-`, 'foreign', { mode });
  assert.is(`${(await queue.take()).data}`, 'a');
  const { code, message } = await failureOf(queue.take());
  assert.is(code, 'EBADDATA');
  assert.match(message, /queue-\d{10}: not an item of a queue$/);
  assert.is(await queue.size(), 1);
  const delayed = new DelayQueue(client, world.path);
  assert.is((await failureOf(delayed.take({ timeoutMs: 20_000 }))).code, 'EBADDATA');
});

worldTest('one listing serves many takes, unless an item may be ahead', async (world) => {
  const client = await world.client();
  let lists = 0;
  const getChildren = client.getChildren.bind(client);
  client.getChildren = (path, options) => {
    if (path === world.path) lists++;
    return getChildren(path, options);
  };
  const queue = new DistributedQueue(client, world.path);
  for (let i = 0; i < 10; i++) await queue.put(String(i));
  for (let i = 0; i < 10; i++) assert.is(`${(await queue.take()).data}`, String(i));
  assert.is(lists, 1);
  const delayed = new DelayQueue(client, world.path);
  for (const at of [30, 40, 50]) await delayed.put(String(at), at);
  assert.is(`${(await delayed.take()).data}`, '30');
  assert.is(lists, 2);
  await delayed.put('20', 20);
  assert.is(`${(await delayed.take()).data}`, '20');
  assert.is(`${(await delayed.take()).data}`, '40');
  assert.is(`${(await delayed.take()).data}`, '50');
  assert.is(lists, 3);
});

worldTest('two consumers never take one item', async (world) => {
  const [a, b] = [await world.client(), await world.client()];
  const [mine, theirs] = [new DistributedQueue(a, world.path), new DistributedQueue(b, world.path)];
  const count = 20;
  for (let i = 0; i < count; i++) await mine.put(String(i));
  const taken: string[] = [];
  const work = async (queue: DistributedQueue): Promise<void> => {
    for (let i = 0; i < count / 2; i++) taken.push(`${(await queue.take()).data}`);
  };
  await Promise.all([work(mine), work(theirs)]);
  assert.equal(
    taken.map(Number).sort((x, y) => x - y),
    Array.from({ length: count }, (_, i) => i),
  );
});

test('items of a queue: several in one znode, and damaged ones', () => {
  const one = encodeItem(Buffer.from('ab'));
  assert.is(one.toString('hex'), '00010001' + '01' + '00000002' + '6162' + '02');
  const two = Buffer.concat([one.subarray(0, -1), encodeItem(Buffer.from('c')).subarray(4)]);
  assert.equal(decodeItems(two)?.map(String), ['ab', 'c']);
  for (let length = 0; length < two.length; length++) {
    assert.is(decodeItems(two.subarray(0, length)), undefined, String(length));
  }
  assert.is(decodeItems(Buffer.from('000100010100000fff', 'hex')), undefined);
  assert.is(decodeItems(Buffer.from('0001000101ffffffff02', 'hex')), undefined);
  assert.is(decodeItems(Buffer.from('0001000202', 'hex')), undefined);
});

test('instances of services: what Curator writes, and damaged ones', () => {
  const text =
    '{"name":"web","id":"i1","address":"host","port":80,"sslPort":null,"payload":"p",' +
    '"registrationTimeUTC":7,"serviceType":"DYNAMIC","uriSpec":null}';
  const found = decodeServiceInstance(text);
  assert.equal(found, {
    name: 'web',
    id: 'i1',
    address: 'host',
    port: 80,
    payload: 'p',
    registrationTimeUTC: 7,
    enabled: true,
  });
  assert.is(encodeServiceInstance(found).toString(), text);
  const off = decodeServiceInstance(encodeServiceInstance({ ...found, enabled: false }));
  assert.is(off.enabled, false);
  for (const damaged of ['', '{', 'null', '5', '[]', '{"name":"a"}', '{"name":1,"id":"b"}']) {
    assert.throws(() => decodeServiceInstance(damaged), /^not an instance of a service: "/);
  }
});

test.run();
