/**
 * The txns that a leader sends: logged as they come, without a gap, acked when durable, applied
 * when committed, in zxid order.
 */
import type { ByteRange } from '../../../jute/byte-range.js';
import { Fifo } from '../../../protocol/fifo.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { recordSince } from '../../metrics/summary.js';
import { isSuccessor } from '../../persistence/recovery.js';
import { readTxn, type TxnHead } from '../../tree/txn.js';
import { configOf } from '../leading/reconfig.js';
import type { QuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import { type Packet, PacketType, packetName } from '../wire/quorum-packet.js';
import type { LearnerPipeline, Proposal } from './learner-pipeline.js';

export interface HistoryListener {
  /** @param leader where it is a reconfig: a long, the sid of who leads next */
  committed(zxid: bigint, entry: ByteRange, leader: Buffer | null): void;
  /** A reconfig is committed: who leads from now on. */
  activated(config: QuorumConfig, leader: number): void;
}

export class LearnerHistory {
  readonly path: LearnerPipeline;
  private readonly peer: PeerHost;
  private readonly listener: HistoryListener;
  /** Proposed and not committed. */
  private readonly pending = new Fifo<Proposal>();
  /** Logged, and to be acked when durable. */
  private readonly unacked = new Fifo<TxnHead>();
  private durableZxid: bigint;
  /** All that was committed before NEWLEADER is here. */
  private isInSync = false;

  constructor(path: LearnerPipeline, peer: PeerHost, listener: HistoryListener) {
    this.path = path;
    this.peer = peer;
    this.listener = listener;
    // What this server knew when it joined is on its disk.
    this.durableZxid = path.lastLogged;
  }

  /**
   * Returns what is wrong with the packet; "" when nothing is.
   * @throws JuteError when its txn is damaged
   */
  receive({ type, zxid, data }: Packet): string {
    switch (type) {
      case PacketType.PROPOSAL:
        this.count('learner_proposal_received_count');
        return this.propose(zxid, data);
      case PacketType.COMMIT:
        this.count('learner_commit_received_count');
        return this.commit(zxid);
      case PacketType.INFORM:
        this.count('learner_commit_received_count');
        return this.propose(zxid, data) || this.commit(zxid);
      case PacketType.COMMITANDACTIVATE:
        return this.commit(zxid, data);
      case PacketType.INFORMANDACTIVATE:
        return this.propose(zxid, data?.subarray(8) ?? null) || this.commit(zxid, data);
      case PacketType.SYNC:
        this.path.synced();
        return '';
      case PacketType.REVALIDATE:
        if (data === null || data.length < 9) return 'a damaged REVALIDATE';
        this.path.revalidated(data.readBigInt64BE(0), data[8] !== 0);
        return '';
      default:
        return `${packetName(type)} is nothing that a leader sends here`;
    }
  }

  /** What a learner is brought in sync with is not counted. */
  private count(name: 'learner_proposal_received_count' | 'learner_commit_received_count'): void {
    if (this.isInSync) this.peer.metrics.count(name);
  }

  /** Of the reconfig that is proposed and not committed, the newest. */
  get pendingConfig(): QuorumConfig | null {
    let found: QuorumConfig | null = null;
    for (const { txn } of this.pending.values()) found = configOf(txn) ?? found;
    return found;
  }

  get isDurable(): boolean {
    return this.durableZxid >= this.path.lastLogged;
  }

  private propose(zxid: bigint, data: Buffer | null): string {
    const { lastLogged } = this.path;
    if (data === null) return `an empty PROPOSAL of ${formatZxid(zxid)}`;
    if (!isSuccessor(lastLogged, zxid)) {
      return `behind ${formatZxid(lastLogged)} it proposed ${formatZxid(zxid)}: txns are missing`;
    }
    const { head, txn, digest } = readTxn(data);
    if (head.zxid !== zxid) {
      return `${formatZxid(zxid)} carries the txn ${formatZxid(head.zxid)}`;
    }
    this.pending.push({ head, txn, digest, bytes: this.path.log(zxid, data) });
    this.unacked.push(head);
    if (this.isInSync) recordSince(this.peer.metrics.proposalLatency, this.peer.wallMs, head.time);
    const config = configOf(txn);
    if (config !== null) this.peer.membership.propose(config);
    return '';
  }

  /** @param leader where a reconfig is committed: a long, the sid of who leads next */
  private commit(zxid: bigint, leader: Buffer | null = null): string {
    const proposal = this.pending.peek();
    if (proposal?.head.zxid !== zxid) {
      const next = proposal === undefined ? 'nothing' : formatZxid(proposal.head.zxid);
      return `it committed ${formatZxid(zxid)} where ${next} is next`;
    }
    if (this.isInSync) {
      recordSince(this.peer.metrics.commitLatency, this.peer.wallMs, proposal.head.time);
    }
    this.commitNext();
    this.listener.committed(zxid, proposal.bytes, leader);
    const config = configOf(proposal.txn);
    // In the history that a leader sends it is a txn like others: NEWLEADER says what is in force.
    if (config === null || !this.isInSync) return '';
    if (leader === null || leader.length < 8) return 'a reconfig that does not say who leads';
    this.listener.activated(config, Number(leader.readBigInt64BE(0)));
    return '';
  }

  private commitNext(): void {
    const proposal = this.pending.shift();
    if (proposal === undefined) return;
    this.path.commit(proposal);
    this.peer.committedLog.add(proposal.head.zxid, proposal.bytes);
  }

  durable(zxid: bigint): void {
    if (zxid > this.durableZxid) this.durableZxid = zxid;
  }

  /** The ack of NEWLEADER speaks for all that was committed before it. */
  forgetCommitted(): void {
    this.isInSync = true;
    const next = this.pending.peek()?.head.zxid;
    for (let head = this.unacked.peek(); head !== undefined; head = this.unacked.peek()) {
      if (next !== undefined && head.zxid >= next) return;
      this.unacked.shift();
    }
  }

  /** The next that is durable and not acked yet, in order. */
  nextAck(): TxnHead | undefined {
    const head = this.unacked.peek();
    return head === undefined || head.zxid > this.durableZxid ? undefined : this.unacked.shift();
  }

  /** Applies what is logged and not committed: the log is what it is. */
  end(): void {
    // A sync that nobody answers any more may stand before a write in its connection's queue.
    this.path.abandon();
    while (this.pending.length > 0) this.commitNext();
  }
}
