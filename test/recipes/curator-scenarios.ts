import * as assert from 'uvu/assert';
import { mkdirp } from '../../src/client/znodes/create.js';
import { type CacheChange, openTreeCache } from '../../src/client/znodes/tree-cache.js';
import { PersistentNode } from '../../src/recipes/groups/persistent-node.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/groups/service-cache.js';
import { decodeServiceInstance } from '../../src/recipes/groups/service-instance.js';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { DelayQueue, DistributedQueue } from '../../src/recipes/queues/distributed-queue.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { AtomicLong, AtomicValue } from '../../src/recipes/values/atomic.js';
import { SharedCount } from '../../src/recipes/values/shared-count.js';
import { waitFor } from '../support/wait-for.js';
import type { Scenario, Stage } from './scenarios.js';

// Recipes that Curator has, with its layouts.

async function sharedCount({ world, subject, midpoint }: Stage): Promise<void> {
  const [mine, theirs] = [
    new SharedCount(subject, world.path),
    new SharedCount(await world.client(), world.path),
  ];
  assert.is(await mine.read(), undefined);
  assert.is(await mine.create(-3), true);
  assert.is(await mine.create(4), false);
  await midpoint();
  assert.is(await theirs.compareAndSet(5, 0), 1);
  assert.is(await mine.compareAndSet(6, 0), undefined);
  assert.is(await mine.compareAndSet(7, 1), 2);
  await mine.set(8);
  assert.equal(await mine.read(), { count: 8, version: 3 });
  const stop = new AbortController();
  for await (const found of theirs.changes({ signal: stop.signal })) {
    if (found?.count === 8) break;
  }
}

/** One permit, then two, then none, which takes no lease away. */
async function dynamicSemaphore({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const path = `${world.path}-count`;
  const permits = new SharedCount(other, path);
  await permits.create(1);
  const mine = new Semaphore(subject, world.path, { permitsPath: path });
  const theirs = new Semaphore(other, world.path, { permitsPath: path });
  const first = await theirs.acquire();
  let isHeld = false;
  const second = mine.acquire().then((held) => {
    isHeld = true;
    return held;
  });
  await waitFor('two leases', async () => {
    const leases = `${world.path}/leases`;
    return (await world.observer.exists(leases))?.numChildren === 2;
  });
  await midpoint();
  assert.not(isHeld);
  await permits.set(2);
  const held = await second;
  await permits.set(0);
  assert.not(held.signal.aborted);
  await held.release();
  await first.release();
  const last = mine.acquire();
  await permits.set(1);
  await (await last).release();
}

async function atomicValue({ world, subject, midpoint }: Stage): Promise<void> {
  const [mine, theirs] = [
    new AtomicValue(subject, world.path, { attempts: 1, lockPath: `${world.path}-lock` }),
    new AtomicValue(await world.client(), world.path),
  ];
  assert.is(await mine.compareAndSet('x', 'a'), false);
  assert.is(await mine.compareAndSet(undefined, 'a'), true);
  await midpoint();
  assert.is(await theirs.compareAndSet(undefined, 'b'), false);
  let calls = 0;
  const rivals: Promise<unknown>[] = [];
  // The first attempt always fails, so the second one is under the lock.
  const { before, after } = await mine.update((old) => {
    if (++calls === 1) rivals.push(theirs.update((data) => `${data}t`));
    return `${old}m`;
  });
  await Promise.all(rivals);
  assert.is(`${after}`, `${before}m`);
  const text = `${await mine.read()}`;
  assert.is([...text].filter((letter) => letter === 't').length, 1, text);
  assert.is([...text].filter((letter) => letter === 'm').length, 1, text);
}

async function atomicLong({ world, subject, midpoint }: Stage): Promise<void> {
  const mine = new AtomicLong(subject, world.path, { lockPath: `${world.path}-lock` });
  const theirs = new AtomicLong(await world.client(), world.path);
  assert.is(await mine.value(), 0n);
  const results = await Promise.all([1n, 10n, 100n].map((each) => mine.add(each)));
  await midpoint();
  for (const { before, after } of results) assert.ok(before < after);
  assert.equal(await theirs.add(-1n), { before: 111n, after: 110n });
  assert.is(await mine.compareAndSet(111n, 0n), false);
  assert.is(await mine.compareAndSet(110n, 2n ** 62n), true);
  assert.equal(await mine.set(5n), { before: 2n ** 62n, after: 5n });
}

async function distributedQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const mine = new DistributedQueue(subject, world.path);
  const theirs = new DistributedQueue(other, world.path);
  const taken = async (queue: DistributedQueue) => `${(await queue.take()).data}`;
  await mine.put('a');
  await theirs.put('b');
  assert.is(await theirs.size(), 2);
  await midpoint();
  assert.is(await taken(mine), 'a');
  assert.is(await taken(theirs), 'b');
  const waiting = taken(mine);
  await world.members('taker', 1);
  const next = taken(theirs);
  await world.members('taker', 2);
  await mine.put('c');
  await theirs.put('');
  assert.equal([await waiting, await next], ['c', '']);
}

