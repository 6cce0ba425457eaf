/**
 * The txns that a leader sends: logged as they come, without a gap, acked when durable, applied when
 * committed, in zxid order. A `string` says what the leader did wrong.
 */
import { formatZxid } from '../../protocol/zxid.js';
import { Fifo } from '../fifo.js';
import { isSuccessor } from '../persistence/recovery.js';
import { readTxn } from '../tree/txn.js';
import type { CommittedLog } from './committed-log.js';
import type { LearnerPath, Proposal } from './learner-path.js';

export class LearnerHistory {
  readonly path: LearnerPath;
  private readonly committedLog: CommittedLog;
  /** Proposed and not committed. */
  private readonly pending = new Fifo<Proposal>();
  /** Logged, and to be acked when durable. */
  private readonly unacked = new Fifo<bigint>();
  private durableZxid: bigint;

  /** @param durableZxid what snapshot and log hold already */
  constructor(path: LearnerPath, committedLog: CommittedLog, durableZxid: bigint) {
    this.path = path;
    this.committedLog = committedLog;
    this.durableZxid = durableZxid;
  }

  get isDurable(): boolean {
    return this.durableZxid >= this.path.lastLogged;
  }

  /** @throws JuteError when the entry is no txn */
  propose(zxid: bigint, data: Buffer | null): Proposal | string {
    const { lastLogged } = this.path;
    if (data === null) return `an empty PROPOSAL of ${formatZxid(zxid)}`;
    if (!isSuccessor(lastLogged, zxid)) {
      return `behind ${formatZxid(lastLogged)} it proposed ${formatZxid(zxid)}: txns are missing`;
    }
    const bytes = Buffer.from(data);
    const entry = readTxn(bytes);
    if (entry.head.zxid !== zxid) {
      return `${formatZxid(zxid)} carries the txn ${formatZxid(entry.head.zxid)}`;
    }
    const proposal = { ...entry, bytes };
    this.pending.push(proposal);
    this.unacked.push(zxid);
    this.path.log(zxid, bytes);
    return proposal;
  }

  commit(zxid: bigint): Proposal | string {
    const proposal = this.pending.peek();
    if (proposal?.head.zxid !== zxid) {
      const next = proposal === undefined ? 'nothing' : formatZxid(proposal.head.zxid);
      return `it committed ${formatZxid(zxid)} where ${next} is next`;
    }
    this.commitNext();
    return proposal;
  }

  private commitNext(): void {
    const proposal = this.pending.shift();
    if (proposal === undefined) return;
    this.path.commit(proposal);
    this.committedLog.add(proposal.head.zxid, proposal.bytes);
  }

  durable(zxid: bigint): void {
    if (zxid > this.durableZxid) this.durableZxid = zxid;
  }

  /** The ack of NEWLEADER speaks for all that was committed before it. */
  forgetCommitted(): void {
    const next = this.pending.peek()?.head.zxid;
    for (let zxid = this.unacked.peek(); zxid !== undefined; zxid = this.unacked.peek()) {
      if (next !== undefined && zxid >= next) return;
      this.unacked.shift();
    }
  }

  /** What is durable and not acked yet, in order. */
  *takeAcks(): Generator<bigint> {
    for (let zxid = this.unacked.peek(); zxid !== undefined; zxid = this.unacked.peek()) {
      if (zxid > this.durableZxid) return;
      this.unacked.shift();
      yield zxid;
    }
  }

  /** Applies what is logged and not committed: the log is what it is. */
  end(): void {
    while (this.pending.length > 0) this.commitNext();
  }
}
