/** What a server stands for when it looks for a leader. */
import { MAX_EPOCH } from '../../../protocol/zxid.js';
import { RESET_ADVICE } from '../../persistence/epochs.js';
import { isParticipant, type QuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import type { Candidacy } from '../wire/vote.js';

export interface Candidate {
  /** Of the last txn in its log; -1n when its history was lost or it can promise nothing. */
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

/**
 * The last zxid, unless this server has accepted the last epoch. It can promise no other then, and
 * would fail as a leader again and again, so it must not stand.
 */
export function offeredZxid(peer: PeerHost): bigint {
  if (peer.acceptedEpoch < MAX_EPOCH) return peer.data.tree.lastProcessedZxid;
  peer.note(`acceptedEpoch is ${peer.acceptedEpoch}, the last: ${RESET_ADVICE}`);
  return NO_HISTORY;
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
