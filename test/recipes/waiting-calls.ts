/** Every call of a recipe that waits for an event, in a state in which it waits, and every loop. */
import type { WatchChange, ZooKeeperClient } from '../../src/client/index.js';
import {
  AtomicValue,
  Barrier,
  Configuration,
  DelayQueue,
  DistributedPriorityQueue,
  DistributedQueue,
  DoubleBarrier,
  Group,
  LeaderElection,
  Lock,
  MultiLock,
  PersistentNode,
  PriorityQueue,
  Queue,
  ReentrantLock,
  Semaphore,
  SharedCount,
  SharedLock,
  TwoPhaseCommit,
  type WaitOptions,
} from '../../src/recipes/index.js';

/** Lets the wait end. */
type Free = () => Promise<unknown>;

export interface WaitingCall {
  /** Makes the state in which the call waits. @param other another session */
  readonly given: (other: ZooKeeperClient, path: string, own: ZooKeeperClient) => Promise<Free>;
  readonly wait: (client: ZooKeeperClient, path: string, options: WaitOptions) => Promise<unknown>;
  /** What the end of the timeout means, if not a TimeoutError. */
  readonly late?: unknown;
}

const lockHeld = async (other: ZooKeeperClient, path: string): Promise<Free> => {
  const held = await new Lock(other, path).acquire();
  return () => held.release();
};
const sharedBy = (mode: 'read' | 'write') => async (other: ZooKeeperClient, path: string) => {
  const held = await new SharedLock(other, path).acquire(mode);
  return () => held.release();
};
const oneLease = async (other: ZooKeeperClient, path: string): Promise<Free> => {
  const held = await new Semaphore(other, path, { permits: 1 }).acquire();
  return () => held.release();
};
const nothing = async (): Promise<void> => undefined;
const lockOf = (client: ZooKeeperClient, path: string) =>
  new AtomicValue(client, path, { attempts: 1, lockPath: `${path}-lock` });
/** What a wait of a queue begins with: an empty queue that has had an item. */
const usedUp =
  (
    make: (
      client: ZooKeeperClient,
      path: string,
    ) => {
      put(): Promise<unknown>;
      take(): Promise<unknown>;
    },
  ) =>
  async (other: ZooKeeperClient, path: string): Promise<Free> => {
    const queue = make(other, path);
    await queue.put();
    await queue.take();
    return () => queue.put();
  };

const begun = async (other: ZooKeeperClient, path: string): Promise<TwoPhaseCommit> => {
  const transaction = new TwoPhaseCommit(other, path);
  await transaction.begin(['a', 'b']);
  return transaction;
};

const LOCKS: Readonly<Record<string, WaitingCall>> = {
  'Lock.acquire': { given: lockHeld, wait: (c, p, o) => new Lock(c, p).acquire(o) },
  'Lock.do': { given: lockHeld, wait: (c, p, o) => new Lock(c, p).do(nothing, o) },
  'ReentrantLock.acquire': {
    given: lockHeld,
    wait: (c, p, o) => new ReentrantLock(c, p).acquire('me', o),
  },
  'MultiLock.acquire': {
    given: (other, path) => lockHeld(other, `${path}-2`),
    wait: (c, p, o) => new MultiLock(c, [p, `${p}-2`]).acquire(o),
  },
  'SharedLock.acquire, a reader': {
    given: sharedBy('write'),
    wait: (c, p, o) => new SharedLock(c, p).acquire('read', o),
  },
  'SharedLock.acquire, a writer that may be revoked': {
    given: sharedBy('read'),
    wait: (c, p, o) => new SharedLock(c, p).acquire('write', { ...o, onRevoked: () => undefined }),
  },
  'SharedLock.do': {
    given: sharedBy('read'),
    wait: (c, p, o) => new SharedLock(c, p).do('write', nothing, o),
  },
  'SharedLock.revoke': {
    given: sharedBy('read'),
    wait: (c, p, o) => new SharedLock(c, p).revoke('write', { forceAfterMs: 60_000, ...o }),
  },
  'Semaphore.acquire': {
    given: oneLease,
    wait: (c, p, o) => new Semaphore(c, p, { permits: 1 }).acquire(o),
  },
  'Semaphore.acquire, of a shared count': {
    given: async (other, path) => {
      await new SharedCount(other, `${path}-count`).set(1);
      return oneLease(other, path);
    },
    wait: (c, p, o) => new Semaphore(c, p, { permitsPath: `${p}-count` }).acquire(o),
  },
  'Semaphore.do': {
    given: oneLease,
    wait: (c, p, o) => new Semaphore(c, p, { permits: 1 }).do(nothing, o),
  },
  'LeaderElection.lead': {
    given: async (other, path) => {
      let resign = (): void => undefined;
      const work = new Promise<void>((resolve) => {
        resign = resolve;
      });
      let isElected = (): void => undefined;
      const elected = new Promise<void>((resolve) => {
        isElected = resolve;
      });
      const onElected = (): Promise<void> => {
        isElected();
        return work;
      };
      const led = new LeaderElection(other, path, { id: 'other' }).lead({ onElected });
      await elected;
      return () => {
        resign();
        return led;
      };
    },
    wait: (c, p, o) => new LeaderElection(c, p, { id: 'me' }).lead({ ...o, onElected: nothing }),
  },
};

