/** Every call of every recipe, with what it needs to end without an event. */
import type { ZooKeeperClient } from '../../src/client/index.js';
import {
  AtomicLong,
  AtomicValue,
  Barrier,
  Configuration,
  Counter,
  DelayQueue,
  DistributedPriorityQueue,
  DistributedQueue,
  DoubleBarrier,
  Group,
  LeaderElection,
  Lock,
  type LockedItem,
  LockingQueue,
  MultiLock,
  NameService,
  PersistentNode,
  PriorityQueue,
  Queue,
  ReentrantLock,
  Semaphore,
  ServiceCache,
  ServiceDirectory,
  SharedCount,
  SharedLock,
  TwoPhaseCommit,
  type WaitOptions,
} from '../../src/recipes/index.js';

type Begin = (
  client: ZooKeeperClient,
  path: string,
  options: WaitOptions,
  prepared: unknown,
) => Promise<unknown>;

export interface Row {
  readonly call: Begin;
  /** Makes what the call needs, so that it ends without an event. */
  readonly given?: (client: ZooKeeperClient, path: string) => Promise<unknown>;
  /** The request that no limit may give up, because it decides who has the item. */
  readonly decides?: string;
}

const LONG = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]);
const COUNT = Buffer.from([0, 0, 0, 1]);
const has = (data: Buffer | string) => (client: ZooKeeperClient, path: string) =>
  client.create(path, data);
const begun = (client: ZooKeeperClient, path: string) =>
  new TwoPhaseCommit(client, path).begin(['a']);
const voted = async (client: ZooKeeperClient, path: string) => {
  await begun(client, path);
  await new TwoPhaseCommit(client, path).vote('a', 'commit');
};
const decided = async (client: ZooKeeperClient, path: string) => {
  await voted(client, path);
  await new TwoPhaseCommit(client, path).decide();
};
const votedAlone = async (client: ZooKeeperClient, path: string) => {
  const transaction = new TwoPhaseCommit(client, path);
  await transaction.begin(['a'], 'sites');
  await transaction.vote('a', 'commit');
  return transaction;
};
const takenItem = async (client: ZooKeeperClient, path: string) => {
  const queue = new LockingQueue(client, path);
  await queue.put('x');
  return queue.take();
};

