/**
 * How a leader establishes its epoch: it waits three times for a quorum with itself
 * (Leader.getEpochToPropose, waitForEpochAck, waitForNewLeaderAck). This class only counts; the
 * leader sends and writes.
 */
import { assert } from '../../../base/assert.js';
import { MAX_EPOCH } from '../../../protocol/zxid.js';
import type { Membership } from '../membership/membership.js';
import { type IsExcused, NOBODY } from '../membership/quorum-config.js';

/**
 * In this order, each once:
 * - `discovery`: learners send the epochs that they accepted
 * - `proposing`: the new epoch is being written to this server's disk
 * - `election`: learners promise to follow no older epoch
 * - `taking`: this server writes the epoch as its currentEpoch
 * - `synchronization`: learners get what they lack, and ack NEWLEADER
 * - `broadcast`: the epoch is established
 */
const STAGES = [
  'discovery',
  'proposing',
  'election',
  'taking',
  'synchronization',
  'broadcast',
] as const;

export type EstablishmentStage = (typeof STAGES)[number];

/**
 * The most epochs that a member may be ahead. Each failed attempt to lead uses up one, so members
 * differ by few. A stranger can use up this many in each election, and cause one per
 * TICKS_TO_YIELD, so the epochs last for months.
 */
export const MAX_EPOCHS_AHEAD = 2 ** 16;

/**
 * In its first ticks, a leader does not step down for a newer epoch, or a fake voter could keep the
 * ensemble from working. Apache's leader never steps down.
 */
const TICKS_TO_YIELD = 100;

/** Whether the epoch is near `ownEpoch` and not the last possible one. */
export function isPossibleEpoch(epoch: number, ownEpoch: number): boolean {
  return epoch >= 0 && epoch < MAX_EPOCH && epoch <= ownEpoch + MAX_EPOCHS_AHEAD;
}

export class Establishment {
  /** Only `enter` changes it, to the next one. */
  private present: EstablishmentStage = 'discovery';
  /** Newer than every epoch reported before the decision; never changes after `discovery`. */
  epoch = 0;
  private readonly membership: Membership;
  private readonly sid: number;
  /** The acceptedEpoch of this server when it began to lead. */
  private ownEpoch = 0;
  /** The voters that reported an epoch during `discovery`. */
  private readonly connected = new Set<number>();
  /** The voters that promised during `election`, with no newer history than this server. */
  private readonly promised = new Set<number>();
  /** The voters that acked NEWLEADER during `synchronization`. */
  private readonly inSync = new Set<number>();

  constructor(membership: Membership, sid: number) {
    this.membership = membership;
    this.sid = sid;
  }

  get stage(): EstablishmentStage {
    return this.present;
  }

  get isTaken(): boolean {
    return this.stage === 'synchronization' || this.stage === 'broadcast';
  }

  /** Whether it waits for voters, not for this server's disk. */
  get isCounting(): boolean {
    return !['proposing', 'taking', 'broadcast'].includes(this.stage);
  }

  /** Records an accepted epoch, this server's first. True when that decides the new epoch. */
  connect(sid: number, acceptedEpoch: number): boolean {
    if (this.stage !== 'discovery') return false;
    if (sid === this.sid) this.ownEpoch = acceptedEpoch;
    const isPossible = isPossibleEpoch(acceptedEpoch, this.ownEpoch);
    if (!this.membership.isMember(sid) || !isPossible) return false;
    this.epoch = Math.max(this.epoch, acceptedEpoch + 1);
    assert(this.epoch <= MAX_EPOCH, 'epoch: beyond the last one', this.epoch);
    return this.reaches('proposing', this.connected, sid);
  }

  /** Why the leader must step down: a voter that accepted a newer epoch can never follow. */
  overtakenBy(sid: number, acceptedEpoch: number, ticks: number): string | null {
    if (this.stage !== 'broadcast' || ticks < TICKS_TO_YIELD) return null;
    const isNewer = acceptedEpoch > this.epoch && isPossibleEpoch(acceptedEpoch, this.ownEpoch);
    if (!isNewer || !this.membership.isVoter(sid)) return null;
    return `server ${sid} accepted epoch ${acceptedEpoch} and cannot follow epoch ${this.epoch}`;
  }

  /** Records a promise to follow no older epoch. True when a quorum has promised. */
  promise(sid: number): boolean {
    return this.stage === 'election' && this.reaches('taking', this.promised, sid);
  }

  /** Records an ack of NEWLEADER. True when a quorum has acked, which establishes the epoch. */
  sync(sid: number): boolean {
    return this.stage === 'synchronization' && this.reaches('broadcast', this.inSync, sid);
  }

  /** The oracle excuses a voter: ends a stage that waits for it. True if that ended one. */
  excuse(isExcused: IsExcused): boolean {
    const { sid, stage } = this;
    if (stage === 'discovery') return this.reaches('proposing', this.connected, sid, isExcused);
    if (stage === 'election') return this.reaches('taking', this.promised, sid, isExcused);
    if (stage !== 'synchronization') return false;
    return this.reaches('broadcast', this.inSync, sid, isExcused);
  }

  /** This server's disk has the epoch: ends the stage that waits for it. */
  written(name: 'acceptedEpoch' | 'currentEpoch'): void {
    this.enter(name === 'acceptedEpoch' ? 'election' : 'synchronization');
  }

  private enter(next: EstablishmentStage): void {
    const isNext = STAGES.indexOf(next) === STAGES.indexOf(this.present) + 1;
    assert(isNext, 'epoch: established out of order', this.present, next);
    assert(this.epoch > this.ownEpoch, 'epoch: not newer', this.epoch, this.ownEpoch);
    this.present = next;
  }

  private reaches(
    next: EstablishmentStage,
    sids: Set<number>,
    sid: number,
    isExcused: IsExcused = NOBODY,
  ): boolean {
    if (this.membership.isVoter(sid)) sids.add(sid);
    if (!sids.has(this.sid) || !this.membership.isQuorum(sids, isExcused)) return false;
    this.enter(next);
    return true;
  }
}
