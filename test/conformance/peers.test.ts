/**
 * Our recipes beside those of Curator and kazoo at one path: one lock, one leader, one queue. A
 * recipe meets another one only if both read the same names and data.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { AtomicLong } from '../../src/recipes/atomic.js';
import { Counter } from '../../src/recipes/counter.js';
import { DelayQueue, DistributedQueue } from '../../src/recipes/distributed-queue.js';
import { RecipeError } from '../../src/recipes/errors.js';
import { Group } from '../../src/recipes/group.js';
import { LeaderElection } from '../../src/recipes/leader-election.js';
import { Lock } from '../../src/recipes/lock.js';
import { Semaphore } from '../../src/recipes/semaphore.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/service-cache.js';
import { decodeServiceInstance } from '../../src/recipes/service-instance.js';
import { SharedCount } from '../../src/recipes/shared-count.js';
import { startBundled } from '../support/bundled.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { waitFor } from '../support/wait-for.js';
import { curatorTest, kazooTest, type Peer, startCurator, startKazoo } from './support/peers.js';

interface Meeting {
  readonly client: ZooKeeperClient;
  readonly peer: Peer;
  close(): Promise<void>;
}

async function meet(start: (connectString: string) => Peer): Promise<Meeting> {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  await client.connect();
  const peer = start(server.connectString);
  const close = async (): Promise<void> => {
    await peer.close();
    await client.close();
    await server.close();
  };
  return { client, peer, close };
}

const curator = new SharedByTests(() => meet(startCurator));
const kazoo = new SharedByTests(() => meet(startKazoo));

/** Waits for this number of places, and returns whether `promise` has settled by then. */
async function isOverWith(
  promise: Promise<unknown>,
  client: ZooKeeperClient,
  path: string,
  places: number,
): Promise<boolean> {
  let isOver = false;
  promise.then(
    () => {
      isOver = true;
    },
    () => undefined,
  );
  await waitFor(`${places} places`, async () => {
    const stat = await client.exists(path);
    return stat?.numChildren === places;
  });
  return isOver;
}

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

curatorTest("one lock of ours and Curator's InterProcessMutex", curator.use(lockInTurns));
kazooTest("one lock of ours and kazoo's Lock", kazoo.use(lockInTurns));

curatorTest(
  "one leader of our election and Curator's LeaderLatch",
  curator.use(async ({ client, peer }) => {
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
  }),
);

kazooTest(
  "one leader of our election and kazoo's Election",
  kazoo.use(async ({ client, peer }) => {
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
  }),
);

curatorTest(
  "one semaphore of ours and Curator's InterProcessSemaphoreV2, with one SharedCount",
  curator.use(async ({ client, peer }) => {
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
  }),
);

curatorTest(
  "one queue of ours and Curator's DistributedQueue",
  curator.use(async ({ client, peer }) => {
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
    assert.instance(await taking, RecipeError);
    const rest = names.length - taken.length;
    for (let i = 0; i < rest; i++) taken.push(await peer.run('take', path));
    assert.equal(taken.sort(), names.sort());
    assert.is(await queue.size(), 0);
  }),
);

curatorTest(
  "one queue of ours and Curator's DistributedDelayQueue",
  curator.use(async ({ client, peer }) => {
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
  }),
);

curatorTest(
  "one number of ours and Curator's DistributedAtomicLong",
  curator.use(async ({ client, peer }) => {
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
  }),
);

kazooTest(
  "one number of ours and kazoo's Counter",
  kazoo.use(async ({ client, peer }) => {
    const counter = new Counter(client, '/counter');
    await counter.add(5n);
    assert.is(await peer.run('add', '/counter', '-7'), '-2');
    assert.is(await counter.add(3n), 1n);
  }),
);

curatorTest(
  "one service discovery of ours and Curator's, and one group",
  curator.use(async ({ client, peer }) => {
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
  }),
);

test.run();
