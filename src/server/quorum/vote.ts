/** What servers vote for while they look for a leader (FastLeaderElection, Vote). */

/** The states of a peer, in the order of their numbers on the wire (QuorumPeer.ServerState). */
export const PEER_STATES = ['looking', 'following', 'leading', 'observing'] as const;
export type PeerState = (typeof PEER_STATES)[number];

/** Who should lead, and why: the last zxid and the epoch of the one voted for. */
export interface Vote {
  readonly leader: number;
  readonly zxid: bigint;
  /** The round of the election in which the vote was cast. */
  readonly electionEpoch: bigint;
  /** The epoch (currentEpoch) of the one voted for. */
  readonly peerEpoch: bigint;
}
