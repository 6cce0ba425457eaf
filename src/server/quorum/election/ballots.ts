/** The last vote of each server of an ensemble, and which servers agree. */
import type { PeerState, Vote } from '../wire/vote.js';

export interface Ballot {
  readonly vote: Vote;
  readonly state: PeerState;
  /** The version of its notifications. */
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

  /** A leader that does not say that it leads may have stopped. */
  hasLeading(sid: number): boolean {
    return this.bySid.get(sid)?.state === 'leading';
  }

  delete(sid: number): void {
    this.bySid.delete(sid);
  }

  /** The servers with the same leader, round, zxid, and epoch. */
  votingLike(vote: Vote): Set<number> {
    return this.filter((other) => isSameVote(other.vote, vote));
  }

  /** In any round. */
  votingFor({ leader }: Vote): Set<number> {
    return this.filter(({ vote }) => vote.leader === leader);
  }

  /**
   * The servers that cast `vote` or follow its leader in this round. Once a leader exists, votes
   * differ in zxid and epoch, but agree on round and leader (ZOOKEEPER-1805).
   */
  agreeingInRound(vote: Vote): Set<number> {
    return this.filter((other) =>
      other.state === 'looking' ? isSameVote(other.vote, vote) : other.vote.leader === vote.leader,
    );
  }

  /**
   * The servers with the same leader in the same epoch. Servers that send no version do not raise
   * their epoch with the leader (ZOOKEEPER-1818).
   */
  agreeingWith({ vote, version }: Ballot): Set<number> {
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

function isSameVote(a: Vote, b: Vote): boolean {
  return (
    a.leader === b.leader &&
    a.zxid === b.zxid &&
    a.electionEpoch === b.electionEpoch &&
    a.peerEpoch === b.peerEpoch
  );
}
