/**
 * What a learner does when its tree is not its leader's, as the digests of txns tell: it takes the
 * leader's whole tree, once, and keeps its own files aside.
 *
 * A learner that says zxid 0 lacks everything, so every leader answers with SNAP. Its vote goes on
 * offering what its log has: those txns are acked, and the log stays until the snapshot is on the
 * disk.
 */
import { formatZxid } from '../../../protocol/zxid.js';
import { RateLimitedLog } from '../../base/rate-limited-log.js';
import { ForeignTreeError } from '../../pipeline/foreign-tree-error.js';

/** A tree that parts again so soon after a repair is only counted. */
const REPAIR_EVERY_MS = 10 * 60_000;

export interface RepairHost {
  readonly nowMs: number;
  note(message: string): void;
  giveUp(reason: string): void;
}

export class TreeRepair {
  private readonly host: RepairHost;
  private readonly notes: RateLimitedLog;
  /** The txn after which the trees differed; null where no repair is due. */
  private wanted: bigint | null = null;
  private takenMs = Number.NEGATIVE_INFINITY;
  /** The tree is the one that this leader sent, and no digest has fitted it yet. */
  private isFresh = false;
  /** The leader's digest less the one here, since then. */
  private offset: bigint | null = null;

  constructor(host: RepairHost) {
    this.host = host;
    this.notes = new RateLimitedLog(
      (message) => host.note(message),
      () => host.nowMs,
    );
  }

  /** What this server tells its leader that it has. */
  lastZxidOf(lastProcessedZxid: bigint): bigint {
    return this.wanted === null ? lastProcessedZxid : 0n;
  }

  get isWanted(): boolean {
    return this.wanted !== null;
  }

  /** It follows another leader, whose tree may be another one. */
  follow(): void {
    this.isFresh = false;
    this.offset = null;
  }

  /** Nobody has a better tree: the history of who leads is the truth. */
  lead(): void {
    if (this.wanted === null) return;
    this.host.note(
      `this server leads with a tree that was not its leader's at zxid ${formatZxid(this.wanted)}`,
    );
    this.wanted = null;
    this.takenMs = this.host.nowMs;
  }

  /** The leader sent txns where the whole tree was asked for: this server stays as it is. */
  refused(): void {
    this.wanted = null;
    this.takenMs = this.host.nowMs;
  }

  /** The leader's whole tree is here. Returns where the old one had parted from it; null before. */
  taken(): bigint | null {
    const { wanted } = this;
    if (wanted === null) return null;
    this.wanted = null;
    this.takenMs = this.host.nowMs;
    this.isFresh = true;
    return wanted;
  }

  agreed(): void {
    this.isFresh = false;
    this.offset = null;
  }

  /** The leader has nothing after `zxid`, and no snapshot here leads back to there. */
  cannotTruncate(zxid: bigint): void {
    this.wanted = zxid;
    this.host.giveUp(
      `no snapshot here leads to zxid ${formatZxid(zxid)}, where the leader's history ends: its whole tree is taken instead`,
    );
  }

  /**
   * The digest here is not the leader's.
   * @param offset by how much
   * @throws ForeignTreeError where the leader's own tree parts from it further with each txn
   */
  differs(zxid: bigint, offset: bigint): void {
    if (this.wanted !== null) return;
    if (this.isFresh) this.judgeFresh(zxid, offset);
    else if (this.host.nowMs - this.takenMs < REPAIR_EVERY_MS) {
      this.notes.say(`the tree is not the leader's again at zxid ${formatZxid(zxid)}`, 'again');
    } else {
      this.wanted = zxid;
      this.host.giveUp(
        `the tree here is not the leader's at zxid ${formatZxid(zxid)}: its whole tree is taken instead`,
      );
    }
  }

  /**
   * A sum that is off by the same amount as before is the leader's error: both trees change alike.
   */
  private judgeFresh(zxid: bigint, offset: bigint): void {
    if (this.offset !== null && this.offset !== offset) throw new ForeignTreeError(zxid);
    this.offset = offset;
    this.notes.say(
      `the leader's digest does not fit the tree that it sent, at zxid ${formatZxid(zxid)}: this server goes on while the difference stays the same`,
      'offset',
    );
  }
}
