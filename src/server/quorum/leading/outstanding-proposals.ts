/** The uncommitted proposals of a leader. A server's last ack covers all earlier zxids. */

import { assert } from '../../../base/assert.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import { Fifo } from '../../../protocol/fifo.js';
import { containsExcusedQuorum, type IsExcused, NOBODY } from '../membership/excused-quorum.js';
import type { QuorumConfig } from '../membership/quorum-config.js';

export interface Proposed {
  readonly zxid: bigint;
  readonly entry: ByteRange;
  /** Set if the txn is a reconfig: it and all later txns need a quorum of both configurations. */
  readonly config: QuorumConfig | null;
}

export interface Acked {
  readonly sid: number;
  readonly zxid: bigint;
}

export class OutstandingProposals {
  private readonly proposals = new Fifo<Proposed>();
  /** Number of reconfigs in `proposals`; almost always 0. */
  private reconfigs = 0;
  lastProposed = 0n;
  lastCommitted = 0n;

  get length(): number {
    return this.proposals.length;
  }

  values(): Iterable<Proposed> {
    return this.proposals.values();
  }

  push(proposed: Proposed): void {
    this.lastProposed = proposed.zxid;
    if (proposed.config !== null) this.reconfigs++;
    this.proposals.push(proposed);
  }

  /** Removes the proposal `zxid`, which must be the next one. */
  shift(zxid: bigint): Proposed {
    const next = this.proposals.shift();
    assert(next?.zxid === zxid, 'commit out of order');
    this.lastCommitted = zxid;
    if (next.config !== null) this.reconfigs--;
    return next;
  }

  /**
   * The last zxid that may be committed: a quorum of `config` has it, and of each reconfig up to
   * it. It never passes a reconfig, because the next txn needs another quorum.
   * @param isExcused the voters of a pair that the oracle excuses now
   */
  committable(config: QuorumConfig, acked: readonly Acked[], isExcused = NOBODY): bigint {
    let best = this.quorumZxid(config, acked, isExcused);
    if (this.reconfigs === 0) return best < this.lastProposed ? best : this.lastProposed;
    for (const { zxid, config: next } of this.proposals.values()) {
      if (next === null) continue;
      if (best < zxid) break;
      const isAgreed = this.quorumZxid(next, acked, isExcused) >= zxid;
      best = isAgreed ? zxid : zxid - 1n;
      break;
    }
    return best < this.lastProposed ? best : this.lastProposed;
  }

  /** The last zxid that a quorum of `config` has, or the last committed one. */
  private quorumZxid(config: QuorumConfig, acked: readonly Acked[], isExcused: IsExcused): bigint {
    let best = this.lastCommitted;
    for (const { zxid } of acked) {
      if (zxid <= best) continue;
      const having = new Set<number>();
      for (const other of acked) if (other.zxid >= zxid) having.add(other.sid);
      if (containsExcusedQuorum(config, having, isExcused)) best = zxid;
    }
    return best;
  }
}
