/**
 * The proposals that a leader has not committed, and the acks of them. Each server acks in zxid
 * order, so its last ack covers all earlier ones.
 */
import type { ByteRange } from '../../../jute/byte-range.js';
import { Fifo } from '../../../protocol/fifo.js';
import { assert } from '../../base/assert.js';
import { containsQuorum, type QuorumConfig } from '../membership/quorum-config.js';

export interface Proposed {
  readonly zxid: bigint;
  readonly entry: ByteRange;
  /** Set if the txn is a reconfig: it and all later txns need a quorum of both configurations. */
  readonly config: QuorumConfig | null;
}

export interface Acked {
  readonly sid: number;
  /** The server has everything up to this zxid on disk. */
  readonly zxid: bigint;
}

export class OutstandingProposals {
  private readonly proposals = new Fifo<Proposed>();
  /** How many of them are reconfigs: almost always 0. */
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

  /** Commits the next proposal, which must be `zxid`. */
  shift(zxid: bigint): Proposed {
    const next = this.proposals.shift();
    assert(next?.zxid === zxid, 'commit out of order');
    this.lastCommitted = zxid;
    if (next.config !== null) this.reconfigs--;
    return next;
  }

  /**
   * The last zxid that may be committed. It needs a quorum of `config`, and of each reconfig that
   * is pending before it. It never passes a reconfig, because the next txn needs another quorum.
   */
  committable(config: QuorumConfig, acked: readonly Acked[]): bigint {
    let best = this.quorumZxid(config, acked);
    if (this.reconfigs === 0) return best < this.lastProposed ? best : this.lastProposed;
    for (const { zxid, config: next } of this.proposals.values()) {
      if (next === null) continue;
      if (best < zxid) break;
      const isAgreed = this.quorumZxid(next, acked) >= zxid;
      best = isAgreed ? zxid : zxid - 1n;
      break;
    }
    return best < this.lastProposed ? best : this.lastProposed;
  }

  /** The last zxid that a quorum of `config` has; without one, the last committed zxid. */
  private quorumZxid(config: QuorumConfig, acked: readonly Acked[]): bigint {
    let best = this.lastCommitted;
    for (const { zxid } of acked) {
      if (zxid <= best) continue;
      const having = new Set<number>();
      for (const other of acked) if (other.zxid >= zxid) having.add(other.sid);
      if (containsQuorum(config, having)) best = zxid;
    }
    return best;
  }
}
