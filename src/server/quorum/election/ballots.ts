/** What the servers of an ensemble said last, and who of them agrees. */
import type { PeerState, Vote } from '../wire/vote.js';

/** What one server said last. */
export interface Ballot {
  readonly vote: Vote;
  readonly state: PeerState;
  /** Of its notifications. */
  readonly version: number;
}

export class Ballots {
  private readonly bySid = new Map<number, Ballot>();

  clear(): void {
    this.bySid.clear();
  }

  set(sid: number, ballot: Ballot): void {
    this.bySid.set(sid, ballot);
  }

  has(sid: number): boolean {
    return this.bySid.has(sid);
  }

  /** Did it say that it leads? One that did not may be gone, and its followers not know it yet. */
  hasLeading(sid: number): boolean {
    return this.bySid.get(sid)?.state === 'leading';
  }

  delete(sid: number): void {
    this.bySid.delete(sid);
  }

  /** Who votes for the same server in the same round, for the same reasons. */
  votingLike(vote: Vote): Set<number> {
    return this.filter((other) => isSameVote(other.vote, vote));
  }

  /** Who votes for the same leader, whatever else. */
  votingFor({ leader }: Vote): Set<number> {
    return this.filter(({ vote }) => vote.leader === leader);
  }

  /**
   * Who has voted in the round in which `vote` was settled as it was, or has settled on its leader.
   * Settled votes differ in zxid and epoch by when their servers were synced with: the round and
   * the leader are what they agree on (ZOOKEEPER-1805).
   */
  agreeingInRound(vote: Vote): Set<number> {
    return this.filter((other) =>
      other.state === 'looking' ? isSameVote(other.vote, vote) : other.vote.leader === vote.leader,
    );
  }

  /**
   * Who follows the same leader in the same epoch, or leads. Notifications without a version are
   * of servers that do not raise their epoch with the leader's (ZOOKEEPER-1818).
   */
  settledLike({ vote, version }: Ballot): Set<number> {
    return this.filter(
      (other) =>
        other.vote.leader === vote.leader &&
        (other.vote.peerEpoch === vote.peerEpoch || isVersioned(other) !== version > 0),
    );
  }

  private filter(agrees: (ballot: Ballot) => boolean): Set<number> {
    const sids = new Set<number>();
    for (const [sid, ballot] of this.bySid) if (agrees(ballot)) sids.add(sid);
    return sids;
  }
}

function isVersioned({ version }: Ballot): boolean {
  return version > 0;
}

/** Are these votes of servers that look for a leader the same? */
function isSameVote(a: Vote, b: Vote): boolean {
  return (
    a.leader === b.leader &&
    a.zxid === b.zxid &&
    a.electionEpoch === b.electionEpoch &&
    a.peerEpoch === b.peerEpoch
  );
}
