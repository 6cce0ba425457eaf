/** In the order of their numbers on the wire (QuorumPeer.ServerState). */
export const PEER_STATES = ['looking', 'following', 'leading', 'observing'] as const;
export type PeerState = (typeof PEER_STATES)[number];

export interface Vote {
  readonly leader: number;
  readonly zxid: bigint;
  /** The round of the election in which the vote was cast. */
  readonly electionEpoch: bigint;
  /** The currentEpoch of the proposed leader. */
  readonly peerEpoch: bigint;
}

export type Candidacy = Pick<Vote, 'leader' | 'zxid' | 'peerEpoch'>;

/** The later epoch wins, then the later zxid, then the higher sid. */
export function isBetter(a: Candidacy, b: Candidacy): boolean {
  if (a.peerEpoch !== b.peerEpoch) return a.peerEpoch > b.peerEpoch;
  if (a.zxid !== b.zxid) return a.zxid > b.zxid;
  return a.leader > b.leader;
}
