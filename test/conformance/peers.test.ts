/**
 * Our recipes beside those of Curator and kazoo at one path: one lock, one leader, one queue. A
 * recipe meets another one only if both read the same names and data.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Group } from '../../src/recipes/groups/group.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/groups/service-cache.js';
import { decodeServiceInstance } from '../../src/recipes/groups/service-instance.js';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { ReentrantLock } from '../../src/recipes/locks/reentrant-lock.js';
import { SharedLock } from '../../src/recipes/locks/shared-lock.js';
import {
  DelayQueue,
  DistributedPriorityQueue,
  DistributedQueue,
} from '../../src/recipes/queues/distributed-queue.js';
import { LockingQueue } from '../../src/recipes/queues/locking-queue.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { AtomicLong } from '../../src/recipes/values/atomic.js';
import { Counter } from '../../src/recipes/values/counter.js';
import { SharedCount } from '../../src/recipes/values/shared-count.js';
import { waitFor } from '../support/wait-for.js';
import { isOverWith, type Meeting, testsWith } from './support/peer-meetings.js';
import { curatorTest, kazooTest, startCurator, startKazoo } from './support/peers.js';

const withCurator = testsWith(curatorTest, startCurator);
const withKazoo = testsWith(kazooTest, startKazoo);

async function lockInTurns({ client, peer }: Meeting): Promise<void> {
  const path = '/lock';
  const lock = new Lock(client, path);
  for (let round = 0; round < 3; round++) {
    const mine = await lock.acquire();
    const theirs = peer.run('lock', path);
    assert.not(await isOverWith(theirs, client, path, 2), 'the peer waits');
    await mine.release();
    assert.is((await theirs).toLowerCase(), 'true');
    const again = lock.acquire();
    assert.not(await isOverWith(again, client, path, 2), 'we wait');
    assert.is((await peer.run('unlock', path)).toLowerCase(), 'true');
    const held = await again;
    assert.ok(held.fencingToken > mine.fencingToken);
    await held.release();
  }
}

withCurator("one lock of ours and Curator's InterProcessMutex", lockInTurns);
withKazoo("one lock of ours and kazoo's Lock", lockInTurns);

async function shareInTurns({ client, peer }: Meeting): Promise<void> {
  const path = '/shared';
  const run = async (command: string) => {
    assert.is((await peer.run(command, path)).toLowerCase(), 'true', command);
  };
  const lock = new SharedLock(client, path);
  const reading = await lock.acquire('read');
  await run('read');
  const writing = lock.acquire('write');
  assert.not(await isOverWith(writing, client, path, 3), 'our writer waits for both readers');
  await reading.release();
  assert.not(await isOverWith(writing, client, path, 2), "our writer waits for the peer's reader");
  await run('unread');
  const written = await writing;
  const theirs = run('read');
  assert.not(await isOverWith(theirs, client, path, 2), "the peer's reader waits");
  await written.release();
  await theirs;
  await run('unread');
  await run('write');
  const late = lock.acquire('read');
  assert.not(await isOverWith(late, client, path, 2), 'our reader waits');
  await run('unwrite');
  await (await late).release();
}

withCurator("one shared lock of ours and Curator's InterProcessReadWriteLock", shareInTurns);
withKazoo("one shared lock of ours and kazoo's ReadLock and WriteLock", shareInTurns);

withCurator("one leader of our election and Curator's LeaderLatch", async ({ client, peer }) => {
  const path = '/latch';
  const election = new LeaderElection(client, path, { id: 'ours' });
  let theirs: Promise<string> | undefined;
  await election.lead({
    onElected: async () => {
      assert.is(await peer.run('latch', path, 'theirs'), 'true');
      await waitFor('both', async () => (await client.exists(path))?.numChildren === 2);
      assert.is(await peer.run('leader', path, 'theirs'), 'ours');
      assert.is(await election.leader(), 'ours');
      theirs = peer.run('lead', path, 'theirs');
    },
  });
  assert.is(await theirs, 'true');
  assert.is(await election.leader(), 'theirs');
  const next = election.lead({ onElected: () => election.leader() });
  assert.not(await isOverWith(next, client, path, 2), 'we wait');
  assert.is(await peer.run('unlatch', path, 'theirs'), 'true');
  assert.is(await next, 'ours');
});

withKazoo("one leader of our election and kazoo's Election", async ({ client, peer }) => {
  const path = '/election';
  const election = new LeaderElection(client, path, { id: 'ours' });
  let theirs: Promise<string> = Promise.resolve('');
  await election.lead({
    onElected: async () => {
      theirs = peer.run('elect', path);
      assert.not(await isOverWith(theirs, client, path, 2), 'kazoo waits');
      assert.is(await election.leader(), 'ours');
    },
  });
  assert.is(await theirs, 'True');
});

withCurator(
  "one semaphore of ours and Curator's InterProcessSemaphoreV2, with one SharedCount",
  async ({ client, peer }) => {
    const [path, countPath] = ['/semaphore', '/permits'];
    const count = new SharedCount(client, countPath);
    await count.create(1);
    const semaphore = new Semaphore(client, path, { permitsPath: countPath });
    assert.match(await peer.run('lease', path, countPath), /^true$/);
    const mine = semaphore.acquire();
    assert.not(await isOverWith(mine, client, `${path}/leases`, 2), 'we wait');
    assert.is(await peer.run('count', countPath, '2'), 'true');
    const held = await mine;
    assert.equal((await count.read())?.count, 2);
    const theirs = peer.run('lease', path, countPath);
    assert.not(await isOverWith(theirs, client, `${path}/leases`, 3), 'Curator waits');
    await held.release();
    assert.is(await theirs, 'true');
    const last = semaphore.acquire();
    assert.not(await isOverWith(last, client, `${path}/leases`, 3), 'we wait again');
    assert.is(await peer.run('return', path), 'true');
    await (await last).release();
  },
);

withCurator("one queue of ours and Curator's DistributedQueue", async ({ client, peer }) => {
  const path = '/queue';
  const queue = new DistributedQueue(client, path);
  assert.is(await peer.run('put', path, 'theirs'), 'true');
  assert.is(`${(await queue.take()).data}`, 'theirs');
  await queue.put('ours');
  assert.is(await peer.run('take', path), 'ours');
  // Both take at once, and each item goes to one of them.
  const names = Array.from({ length: 20 }, (_, i) => `item-${i}`);
  const taken: string[] = [];
  const taking = (async () => {
    for (;;) taken.push(`${(await queue.take({ timeoutMs: 1000 })).data}`);
  })().catch((error) => error);
  for (const name of names) await queue.put(name);
  assert.is((await taking).code, 'ETIMEDOUT');
  const rest = names.length - taken.length;
  for (let i = 0; i < rest; i++) taken.push(await peer.run('take', path));
  assert.equal(taken.sort(), names.sort());
  assert.is(await queue.size(), 0);
});

withCurator("one queue of ours and Curator's DistributedDelayQueue", async ({ client, peer }) => {
  const path = '/delay-queue';
  const queue = new DelayQueue(client, path);
  const at = Date.now() + 500;
  assert.is(await peer.run('delay', path, 'theirs', String(at)), 'true');
  assert.is(`${(await queue.take()).data}`, 'theirs');
  assert.ok(Date.now() >= at, 'not before its time');
  const next = Date.now() + 500;
  await queue.put('ours', next);
  assert.is(await peer.run('take-delayed', path), 'ours');
  assert.ok(Date.now() >= next, 'not before its time');
});

withCurator(
  "one queue of ours and Curator's DistributedPriorityQueue",
  async ({ client, peer }) => {
    const path = '/priority-queue';
    const queue = new DistributedPriorityQueue(client, path);
    for (const [item, priority] of [
      ['b', 5],
      ['c', 2 ** 31 - 1],
      ['a', -5],
    ] as const) {
      assert.is(await peer.run('prioritize', path, item, String(priority)), 'true');
    }
    // Curator puts in the background.
    await waitFor("Curator's items", async () => (await queue.size()) === 3);
    await queue.put('first', -6);
    const taken: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { data, priority } = await queue.take();
      taken.push(`${data} ${priority}`);
    }
    assert.equal(taken, ['first -6', 'a -5', 'b 5', 'c 2147483647']);
    for (const [item, priority] of [
      ['z', 3],
      ['y', -3],
      ['x', -(2 ** 31)],
    ] as const) {
      await queue.put(item, priority);
    }
    const theirs: string[] = [];
    for (let i = 0; i < 3; i++) theirs.push(await peer.run('take-prioritized', path));
    assert.equal(theirs, ['x', 'y', 'z']);
  },
);

withCurator(
  "one lock of our reentrant lock and Curator's InterProcessMutex",
  async ({ client, peer }) => {
    const path = '/reentrant';
    const lock = new ReentrantLock(client, path);
    const [first, again] = [await lock.acquire('job'), await lock.acquire('job')];
    const theirs = peer.run('lock', path);
    assert.not(await isOverWith(theirs, client, path, 2), 'Curator waits');
    await first.release();
    assert.is((await client.exists(path))?.numChildren, 2);
    await again.release();
    assert.is(await theirs, 'true');
    assert.is(await peer.run('lock', path), 'true', 'Curator holds it twice');
    const owner = await new Lock(client, path).owner();
    assert.ok(owner && owner.sessionId !== client.sessionId);
    assert.is(await peer.run('unlock', path), 'true');
    assert.is(await peer.run('unlock', path), 'true');
    await (await lock.acquire('job')).release();
  },
);

withCurator("one number of ours and Curator's DistributedAtomicLong", async ({ client, peer }) => {
  const path = '/long';
  const long = new AtomicLong(client, path);
  await long.add(-5n);
  const sums = await Promise.all([
    ...Array.from({ length: 5 }, async () => (await long.add(1n)).after),
    peer.run('add', path, '1000').then(BigInt),
  ]);
  assert.is(new Set(sums).size, 6, 'no sum twice');
  assert.is(await long.value(), 1000n);
  assert.is(await peer.run('add', path, '-1001'), '-1');
  assert.is(await long.value(), -1n);
});

withKazoo("one queue of ours and kazoo's LockingQueue", async ({ client, peer }) => {
  const path = '/locking-queue';
  const queue = new LockingQueue(client, path);
  assert.is(await peer.run('put', path, 'theirs', '7'), 'True');
  await queue.put('ours', 8);
  assert.is(await peer.run('size', path), '2');
  const item = await queue.take();
  assert.equal([`${item.data}`, item.priority], ['theirs', 7]);
  assert.is(await peer.run('take', path), 'ours', 'an item of ours, and not a locked one');
  await item.release();
  const again = await queue.take();
  assert.is(again.name, item.name);
  const waiting = queue.take();
  assert.not(await isOverWith(waiting, client, `${path}/takers`, 1), 'kazoo has the other one');
  assert.is(await peer.run('giveback', path), 'True');
  const other = await waiting;
  assert.is(`${other.data}`, 'ours');
  const theirs = peer.run('take', path);
  await again.release();
  assert.is(await theirs, 'theirs', 'kazoo takes what we give back');
  assert.is(await peer.run('consume', path), 'True');
  await other.done();
  assert.is(await peer.run('size', path), '0');
  // Both take at once, and each item goes to one of them.
  const names = Array.from({ length: 20 }, (_, i) => `item-${i}`);
  await queue.putAll(names);
  const taken: string[] = [];
  const take = async (): Promise<void> => {
    for (let i = 0; i < names.length / 2; i++) {
      const item = await queue.take();
      taken.push(`${item.data}`);
      await item.done();
    }
  };
  const peerTakes = async (): Promise<void> => {
    for (let i = 0; i < names.length / 2; i++) {
      taken.push(await peer.run('take', path));
      assert.is(await peer.run('consume', path), 'True');
    }
  };
  await Promise.all([take(), peerTakes()]);
  assert.equal(taken.sort(), names.sort());
  const { children } = await client.getChildren(path);
  assert.equal([...children].sort(), ['entries', 'taken', 'takers']);
});

withKazoo("one number of ours and kazoo's Counter", async ({ client, peer }) => {
  const counter = new Counter(client, '/counter');
  await counter.add(5n);
  assert.is(await peer.run('add', '/counter', '-7'), '-2');
  assert.is(await counter.add(3n), 1n);
});

withCurator(
  "one service discovery of ours and Curator's, and one group",
  async ({ client, peer }) => {
    const path = '/services';
    const directory = new ServiceDirectory(client, path);
    const instance = { name: 'web', id: 'ours', address: 'host.example.net', port: 81 };
    const own = await directory.register({ ...instance, payload: 'from us' });
    assert.is(await peer.run('announce', path, 'theirs'), 'true');
    const described = [
      'ours=host.example.net:81:null:from us',
      'theirs=host.example.org:80:443:from Curator',
    ];
    assert.is(await peer.run('instances', path), described.join(','));
    const cache = await ServiceCache.open(client, path);
    const found = cache.instances('web').map(({ data }) => decodeServiceInstance(data));
    assert.equal(
      found.map(({ id, address, port, sslPort, payload }) => [id, address, port, sslPort, payload]),
      [
        ['ours', 'host.example.net', 81, undefined, 'from us'],
        ['theirs', 'host.example.org', 80, 443, 'from Curator'],
      ],
    );
    await cache.close();
    await own.leave();
    assert.is(await peer.run('instances', path), described[1]);
    assert.is(await peer.run('node', `${path}/web/member`, 'host'), 'true');
    assert.equal(await new Group(client, `${path}/web`).ids(), ['member', 'theirs']);
  },
);

test.run();
