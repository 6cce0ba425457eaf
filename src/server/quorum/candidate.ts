/** What a server stands for when it looks for a leader. */
import { isParticipant, type QuorumConfig } from './quorum-config.js';
import type { Candidacy } from './vote.js';

export interface Candidate {
  /** Of the last txn in its log; -1n when its history was lost, and it may not vote. */
  readonly zxid: bigint;
  /** Its currentEpoch. */
  readonly epoch: number;
  readonly isObserver: boolean;
  readonly config: QuorumConfig;
  /** One that a reconfig proposed and that is not committed: its quorums count as well. */
  readonly nextConfig?: QuorumConfig | undefined;
}

/** Long.MIN_VALUE: the vote of those that have none. */
const NOBODY = -(2n ** 63n);
const NO_HISTORY = -1n;

/** A server without a history votes for nobody, and nobody for it (db.autocreate=false). */
export function hasHistory({ zxid }: { readonly zxid: bigint }): boolean {
  return zxid !== NO_HISTORY;
}

/** Everybody's first vote is for itself. */
export function initialVote(
  { zxid, epoch, isObserver, config }: Candidate,
  sid: number,
): Candidacy {
  return {
    leader: isParticipant(config, sid) ? sid : Number(NOBODY),
    zxid: isObserver ? NOBODY : zxid,
    peerEpoch: isObserver ? NOBODY : BigInt(epoch),
  };
}
