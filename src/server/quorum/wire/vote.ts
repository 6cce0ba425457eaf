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

/** What a vote consists of where the round is known. */
export type Candidacy = Pick<Vote, 'leader' | 'zxid' | 'peerEpoch'>;

/** Is `a` the one to vote for? The later epoch wins, then the later zxid, then the greater sid. */
export function isBetter(a: Candidacy, b: Candidacy): boolean {
  if (a.peerEpoch !== b.peerEpoch) return a.peerEpoch > b.peerEpoch;
  if (a.zxid !== b.zxid) return a.zxid > b.zxid;
  return a.leader > b.leader;
}