async function delayQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const mine = new DelayQueue(subject, world.path);
  const theirs = new DelayQueue(await world.client(), world.path);
  const startedAt = Date.now();
  await mine.put('later', startedAt + 50);
  await theirs.put('now', startedAt);
  await midpoint();
  const first = await mine.take();
  const second = await theirs.take();
  assert.equal([`${first.data}`, `${second.data}`], ['now', 'later']);
  assert.ok(Date.now() >= startedAt + 50, 'not before its time');
  const waiting = mine.take();
  await world.members('taker', 1);
  await mine.put('far', startedAt + 3_600_000);
  await theirs.put('soon', startedAt + 1);
  assert.is(`${(await waiting).data}`, 'soon');
  const [name] = (await world.children()).filter((each) => each.startsWith('queue-'));
  await world.observer.delete(`${world.path}/${name}`);
}

async function persistentNode({ world, subject, midpoint }: Stage): Promise<void> {
  const seen: boolean[] = [];
  const path = `${world.path}/a`;
  const node = await PersistentNode.open(subject, path, {
    data: 'one',
    onChange: (isPresent) => seen.push(isPresent),
  });
  const { czxid } = (await world.observer.getData(path)).stat;
  await world.observer.delete(path);
  await waitFor('a new znode', async () => {
    const stat = await world.observer.exists(path);
    return stat !== null && stat.czxid > czxid;
  });
  await midpoint();
  await waitFor('the news', () => node.isPresent);
  assert.equal(seen.slice(0, 3), [true, false, true]);
  await node.setData('two');
  await world.observer.sync(path);
  assert.is(`${(await world.observer.getData(path)).data}`, 'two');
  await node.close();
  assert.is(await world.observer.exists(path), null);
}

async function discovery({ world, subject, midpoint }: Stage): Promise<void> {
  const directory = new ServiceDirectory(subject, world.path);
  const instance = { name: 'web', id: 'a', address: 'h', port: 80, payload: { zone: 'b' } };
  const announced = await directory.register({ ...instance, registrationTimeUTC: 7 });
  const cache = await ServiceCache.open(subject, world.path);
  await midpoint();
  const [found] = cache.instances('web');
  assert.equal(decodeServiceInstance(found?.data ?? ''), {
    ...instance,
    registrationTimeUTC: 7,
    enabled: true,
  });
  await announced.leave();
  await cache.close();
}

/** The caches of a znode, of its children, and of the tree; their content is the server's. */
async function caches({ world, subject, midpoint }: Stage): Promise<void> {
  const { path, observer } = world;
  await mkdirp(observer, `${path}/a`);
  await observer.create(`${path}/a/b`, '1');
  const told: string[] = [];
  const onChange = ({ type }: CacheChange) => void told.push(type);
  const open = (depth: number) => openTreeCache(subject, path, { depth, onChange });
  const [node, children, tree] = [await open(0), await open(1), await open(2)];
  const isKnown = (what: string, paths: readonly (readonly string[])[]) =>
    waitFor(what, () =>
      [node, children, tree].every((cache, at) => {
        const found = cache.entries().map((znode) => znode.path.slice(path.length));
        return found.join() === paths[at]?.join();
      }),
    );
  await isKnown('all', [[''], ['', '/a'], ['', '/a', '/a/b']]);
  await observer.setData(`${path}/a/b`, '2');
  await observer.create(`${path}/c`, '3');
  await midpoint();
  await isKnown('one more', [[''], ['', '/a', '/c'], ['', '/a', '/a/b', '/c']]);
  await waitFor('the news', () => `${tree.get(`${path}/a/b`)?.data}` === '2');
  for (const name of ['a/b', 'a', 'c']) await observer.delete(`${path}/${name}`);
  await isKnown('none', [[''], [''], ['']]);
  const count = (wanted: string) => told.filter((type) => type === wanted).length;
  assert.equal([count('added'), count('changed'), count('removed')], [2, 1, 5]);
  for (const cache of [node, children, tree]) await cache.close();
}

/** Two candidates that lead in turns, as with Curator's LeaderSelector and autoRequeue. */
async function selector({ world, subject, midpoint }: Stage): Promise<void> {
  const clients = { mine: subject, theirs: await world.client() };
  const terms: string[] = [];
  let leaders = 0;
  const onElected = (id: string) => async () => {
    assert.is(++leaders, 1);
    terms.push(id);
    await waitFor('the other candidate', async () => {
      return terms.length > 3 || (await world.children()).length === 2;
    });
    if (terms.length === 2) await midpoint();
    leaders--;
  };
  const stand = async (id: keyof typeof clients): Promise<void> => {
    const election = new LeaderElection(clients[id], world.path, { id });
    for (let term = 0; term < 2; term++) await election.lead({ onElected: onElected(id) });
  };
  await Promise.all([stand('mine'), stand('theirs')]);
  assert.is(terms.length, 4);
  assert.is(terms.filter((id) => id === 'mine').length, 2);
  assert.ok(
    ['mine,theirs,mine,theirs', 'theirs,mine,theirs,mine'].includes(terms.join()),
    terms.join(),
  );
}

export const CURATOR_SCENARIOS: readonly Scenario[] = [
  { name: 'shared count', run: sharedCount, isBuiltinOnly: true },
  { name: 'semaphore with a count', run: dynamicSemaphore, isBuiltinOnly: true },
  { name: 'atomic value', run: atomicValue, isBuiltinOnly: true },
  { name: 'atomic long', run: atomicLong, isBuiltinOnly: true },
  { name: 'distributed queue', run: distributedQueue, isBuiltinOnly: true },
  { name: 'delay queue', run: delayQueue, isBuiltinOnly: true },
  { name: 'persistent node', run: persistentNode },
  { name: 'registered instance', run: discovery, isBuiltinOnly: true },
  { name: 'caches', run: caches, isBuiltinOnly: true },
  { name: 'selector', run: selector },
];
