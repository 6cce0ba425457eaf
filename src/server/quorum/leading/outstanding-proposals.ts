/**
 * What a leader has proposed and not committed, and how far a quorum has it. Acks come in zxid
 * order from each server, so the last one speaks for all before it.
 */
import type { ByteRange } from '../../../jute/byte-range.js';
import { Fifo } from '../../../protocol/fifo.js';
import { assert } from '../../base/assert.js';
import { containsQuorum, type QuorumConfig } from '../membership/quorum-config.js';

export interface Proposed {
  readonly zxid: bigint;
  readonly entry: ByteRange;
  /** Set where the txn is a reconfig: it, and all behind it, need a quorum of both. */
  readonly config: QuorumConfig | null;
}

export interface Acked {
  readonly sid: number;
  /** Everything up to it is durable there. */
  readonly zxid: bigint;
}

export class OutstandingProposals {
  private readonly proposals = new Fifo<Proposed>();
  /** How many of them are reconfigs: hardly ever any. */
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

  /** The next one, which must be `zxid`, is committed. */
  shift(zxid: bigint): Proposed {
    const next = this.proposals.shift();
    assert(next?.zxid === zxid, 'a commit out of order');
    this.lastCommitted = zxid;
    if (next.config !== null) this.reconfigs--;
    return next;
  }

  /**
   * The last zxid that may be committed: a quorum of `config` has it, and where a reconfig is under
   * way before it, a quorum of its configuration too. It never goes beyond a reconfig: that changes
   * who is asked for what follows.
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

  /** The last zxid that a quorum of `config` has; what is committed already where there is none. */
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
