/** The exports of `zksh/recipes`. */

export { RecipeError, type RecipeErrorCode } from './base/errors.js';
export type { LoopOptions, WaitOptions } from './base/limit.js';
export type { ZnodeOptions } from './base/znodes.js';
export { Group, type GroupMembership, type Member } from './groups/group.js';
export {
  type Allocation,
  Partitioner,
  type PartitionerOptions,
} from './groups/partitioner.js';
export { PersistentNode, type PersistentNodeOptions } from './groups/persistent-node.js';
export {
  type Instance,
  ServiceCache,
  type ServiceCacheOptions,
  ServiceDirectory,
} from './groups/service-cache.js';
export {
  decodeServiceInstance,
  encodeServiceInstance,
  type ServiceInstance,
} from './groups/service-instance.js';
export {
  type DownPolicy,
  type ProviderStrategy,
  ServiceProvider,
  type ServiceProviderOptions,
} from './groups/service-provider.js';
export {
  LeaderElection,
  type LeaderElectionOptions,
  type Leadership,
  type LeadOptions,
} from './locks/leader-election.js';
export { type Held, Lock } from './locks/lock.js';
export type { LockOwner } from './locks/lock-owner.js';
export { type HeldAll, MultiLock } from './locks/multi-lock.js';
export { type OwnerToken, ReentrantLock } from './locks/reentrant-lock.js';
export {
  type AcquireSharedOptions,
  type HeldShared,
  type RevokeOptions,
  SharedLock,
  type SharedLockMode,
} from './locks/shared-lock.js';
export {
  DelayQueue,
  DistributedPriorityQueue,
  DistributedQueue,
  type PutOptions,
  type TakenItems,
} from './queues/distributed-queue.js';
export type { LockedItem } from './queues/locked-item.js';
export { LockingQueue } from './queues/locking-queue.js';
export { PriorityQueue, Queue, type QueueItem } from './queues/queue.js';
export { Barrier } from './synchronizers/barrier.js';
export {
  DoubleBarrier,
  type DoubleBarrierOptions,
  type Entered,
} from './synchronizers/double-barrier.js';
export { Semaphore, type SemaphoreOptions } from './synchronizers/semaphore.js';
export type { SiteNodes, TransactionState, Verdict } from './synchronizers/transaction.js';
export { TwoPhaseCommit } from './synchronizers/two-phase-commit.js';
export { type AtomicChange, AtomicLong, type AtomicOptions, AtomicValue } from './values/atomic.js';
export { Configuration, type Setting } from './values/configuration.js';
export { Counter } from './values/counter.js';
export { NameService } from './values/name-service.js';
export { SharedCount, type VersionedCount } from './values/shared-count.js';
