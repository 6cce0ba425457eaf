/**
 * How a leader comes by its epoch: three times it waits until a quorum, itself included, has done
 * something (Leader.getEpochToPropose, waitForEpochAck, waitForNewLeaderAck). Only counting; what
 * is sent and what is written is the leader's.
 */
import { MAX_EPOCH } from '../../../protocol/zxid.js';
import type { Membership } from './membership.js';

export type EstablishmentStage =
  /** Learners tell the epochs that they accepted. */
  | 'discovery'
  /** The new epoch is on its way to this server's disk. */
  | 'proposing'
  /** Learners promise to follow no older one. */
  | 'election'
  /** The epoch becomes this server's own, on its disk. */
  | 'taking'
  /** Learners are brought in sync. */
  | 'synchronization'
  | 'broadcast';

/**
 * By how many epochs a member may be ahead of its leader. A failed attempt to lead uses up one, so
 * members differ by few. A stranger can raise the epoch by this much in each election. It can cause
 * one election per TICKS_TO_YIELD, so the remaining epochs last for months.
 */
export const MAX_EPOCHS_AHEAD = 2 ** 16;

/**
 * A leader of fewer ticks does not end for a voter with a newer epoch, so that a stranger that
 * claims to be one cannot keep the ensemble from working. Apache's leader never does.
 */
const TICKS_TO_YIELD = 100;

/** Can it be followed by another epoch, and be that of a member whose leader has `ownEpoch`? */
export function isPossibleEpoch(epoch: number, ownEpoch: number): boolean {
  return epoch >= 0 && epoch < MAX_EPOCH && epoch <= ownEpoch + MAX_EPOCHS_AHEAD;
}

export class Establishment {
  stage: EstablishmentStage = 'discovery';
  /** The new epoch: newer than each that was told while nobody had decided. */
  epoch = 0;
  private readonly membership: Membership;
  private readonly sid: number;
  /** That this server accepted before. */
  private ownEpoch = 0;
  private readonly connected = new Set<number>();
  private readonly promised = new Set<number>();
  private readonly inSync = new Set<number>();

  constructor(membership: Membership, sid: number) {
    this.membership = membership;
    this.sid = sid;
  }

  /** May learners be brought in sync? */
  get isTaken(): boolean {
    return this.stage === 'synchronization' || this.stage === 'broadcast';
  }

  /**
   * A learner has told the epoch it accepted, this server first. True when that decides the new
   * one. What no member can have accepted does not count.
   */
  connect(sid: number, acceptedEpoch: number): boolean {
    if (this.stage !== 'discovery') return false;
    if (sid === this.sid) this.ownEpoch = acceptedEpoch;
    const isPossible = isPossibleEpoch(acceptedEpoch, this.ownEpoch);
    if (!this.membership.isMember(sid) || !isPossible) return false;
    this.epoch = Math.max(this.epoch, acceptedEpoch + 1);
    return this.reaches('proposing', this.connected, sid);
  }

  /**
   * Why the leader must end, after so many ticks of leading: a voter that accepted a newer epoch
   * in an attempt to lead that failed can follow no leader of this one. Null without a reason.
   */
  overtakenBy(sid: number, acceptedEpoch: number, ticks: number): string | null {
    if (this.stage !== 'broadcast' || ticks < TICKS_TO_YIELD) return null;
    const isNewer = acceptedEpoch > this.epoch && isPossibleEpoch(acceptedEpoch, this.ownEpoch);
    if (!isNewer || !this.membership.isVoter(sid)) return null;
    return `server ${sid} accepted epoch ${acceptedEpoch} and cannot follow in epoch ${this.epoch}`;
  }

  /** A learner has promised to follow no older epoch. True when a quorum has. */
  promise(sid: number): boolean {
    return this.stage === 'election' && this.reaches('taking', this.promised, sid);
  }

  /** A learner has acked NEWLEADER. True when a quorum has: the epoch is established. */
  sync(sid: number): boolean {
    return this.stage === 'synchronization' && this.reaches('broadcast', this.inSync, sid);
  }

  private reaches(next: EstablishmentStage, sids: Set<number>, sid: number): boolean {
    if (this.membership.isVoter(sid)) sids.add(sid);
    if (!sids.has(this.sid) || !this.membership.isQuorum(sids)) return false;
    this.stage = next;
    return true;
  }
}
