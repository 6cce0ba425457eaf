/** The exports of `zksh/recipes`. */

export { type AtomicChange, AtomicLong, type AtomicOptions, AtomicValue } from './atomic.js';
export { Barrier } from './barrier.js';
export { Configuration, type Setting } from './configuration.js';
export { Counter } from './counter.js';
export {
  DelayQueue,
  DistributedPriorityQueue,
  DistributedQueue,
  type PutOptions,
  type TakenItems,
} from './distributed-queue.js';
export { DoubleBarrier, type DoubleBarrierOptions, type Entered } from './double-barrier.js';
export { RecipeError, type RecipeErrorCode } from './errors.js';
export { Group, type Member, type Membership } from './group.js';
export {
  LeaderElection,
  type LeaderElectionOptions,
  type Leadership,
  type LeadOptions,
} from './leader-election.js';
export type { WaitOptions } from './limit.js';
export { type Held, Lock } from './lock.js';
export type { LockOwner } from './lock-owner.js';
export { type HeldAll, MultiLock } from './multi-lock.js';
export { NameService } from './name-service.js';
export { PersistentNode, type PersistentNodeOptions } from './persistent-node.js';
export { PriorityQueue, Queue, type QueueItem } from './queue.js';
export { type OwnerToken, ReentrantLock } from './reentrant-lock.js';
export { Semaphore, type SemaphoreOptions } from './semaphore.js';
export { type Instance, ServiceCache, ServiceDirectory } from './service-cache.js';
export {
  decodeServiceInstance,
  encodeServiceInstance,
  type ServiceInstance,
} from './service-instance.js';
export { SharedCount, type VersionedCount } from './shared-count.js';
export {
  type HeldShared,
  type RevokeOptions,
  SharedLock,
  type SharedLockMode,
} from './shared-lock.js';
export type { SiteNodes, TransactionState, Verdict } from './transaction.js';
export { TwoPhaseCommit } from './two-phase-commit.js';
export type { ZnodeOptions } from './znodes.js';