/** Every public method of the recipes that returns a promise. */
export const ROWS: Readonly<Record<string, Row>> = {
  'AtomicLong.value': { call: (c, p, o) => new AtomicLong(c, p).value(o), given: has(LONG) },
  'AtomicLong.add': { call: (c, p, o) => new AtomicLong(c, p).add(1n, o), given: has(LONG) },
  'AtomicLong.set': { call: (c, p, o) => new AtomicLong(c, p).set(1n, o), given: has(LONG) },
  'AtomicLong.compareAndSet': {
    call: (c, p, o) => new AtomicLong(c, p).compareAndSet(1n, 2n, o),
    given: has(LONG),
  },
  'AtomicValue.read': { call: (c, p, o) => new AtomicValue(c, p).read(o), given: has('x') },
  'AtomicValue.compareAndSet': {
    call: (c, p, o) => new AtomicValue(c, p).compareAndSet('x', 'y', o),
    given: has('x'),
  },
  'AtomicValue.update': {
    call: (c, p, o) => new AtomicValue(c, p).update(() => 'y', o),
    given: has('x'),
  },
  'Barrier.raise': { call: (c, p, o) => new Barrier(c, `${p}/b`).raise(o) },
  'Barrier.remove': { call: (c, p, o) => new Barrier(c, p).remove(o), given: has('') },
  'Barrier.wait': { call: (c, p, o) => new Barrier(c, p).wait(o) },
  'Configuration.read': { call: (c, p, o) => new Configuration(c, p).read(o), given: has('x') },
  'Configuration.create': { call: (c, p, o) => new Configuration(c, `${p}/s`).create('x', o) },
  'Configuration.compareAndSet': {
    call: (c, p, o) => new Configuration(c, p).compareAndSet('y', 0, o),
    given: has('x'),
  },
  'Counter.value': { call: (c, p, o) => new Counter(c, p).value(o), given: has('1') },
  'Counter.add': { call: (c, p, o) => new Counter(c, p).add(1n, o), given: has('1') },
  'DelayQueue.put': { call: (c, p, o) => new DelayQueue(c, p).put('x', 1, o) },
  'DelayQueue.take': {
    call: (c, p, o) => new DelayQueue(c, p).take(o),
    given: (c, p) => new DelayQueue(c, p).put('x', 1),
    decides: 'multi',
  },
  'DelayQueue.size': { call: (c, p, o) => new DelayQueue(c, p).size(o) },
  'DistributedPriorityQueue.put': {
    call: (c, p, o) => new DistributedPriorityQueue(c, p).put('x', 1, o),
  },
  'DistributedPriorityQueue.take': {
    call: (c, p, o) => new DistributedPriorityQueue(c, p).take(o),
    given: (c, p) => new DistributedPriorityQueue(c, p).put('x', 1),
    decides: 'multi',
  },
  'DistributedPriorityQueue.size': {
    call: (c, p, o) => new DistributedPriorityQueue(c, p).size(o),
  },
  'DistributedQueue.put': { call: (c, p, o) => new DistributedQueue(c, p).put('x', o) },
  'DistributedQueue.take': {
    call: (c, p, o) => new DistributedQueue(c, p).take(o),
    given: (c, p) => new DistributedQueue(c, p).put('x'),
    decides: 'multi',
  },
  'DistributedQueue.size': { call: (c, p, o) => new DistributedQueue(c, p).size(o) },
  'DoubleBarrier.enter': { call: (c, p, o) => new DoubleBarrier(c, p, { count: 1 }).enter(o) },
  'DoubleBarrier.enter, leave': {
    given: (c, p) => new DoubleBarrier(c, p, { count: 1 }).enter(),
    call: (_client, _path, o, entered) =>
      (entered as Awaited<ReturnType<DoubleBarrier['enter']>>).leave(o),
  },
  'Group.join': { call: (c, p, o) => new Group(c, p).join('a', 'x', o) },
  'Group.ids': { call: (c, p, o) => new Group(c, p).ids(o) },
  'Group.members': {
    call: (c, p, o) => new Group(c, p).members(o),
    given: (c, p) => new Group(c, p).join('a', 'x'),
  },
  'LeaderElection.lead': {
    call: (c, p, { signal }) =>
      new LeaderElection(c, p, { id: 'a' }).lead({
        onElected: () => undefined,
        ...(signal === undefined ? {} : { signal }),
      }),
    // The place of a leader ends before its promise: another may lead then.
    decides: 'delete',
  },
  'LeaderElection.leader': { call: (c, p, o) => new LeaderElection(c, p, { id: 'a' }).leader(o) },
  'LeaderElection.candidates': {
    call: (c, p, o) => new LeaderElection(c, p, { id: 'a' }).candidates(o),
  },
  'LeaderElection.acknowledged': {
    call: (c, p, o) => new LeaderElection(c, p, { id: 'a' }).acknowledged(o),
  },
  'Lock.acquire': { call: (c, p, o) => new Lock(c, p).acquire(o) },
  'Lock.tryAcquire': { call: (c, p, o) => new Lock(c, p).tryAcquire(o) },
  'Lock.do': { call: (c, p, o) => new Lock(c, p).do(() => 1, o), decides: 'delete' },
  'Lock.owner': { call: (c, p, o) => new Lock(c, p).owner(o) },
  'LockingQueue.put': { call: (c, p, o) => new LockingQueue(c, p).put('x', 1, o) },
  'LockingQueue.putAll': { call: (c, p, o) => new LockingQueue(c, p).putAll(['x'], 1, o) },
  'LockingQueue.take': {
    call: (c, p, o) => new LockingQueue(c, p).take(o),
    given: (c, p) => new LockingQueue(c, p).put('x'),
  },
  'LockingQueue.take, done': {
    given: takenItem,
    call: (_client, _path, o, item) => (item as LockedItem).done(o),
  },
  'LockingQueue.take, release': {
    given: takenItem,
    call: (_client, _path, o, item) => (item as LockedItem).release(o),
  },
  'LockingQueue.size': { call: (c, p, o) => new LockingQueue(c, p).size(o) },
  'MultiLock.acquire': { call: (c, p, o) => new MultiLock(c, [p, `${p}-2`]).acquire(o) },
  'NameService.bind': { call: (c, p, o) => new NameService(c, p).bind('a', 'x', o) },
  'NameService.resolve': { call: (c, p, o) => new NameService(c, p).resolve('a', o) },
  'NameService.unbind': { call: (c, p, o) => new NameService(c, p).unbind('a', o) },
  'NameService.names': { call: (c, p, o) => new NameService(c, p).names(o) },
  'PersistentNode.open': { call: (c, p, o) => PersistentNode.open(c, p, o) },
  'PersistentNode.setData': {
    given: (c, p) => PersistentNode.open(c, p),
    call: (_client, _path, o, node) => (node as PersistentNode).setData('y', o),
  },
  'PriorityQueue.put': { call: (c, p, o) => new PriorityQueue(c, p).put('x', 1, o) },
  'PriorityQueue.take': {
    call: (c, p, o) => new PriorityQueue(c, p).take(o),
    given: (c, p) => new PriorityQueue(c, p).put('x', 1),
    decides: 'multi',
  },
  'PriorityQueue.peek': { call: (c, p, o) => new PriorityQueue(c, p).peek(o) },
  'PriorityQueue.items': { call: (c, p, o) => new PriorityQueue(c, p).items(o) },
  'Queue.put': { call: (c, p, o) => new Queue(c, p).put('x', o) },
  'Queue.take': {
    call: (c, p, o) => new Queue(c, p).take(o),
    given: (c, p) => new Queue(c, p).put('x'),
    decides: 'multi',
  },
  'Queue.peek': {
    call: (c, p, o) => new Queue(c, p).peek(o),
    given: (c, p) => new Queue(c, p).put('x'),
  },
  'Queue.items': { call: (c, p, o) => new Queue(c, p).items(o) },
  'ReentrantLock.acquire': { call: (c, p, o) => new ReentrantLock(c, p).acquire('me', o) },
  'Semaphore.acquire': { call: (c, p, o) => new Semaphore(c, p, { permits: 1 }).acquire(o) },
  'Semaphore.tryAcquire': {
    call: (c, p, o) => new Semaphore(c, p, { permits: 1 }).tryAcquire(o),
  },
  'Semaphore.do': {
    call: (c, p, o) => new Semaphore(c, p, { permits: 1 }).do(() => 1, o),
    decides: 'delete',
  },
  'ServiceCache.open': { call: (c, p, o) => ServiceCache.open(c, p, () => undefined, o) },
  'ServiceDirectory.announce': {
    call: (c, p, o) => new ServiceDirectory(c, p).announce('web', 'a', 'x', o),
  },
  'ServiceDirectory.register': {
    call: (c, p, o) => new ServiceDirectory(c, p).register({ name: 'web', id: 'a' }, o),
  },
  'SharedCount.read': { call: (c, p, o) => new SharedCount(c, p).read(o), given: has(COUNT) },
  'SharedCount.create': { call: (c, p, o) => new SharedCount(c, p).create(1, o) },
  'SharedCount.set': { call: (c, p, o) => new SharedCount(c, p).set(2, o), given: has(COUNT) },
  'SharedCount.compareAndSet': {
    call: (c, p, o) => new SharedCount(c, p).compareAndSet(2, 0, o),
    given: has(COUNT),
  },
  'SharedLock.acquire': { call: (c, p, o) => new SharedLock(c, p).acquire('read', o) },
  'SharedLock.tryAcquire': { call: (c, p, o) => new SharedLock(c, p).tryAcquire('read', o) },
  'SharedLock.do': {
    call: (c, p, o) => new SharedLock(c, p).do('read', () => 1, o),
    decides: 'delete',
  },
  'SharedLock.revoke': {
    call: (c, p, o) => new SharedLock(c, p).revoke('write', { forceAfterMs: 1, ...o }),
    given: (c, p) => new SharedLock(c, p).acquire('read'),
  },
  'TwoPhaseCommit.begin': {
    call: (c, p, o) => new TwoPhaseCommit(c, p).begin(['a'], 'coordinator', 'x', o),
  },
  'TwoPhaseCommit.decide': { call: (c, p, o) => new TwoPhaseCommit(c, p).decide(o), given: voted },
  'TwoPhaseCommit.abort': { call: (c, p, o) => new TwoPhaseCommit(c, p).abort(o), given: begun },
  'TwoPhaseCommit.finish': {
    call: (c, p, o) => new TwoPhaseCommit(c, p).finish(o),
    given: async (c, p) => {
      await decided(c, p);
      await new TwoPhaseCommit(c, p).acknowledge('a');
    },
  },
  'TwoPhaseCommit.remove': { call: (c, p, o) => new TwoPhaseCommit(c, p).remove(o), given: begun },
  'TwoPhaseCommit.vote': {
    call: (c, p, o) => new TwoPhaseCommit(c, p).vote('a', 'commit', o),
    given: begun,
  },
  'TwoPhaseCommit.decision': {
    call: (c, p, o) => new TwoPhaseCommit(c, p).decision(o),
    given: decided,
  },
  'TwoPhaseCommit.acknowledge': {
    call: (c, p, o) => new TwoPhaseCommit(c, p).acknowledge('a', o),
    given: decided,
  },
  'TwoPhaseCommit.acknowledge, with its vote': {
    given: votedAlone,
    call: (_client, _path, o, transaction) => (transaction as TwoPhaseCommit).acknowledge('a', o),
  },
  'TwoPhaseCommit.state': { call: (c, p, o) => new TwoPhaseCommit(c, p).state(o), given: voted },
};
