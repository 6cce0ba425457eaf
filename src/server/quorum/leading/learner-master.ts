import type { Server } from '../../server.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Proposed } from './outstanding-proposals.js';

/** Brings learners in sync: a leader, or a follower that has observers. */
export interface LearnerMaster {
  /** The zxid of NEWLEADER: the epoch with counter 0. */
  readonly newLeaderZxid: bigint;
  /** Null before it serves. */
  readonly server: Server | null;
  /** The last txn that is committed, and on the disk of this server. */
  readonly storedZxid: bigint;
  outstanding(): Iterable<Proposed>;
  /** The learner acked NEWLEADER, and lacks no txn. */
  synchronized(handler: LearnerHandler): void;
}