const SYNCHRONIZERS: Readonly<Record<string, WaitingCall>> = {
  'Barrier.wait': {
    given: async (other, path) => {
      await new Barrier(other, path).raise();
      return () => new Barrier(other, path).remove();
    },
    wait: (c, p, o) => new Barrier(c, p).wait(o),
  },
  'DoubleBarrier.enter': {
    given: async (other, path) => () => new DoubleBarrier(other, path, { count: 2 }).enter(),
    wait: (c, p, o) => new DoubleBarrier(c, p, { count: 2 }).enter(o),
  },
  'TwoPhaseCommit.decide': {
    given: async (other, path) => {
      const transaction = await begun(other, path);
      return () => transaction.vote('a', 'abort');
    },
    wait: (c, p, o) => new TwoPhaseCommit(c, p).decide(o),
    late: 'abort',
  },
  'TwoPhaseCommit.decision': {
    given: async (other, path) => {
      const transaction = await begun(other, path);
      return () => transaction.abort();
    },
    wait: (c, p, o) => new TwoPhaseCommit(c, p).decision(o),
  },
  'TwoPhaseCommit.finish': {
    given: async (other, path) => {
      const transaction = await begun(other, path);
      await transaction.abort();
      return async () => {
        await transaction.acknowledge('a');
        await transaction.acknowledge('b');
      };
    },
    wait: (c, p, o) => new TwoPhaseCommit(c, p).finish(o),
  },
  'PersistentNode.open': {
    given: async (other, path) => {
      const node = await PersistentNode.open(other, path);
      return () => node.close();
    },
    wait: (c, p, o) => PersistentNode.open(c, p, o),
  },
  'AtomicValue.update, in the line of its lock': {
    given: async (other, path) => {
      await other.create(path, 'x');
      return lockHeld(other, `${path}-lock`);
    },
    wait: (c, p, o) =>
      lockOf(c, p).update((before) => {
        // Before the write of the first attempt, which fails so.
        if (String(before) === 'x') c.setData(p, 'of another').catch(nothing);
        return 'y';
      }, o),
  },
};

const QUEUES: Readonly<Record<string, WaitingCall>> = {
  'Queue.take': {
    given: usedUp((c, p) => {
      const queue = new Queue(c, p);
      return { put: () => queue.put('x'), take: () => queue.take() };
    }),
    wait: (c, p, o) => new Queue(c, p).take(o),
  },
  'PriorityQueue.take': {
    given: usedUp((c, p) => {
      const queue = new PriorityQueue(c, p);
      return { put: () => queue.put('x', 3), take: () => queue.take() };
    }),
    wait: (c, p, o) => new PriorityQueue(c, p).take(o),
  },
  'DistributedQueue.take': {
    given: usedUp((c, p) => {
      const queue = new DistributedQueue(c, p);
      return { put: () => queue.put('x'), take: () => queue.take() };
    }),
    wait: (c, p, o) => new DistributedQueue(c, p).take(o),
  },
  'DistributedPriorityQueue.take': {
    given: usedUp((c, p) => {
      const queue = new DistributedPriorityQueue(c, p);
      return { put: () => queue.put('x', 3), take: () => queue.take() };
    }),
    wait: (c, p, o) => new DistributedPriorityQueue(c, p).take(o),
  },
  'DelayQueue.take, before an item is due': {
    given: async (other, path) => {
      const queue = new DelayQueue(other, path);
      await queue.put('later', Date.now() + 3_600_000);
      return () => queue.put('now', 1);
    },
    wait: (c, p, o) => new DelayQueue(c, p).take(o),
  },
  'Queue.take, behind another taker': {
    given: async (other, path) => {
      const queue = new Queue(other, path);
      const stop = new AbortController();
      const first = queue.take({ signal: stop.signal }).catch(() => undefined);
      return async () => {
        stop.abort();
        await first;
        await queue.put('x');
      };
    },
    wait: (c, p, o) => new Queue(c, p).take(o),
  },
};

export const WAITING_CALLS = { ...LOCKS, ...SYNCHRONIZERS, ...QUEUES };

type Loop = (
  client: ZooKeeperClient,
  path: string,
  options: { readonly signal?: AbortSignal },
) => AsyncGenerator<unknown>;

const watchOf = (client: ZooKeeperClient, path: string, options: object) =>
  client.watch(path, options) as AsyncGenerator<WatchChange>;

/** Every loop of a recipe and of a client. */
export const LOOPS: Readonly<Record<string, Loop>> = {
  'Lock.owners': (c, p, o) => new Lock(c, p).owners(o),
  'LeaderElection.changes': (c, p, o) => new LeaderElection(c, p, { id: 'me' }).changes(o),
  'Group.changes': (c, p, o) => new Group(c, p).changes(o),
  'Configuration.changes': (c, p, o) => new Configuration(c, p).changes(o),
  'SharedCount.changes': (c, p, o) => new SharedCount(c, p).changes(o),
  'client.watch': (c, p, o) => watchOf(c, p, o),
  'client.watch, recursive': (c, p, o) => watchOf(c, p, { ...o, recursive: true }),
};
