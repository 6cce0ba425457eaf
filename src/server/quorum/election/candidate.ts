import { RESET_ADVICE } from '../../../files/epochs.js';
import { MAX_EPOCH } from '../../../protocol/zxid.js';
import { isParticipant, type QuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import type { Candidacy } from '../wire/vote.js';

export interface Candidate {
  /** The last zxid of the log; -1n if the history is lost or the server can promise nothing. */
  readonly zxid: bigint;
  readonly epoch: number;
  readonly isObserver: boolean;
  readonly config: QuorumConfig;
  /** Proposed but not committed: its quorums count, too. */
  readonly nextConfig?: QuorumConfig | undefined;
}

/** Long.MIN_VALUE: the server has nobody to vote for. */
const NO_VOTE = -(2n ** 63n);
const NO_HISTORY = -1n;

/** A server without a history votes for nobody and gets no votes (db.autocreate=false). */
export function hasHistory({ zxid }: { readonly zxid: bigint }): boolean {
  return zxid !== NO_HISTORY;
}

/** After the last possible epoch, a server can promise no other, so it must not stand. */
export function offeredZxid(peer: PeerHost): bigint {
  if (peer.acceptedEpoch < MAX_EPOCH) return peer.data.tree.lastProcessedZxid;
  peer.note(`acceptedEpoch is ${peer.acceptedEpoch}, the last possible epoch. ${RESET_ADVICE}`);
  return NO_HISTORY;
}

export function initialVote(
  { zxid, epoch, isObserver, config }: Candidate,
  sid: number,
): Candidacy {
  return {
    leader: isParticipant(config, sid) ? sid : Number(NO_VOTE),
    zxid: isObserver ? NO_VOTE : zxid,
    peerEpoch: isObserver ? NO_VOTE : BigInt(epoch),
  };
}
