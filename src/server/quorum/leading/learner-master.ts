import type { Server } from '../../server.js';
import type { Proposed } from './outstanding-proposals.js';

/** Brings learners in sync: a leader, or a follower that has observers. */
export interface LearnerMaster {
  /** The zxid of NEWLEADER: the epoch with counter 0. */
  readonly newLeaderZxid: bigint;
  /** Null before it serves. */
  readonly server: Server | null;
  outstanding(): Iterable<Proposed>;
}
