/**
 * The types of recipes, servers in tests, and the two compatible interfaces that applications rely
 * on, as public-types.ts.
 */
import type { EventEmitter } from 'node:events';
import type * as oldClient from '../../src/compat/node-zookeeper-client/index.js';
import type * as oldBinding from '../../src/compat/zookeeper/index.js';
import type {
  Allocation,
  AtomicChange,
  AtomicLong,
  AtomicValue,
  Barrier,
  Configuration,
  Counter,
  DelayQueue,
  DistributedQueue,
  DoubleBarrier,
  Entered,
  Group,
  GroupMembership,
  Held,
  HeldAll,
  HeldShared,
  Instance,
  LeaderElection,
  Leadership,
  Lock,
  LockedItem,
  LockingQueue,
  LockOwner,
  Member,
  MultiLock,
  NameService,
  Partitioner,
  PriorityQueue,
  Queue,
  QueueItem,
  ReentrantLock,
  Semaphore,
  ServiceCache,
  ServiceProvider,
  Setting,
  SharedCount,
  SharedLock,
  TakenItems,
  TwoPhaseCommit,
  Verdict,
  VersionedCount,
  WaitOptions,
} from '../../src/recipes/index.js';
import type {
  RunningEnsemble,
  RunningServer,
  ServerControl,
  startEnsemble,
  startServer,
} from '../../src/server/main.js';
import { expectSame, type Result } from './expect-same.js';

// Every call takes the same options last, and they may be missing.
expectSame<Parameters<Lock['acquire']>, [options?: WaitOptions | undefined]>(true);
expectSame<Parameters<Lock['owner']>, [options?: WaitOptions | undefined]>(true);
expectSame<
  Parameters<Queue['put']>,
  [data: string | Uint8Array<ArrayBufferLike>, options?: WaitOptions | undefined]
>(true);
expectSame<keyof WaitOptions, 'signal' | 'timeoutMs'>(true);

expectSame<Result<Lock['acquire']>, Held>(true);
expectSame<Result<Lock['owner']>, LockOwner | undefined>(true);
expectSame<Held['fencingToken'], bigint>(true);
expectSame<Held['signal'], AbortSignal>(true);
expectSame<Result<ReentrantLock['acquire']>, Held>(true);
expectSame<Result<Semaphore['acquire']>, Held>(true);
expectSame<Result<MultiLock['acquire']>, HeldAll>(true);
expectSame<Result<SharedLock['acquire']>, HeldShared>(true);
expectSame<HeldShared['mode'], 'read' | 'write'>(true);
expectSame<Result<SharedLock['revoke']>, number>(true);
expectSame<Result<LeaderElection['leader']>, string | undefined>(true);
expectSame<Leadership['fencingToken'], bigint>(true);
expectSame<Result<Barrier['raise']>, void>(true);
expectSame<Result<DoubleBarrier['enter']>, Entered>(true);
expectSame<Result<Queue['take']>, QueueItem>(true);
expectSame<Result<PriorityQueue['peek']>, QueueItem | undefined>(true);
expectSame<Result<DistributedQueue['take']>, TakenItems>(true);
expectSame<Result<DelayQueue['size']>, number>(true);
expectSame<Result<LockingQueue['take']>, LockedItem>(true);
expectSame<LockedItem['signal'], AbortSignal>(true);
expectSame<ReturnType<Partitioner['allocations']>, AsyncGenerator<Allocation, never>>(true);
expectSame<Allocation['fencingTokens'], ReadonlyMap<string, bigint>>(true);
expectSame<ReturnType<ServiceProvider['next']>, Instance | undefined>(true);
expectSame<Result<Group['join']>, GroupMembership>(true);
expectSame<Result<Group['members']>, readonly Member[]>(true);
expectSame<Result<Configuration['read']>, Setting | undefined>(true);
expectSame<Result<Configuration['compareAndSet']>, number | undefined>(true);
expectSame<Result<SharedCount['read']>, VersionedCount | undefined>(true);
expectSame<Result<Counter['add']>, bigint>(true);
expectSame<Result<AtomicLong['add']>, AtomicChange<bigint>>(true);
expectSame<Result<AtomicValue['read']>, Buffer | undefined>(true);
expectSame<Result<NameService['resolve']>, Buffer | undefined>(true);
expectSame<Result<TwoPhaseCommit['decide']>, Verdict>(true);
expectSame<ReturnType<ServiceCache['services']>, readonly string[]>(true);
expectSame<ServiceCache['ended'], Promise<never>>(true);

// Everything that a program holds works with `await using`.
type Disposable =
  | LockedItem
  | Held
  | HeldAll
  | HeldShared
  | GroupMembership
  | Entered
  | ServiceCache;
expectSame<Disposable extends AsyncDisposable ? true : false, true>(true);
expectSame<RunningServer | RunningEnsemble extends AsyncDisposable ? true : false, true>(true);

expectSame<Result<typeof startServer>, RunningServer>(true);
expectSame<Result<typeof startEnsemble>, RunningEnsemble>(true);
expectSame<RunningServer['control'], ServerControl>(true);
expectSame<RunningServer['connectString'], string>(true);
expectSame<Parameters<ServerControl['expireSession']>, [id: bigint]>(true);
expectSame<Parameters<ServerControl['cut']>, [sessionId?: bigint | undefined]>(true);
expectSame<Parameters<ServerControl['delayReplies']>, [ms: number]>(true);
expectSame<
  keyof ServerControl,
  | ('sessions' | 'expireSession' | 'cut' | 'refuseConnections' | 'delayReplies')
  | ('dropReplies' | 'refuseWrites' | 'goReadOnly' | 'freezeTime' | 'heal')
>(true);

expectSame<ReturnType<typeof oldClient.createClient>, oldClient.Client>(true);
expectSame<oldClient.Client extends EventEmitter ? true : false, true>(true);
expectSame<ReturnType<oldClient.Client['getSessionId']>, Buffer>(true);
expectSame<oldBinding.ZooKeeper extends EventEmitter ? true : false, true>(true);
expectSame<typeof oldBinding.default, typeof oldBinding.ZooKeeper>(true);
expectSame<typeof oldBinding.ZooKeeper.ZOO_EPHEMERAL, 1>(true);
