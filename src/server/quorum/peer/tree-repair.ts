/**
 * Repairs a learner whose tree differs from its leader's by the digests of txns: it takes the
 * leader's whole tree, once, and keeps the old files aside.
 *
 * It reports zxid 0, so that the leader answers with SNAP. Its vote still offers its log, whose
 * txns are acked, and which stays until the snapshot is on disk.
 */

import { assert } from '../../../base/assert.js';
import { RateLimitedLog } from '../../../base/rate-limited-log.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { ForeignTreeError } from '../../pipeline/foreign-tree-error.js';

/** Within this time after a repair, new differences are only counted. */
const REPAIR_EVERY_MS = 10 * 60_000;

export interface RepairHost {
  readonly nowMs: number;
  note(message: string): void;
  giveUp(reason: string): void;
}

export class TreeRepair {
  private readonly host: RepairHost;
  private readonly notes: RateLimitedLog;
  /**
   * The txn after which the trees differed; null if no repair is due. While it is set, this server
   * gives up its role, and asks the next leader for its whole tree.
   */
  private mismatchZxid: bigint | null = null;
  /** When the last repair ended, in monotonic ms. */
  private takenMs = Number.NEGATIVE_INFINITY;
  /** The leader sent this tree, and no digest has matched it yet. */
  private isFresh = false;
  /** The leader's digest minus the digest here, since then. */
  private offset: bigint | null = null;

  constructor(host: RepairHost) {
    this.host = host;
    this.notes = new RateLimitedLog(
      (message) => host.note(message),
      () => host.nowMs,
    );
  }

  /** The zxid to report to the leader. */
  lastZxidOf(lastProcessedZxid: bigint): bigint {
    return this.mismatchZxid === null ? lastProcessedZxid : 0n;
  }

  get isWanted(): boolean {
    return this.mismatchZxid !== null;
  }

  /** Another leader may have another tree. */
  follow(): void {
    this.isFresh = false;
    this.offset = null;
  }

  /** The history of the leader is authoritative, so there is nothing to repair from. */
  lead(): void {
    if (this.mismatchZxid === null) return;
    this.host.note(
      `this server leads with a tree that differed from its leader's tree at zxid ${formatZxid(this.mismatchZxid)}`,
    );
    this.mismatchZxid = null;
    this.takenMs = this.host.nowMs;
  }

  /** The leader sent txns instead of the whole tree: keep the data unchanged. */
  refused(): void {
    this.mismatchZxid = null;
    this.takenMs = this.host.nowMs;
  }

  /** The leader's tree has arrived. Returns the zxid of the difference, or null. */
  taken(): bigint | null {
    const { mismatchZxid } = this;
    if (mismatchZxid === null) return null;
    assert(!this.isFresh, 'history: a tree taken twice', mismatchZxid);
    this.mismatchZxid = null;
    this.takenMs = this.host.nowMs;
    this.isFresh = true;
    return mismatchZxid;
  }

  agreed(): void {
    this.isFresh = false;
    this.offset = null;
  }

  /** The leader has nothing after `zxid`, and no snapshot here reaches back to it. */
  cannotTruncate(zxid: bigint): void {
    this.mismatchZxid = zxid;
    this.host.giveUp(
      `cannot truncate to zxid ${formatZxid(zxid)}, where the leader's history ends: no old snapshot. Taking the leader's whole tree instead.`,
    );
  }

  /**
   * Called if the digest here differs from the leader's.
   * @param offset the difference
   * @throws ForeignTreeError when the leader's own tree drifts further from its digests
   */
  differs(zxid: bigint, offset: bigint): void {
    if (this.mismatchZxid !== null) return;
    assert(offset !== 0n, 'history: equal digests that differ', zxid);
    if (this.isFresh) this.checkFreshTree(zxid, offset);
    else if (this.host.nowMs - this.takenMs < REPAIR_EVERY_MS) {
      this.notes.say(
        `the tree differs again from the leader's tree at zxid ${formatZxid(zxid)}`,
        'again',
      );
    } else {
      this.mismatchZxid = zxid;
      this.host.giveUp(
        `the tree differs from the leader's tree at zxid ${formatZxid(zxid)}: taking the leader's whole tree instead`,
      );
    }
  }

  /** A constant difference is an error of the leader: both trees change alike. */
  private checkFreshTree(zxid: bigint, offset: bigint): void {
    if (this.offset !== null && this.offset !== offset) throw new ForeignTreeError(zxid);
    this.offset = offset;
    this.notes.say(
      `the leader's digest does not match the tree that it sent, at zxid ${formatZxid(zxid)}: this server continues while the difference stays the same`,
      'offset',
    );
  }
}
