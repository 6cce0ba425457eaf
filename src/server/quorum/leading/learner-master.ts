import type { Server } from '../../server.js';
import type { Proposed } from './outstanding-proposals.js';

/** Who brings learners in sync: a leader, or a follower that has observers. */
export interface LearnerMaster {
  /** That of NEWLEADER: the epoch, before its first txn. */
  readonly newLeaderZxid: bigint;
  /** Null before it serves. */
  readonly server: Server | null;
  /** What is proposed and not committed, for those who vote. */
  outstanding(): Iterable<Proposed>;
}
