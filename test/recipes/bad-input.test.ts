import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { Perms } from '../../src/protocol/perms.js';
import { Group } from '../../src/recipes/groups/group.js';
import { ServiceCache } from '../../src/recipes/groups/service-cache.js';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { SharedLock } from '../../src/recipes/locks/shared-lock.js';
import { PriorityQueue, Queue } from '../../src/recipes/queues/queue.js';
import { Barrier } from '../../src/recipes/synchronizers/barrier.js';
import { DoubleBarrier } from '../../src/recipes/synchronizers/double-barrier.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { TwoPhaseCommit } from '../../src/recipes/synchronizers/two-phase-commit.js';
import { Counter } from '../../src/recipes/values/counter.js';
import { NameService } from '../../src/recipes/values/name-service.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, inWorld, type World } from './world.js';

const DATA = Buffer.from('x');
const READ_ONLY = [{ perms: Perms.READ, id: { scheme: 'world', id: 'anyone' } }];

type Begin = (client: ZooKeeperClient, path: string) => Promise<unknown>;

/** The first request of each recipe that creates znodes. */
const BEGINNINGS: readonly [name: string, begin: Begin][] = [
  ['lock', (client, path) => new Lock(client, path).acquire()],
  ['shared lock', (client, path) => new SharedLock(client, path).acquire('read')],
  ['semaphore', (client, path) => new Semaphore(client, path, { permits: 1 }).acquire()],
  [
    'election',
    (client, path) =>
      new LeaderElection(client, path, { id: 'a' }).lead({ onElected: () => undefined }),
  ],
  ['barrier', (client, path) => new Barrier(client, `${path}/barrier`).raise()],
  ['double barrier', (client, path) => new DoubleBarrier(client, path, { count: 2 }).enter()],
  ['queue', (client, path) => new Queue(client, path).put(DATA)],
  ['taking', (client, path) => new Queue(client, path).take()],
  ['priority queue', (client, path) => new PriorityQueue(client, path).put(DATA, 1)],
  ['group', (client, path) => new Group(client, path).join('a', DATA)],
  ['counter', (client, path) => new Counter(client, `${path}/counter`).add(1n)],
  ['name service', (client, path) => new NameService(client, path).bind('a', DATA)],
  ['2pc', (client, path) => new TwoPhaseCommit(client, `${path}/tx`).begin(['a'])],
];

async function inBundled(
  run: (world: World) => Promise<void>,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  const server = await startBundled({ config });
  try {
    await inWorld(server.port, run);
  } finally {
    await server.close();
  }
}

/** A waiting place of each kind of line, after the znodes of `block`. */
const WAITING: readonly [name: string, kind: string, wait: Begin][] = [
  ['lock', 'lock', (client, path) => new Lock(client, path).acquire()],
  ['shared lock', 'write', (client, path) => new SharedLock(client, path).acquire('write')],
  [
    'double barrier',
    'process',
    (client, path) => new DoubleBarrier(client, path, { count: 3 }).enter(),
  ],
  ['queue', 'taker', (client, path) => new Queue(client, path).take()],
];

test('a refusal by an ACL is reported, and no znode stays', () =>
  inBundled(async (world) => {
    const client = await world.client();
    await client.create('/recipes');
    await client.create(world.path, null, { acl: READ_ONLY });
    for (const [name, begin] of BEGINNINGS) {
      assert.is((await failureOf(begin(client, world.path))).code, 'NOAUTH', name);
      assert.equal(await world.leftovers(), [], name);
    }
  }));

test('a missing chroot is reported, not created', () =>
  inBundled(async (world) => {
    const connectString = `${world.observer.server}/missing`;
    const client = createClient({ connectString });
    try {
      await client.connect();
      for (const [name, begin] of BEGINNINGS) {
        assert.is((await failureOf(begin(client, '/a'))).code, 'NONODE', name);
      }
      assert.is(await world.observer.exists('/missing'), null);
    } finally {
      await client.close();
    }
  }));

test('the deletion of the whole parent tree ends a wait', () =>
  inBundled(async (world) => {
    for (const [name, kind, wait] of WAITING) {
      const [a, b] = [await world.client(), await world.client()];
      const first = wait(a, world.path);
      first.catch(() => undefined);
      await world.members(kind, 1);
      const second = failureOf(wait(b, world.path));
      const [one = '', two = ''] = await world.members(kind, 2);
      const line = kind === 'taker' ? `${world.path}/takers` : world.path;
      await world.observer.delete(`${line}/${two}`);
      await world.observer.delete(`${line}/${one}`);
      if (line !== world.path) await world.observer.delete(line);
      await world.observer.delete(world.path);
      assert.is((await second).code, 'ELOST', name);
      await a.close();
      await b.close();
      await waitFor('nothing to be left', async () => (await world.leftovers()).length === 0);
    }
  }));

type Use = () => Promise<void>;

/** Uses that leave empty containers, which must be created again. */
const USED_UP: readonly [name: string, use: (client: ZooKeeperClient, path: string) => Use][] = [
  ['lock', (client, path) => holding(new Lock(client, path))],
  ['semaphore', (client, path) => holding(new Semaphore(client, path, { permits: 1 }))],
  [
    'shared lock',
    (client, path) => {
      const lock = new SharedLock(client, path);
      return holding({ acquire: () => lock.acquire('write') });
    },
  ],
  [
    'queue',
    (client, path) => {
      const queue = new Queue(client, path);
      return async () => {
        await queue.put(DATA);
        assert.equal((await queue.take()).data, DATA);
      };
    },
  ],
];

function holding(lock: { acquire(): Promise<{ release(): Promise<void> }> }): Use {
  return async () => (await lock.acquire()).release();
}

test('a container that the server deleted between two uses is created again', () =>
  inBundled(
    async (world) => {
      const client = await world.client();
      for (const [name, begin] of USED_UP) {
        const use = begin(client, world.path);
        for (let round = 0; round < 3; round++) {
          await use();
          const isGone = async () => (await world.observer.exists('/recipes')) === null;
          await waitFor(`the containers of a ${name} to go`, isGone);
        }
        for (let round = 0; round < 50; round++) await use();
      }
    },
    { 'znode.container.checkIntervalMs': '1', 'znode.container.maxPerMinute': '1000000' },
  ));

test('foreign children are ignored and kept', () =>
  inBundled(async (world) => {
    const client = await world.client();
    await client.create('/recipes');
    await client.create(world.path);
    const foreign = ['lock-0000000000', 'x', '_c_no-guid-queue-0000000000', 'qn-0000000001'];
    for (const name of foreign) await client.create(`${world.path}/${name}`);
    for (const [name, begin] of BEGINNINGS) {
      if (['taking', 'group', 'double barrier'].includes(name)) continue;
      const made = await begin(client, world.path);
      const release = (made as { release?: () => Promise<void> } | undefined)?.release;
      await release?.();
    }
    const { children } = await client.getChildren(world.path);
    assert.equal(
      foreign.filter((name) => !children.includes(name)),
      [],
    );
    assert.equal((await new Queue(client, world.path).items()).length, 2);
  }));

test('a wrong argument is refused before anything is sent', async () => {
  const client = createClient({ connectString: '127.0.0.1:1' });
  assert.throws(
    () => new Semaphore(client, '/a', { permits: 0 }),
    /number 0 \(expected a whole number from 1/,
  );
  assert.throws(
    () => new DoubleBarrier(client, '/a', { count: 1.5 }),
    (error: unknown) => error instanceof RangeError,
  );
  for (const begin of [
    () => new PriorityQueue(client, '/a').put(DATA, -1),
    () => new Group(client, '/a').join('b/c', DATA),
    () => new TwoPhaseCommit(client, '/a').begin([]),
    () => new TwoPhaseCommit(client, '/a').begin(['x', 'x']),
    () => ServiceCache.open(client, 'a'),
  ]) {
    assert.instance(await failureOf(begin()), RangeError);
  }
});

test('a taken name and a znode with foreign data are reported', () =>
  inBundled(async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const membership = await new Group(a, world.path).join('x', DATA);
    assert.is((await failureOf(new Group(b, world.path).join('x', DATA))).code, 'ETAKEN');
    assert.is((await failureOf(new Group(a, world.path).join('x', DATA))).code, 'ETAKEN');
    assert.not(membership.signal.aborted);
    await a.create(`${world.path}/data`, Buffer.from('no number'));
    const path = `${world.path}/data`;
    assert.is((await failureOf(new Counter(a, path).add(1n))).code, 'EBADDATA');
    assert.is((await failureOf(new TwoPhaseCommit(a, path).begin(['s']))).code, 'ETAKEN');
    assert.is((await failureOf(new TwoPhaseCommit(a, path).decide())).code, 'EBADDATA');
    assert.is((await failureOf(new TwoPhaseCommit(a, `${path}2`).decision())).code, 'NONODE');
    await membership.leave();
    await a.delete(path);
    assert.equal(await world.leftovers(), []);
  }));

test.run();
