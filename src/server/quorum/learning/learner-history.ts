/**
 * The leader's txns: logged without gaps, acked when durable, applied in zxid order. A committed
 * one may be applied before this disk has it, since a quorum has.
 */
import { assert } from '../../../base/assert.js';
import { Fifo } from '../../../base/fifo.js';
import { isSuccessor } from '../../../files/recovery.js';
import { readTxn, type TxnHead } from '../../../files/txn.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { recordSince } from '../../metrics/summary.js';
import { configOf } from '../leading/reconfig.js';
import type { QuorumConfig } from '../membership/quorum-config.js';
import type { Peer } from '../peer/peer.js';
import { type Packet, PacketType, packetName } from '../wire/quorum-packet.js';
import type { LearnerPipeline, Proposal } from './learner-pipeline.js';

const TXN_PACKETS: ReadonlySet<number> = new Set([
  PacketType.PROPOSAL,
  PacketType.COMMIT,
  PacketType.INFORM,
  PacketType.COMMITANDACTIVATE,
  PacketType.INFORMANDACTIVATE,
]);

export interface HistoryListener {
  /**
   * Called after the txn is applied; the listener of a leader is called before.
   * @param leader for a reconfig: a long, the sid of the next leader
   */
  committed(zxid: bigint, entry: ByteRange, leader: Buffer | null): void;
  activated(config: QuorumConfig, leader: number): void;
}

export class LearnerHistory {
  readonly pipeline: LearnerPipeline;
  private readonly peer: Peer;
  private readonly listener: HistoryListener;
  /** Logged but not committed, in zxid order. */
  private readonly pending = new Fifo<Proposal>();
  /** Logged, to be acked when durable, in zxid order. */
  private readonly unacked = new Fifo<TxnHead>();
  /** The log has all up to here on disk; at most the last one appended; never falls. */
  private durableZxid: bigint;
  /** NEWLEADER is acked. */
  private isInSync = false;
  /** Txns up to this one are in the tree that SNAP brought; -1 from NEWLEADER on. */
  private containedZxid: bigint;
  /** The first zxid that belongs to no epoch up to the one that this server accepted. */
  private readonly endZxid: bigint;

  /** @param containedZxid the zxid of SNAP; -1 without one */
  constructor(
    pipeline: LearnerPipeline,
    peer: Peer,
    listener: HistoryListener,
    containedZxid = -1n,
  ) {
    this.pipeline = pipeline;
    this.peer = peer;
    this.listener = listener;
    // The history that this server joined with is on its disk.
    this.durableZxid = pipeline.lastLogged;
    this.containedZxid = containedZxid;
    this.endZxid = BigInt(peer.acceptedEpoch + 1) << 32n;
    const { lastProcessedZxid } = peer.data.tree;
    const isTree = lastProcessedZxid === pipeline.lastLogged;
    assert(isTree, 'history: the tree is not the log', lastProcessedZxid, pipeline.lastLogged);
  }

  /** Returns what is wrong with the packet, or "". @throws JuteError when its txn is damaged */
  receive({ type, zxid, data }: Packet): string {
    if (this.isContained(type, zxid)) return '';
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
        this.pipeline.synced();
        return '';
      case PacketType.REVALIDATE:
        if (data === null || data.length < 9) return 'REVALIDATE: damaged';
        this.pipeline.revalidated(data.readBigInt64BE(0), data[8] !== 0);
        return '';
      default:
        return `${packetName(type)}: not a packet that a leader sends here`;
    }
  }

  /**
   * Apache's leader queues commits, then reads the zxid for SNAP. Meanwhile its tree may apply some
   * of them (LearnerHandler.run).
   */
  private isContained(type: number, zxid: bigint): boolean {
    return zxid <= this.containedZxid && TXN_PACKETS.has(type);
  }

  /** NEWLEADER: no later packet repeats a txn of SNAP. */
  receivedNewLeader(): void {
    assert(!this.isInSync, 'history: NEWLEADER while it is in sync', this.pipeline.lastLogged);
    this.containedZxid = -1n;
  }

  /** Txns of the initial sync are not counted. */
  private count(name: 'learner_proposal_received_count' | 'learner_commit_received_count'): void {
    if (this.isInSync) this.peer.metrics.count(name);
  }

  /** Whether all that is logged is committed. */
  get isCommitted(): boolean {
    return this.pending.length === 0;
  }

  /** The newest configuration that is proposed but not committed. */
  get pendingConfig(): QuorumConfig | null {
    let found: QuorumConfig | null = null;
    for (const { txn } of this.pending.values()) found = configOf(txn) ?? found;
    return found;
  }

  get isDurable(): boolean {
    return this.durableZxid >= this.pipeline.lastLogged;
  }

  /** The last txn that is committed, and on the disk. */
  get storedZxid(): bigint {
    const { lastProcessedZxid } = this.peer.data.tree;
    return lastProcessedZxid < this.durableZxid ? lastProcessedZxid : this.durableZxid;
  }

  private propose(zxid: bigint, data: Buffer | null): string {
    const { lastLogged } = this.pipeline;
    if (data === null) return `PROPOSAL of ${formatZxid(zxid)}: no txn`;
    if (!isSuccessor(lastLogged, zxid)) {
      return `PROPOSAL of ${formatZxid(zxid)}: txns are missing after ${formatZxid(lastLogged)}`;
    }
    if (zxid >= this.endZxid) {
      return `PROPOSAL of ${formatZxid(zxid)}: not of an accepted epoch (expected at most ${this.peer.acceptedEpoch})`;
    }
    const { head, txn, digest } = readTxn(data);
    if (head.zxid !== zxid) {
      return `packet of ${formatZxid(zxid)}: carries txn ${formatZxid(head.zxid)}`;
    }
    this.pending.push({ head, txn, digest, bytes: this.pipeline.log(zxid, data) });
    this.unacked.push(head);
    if (this.isInSync) recordSince(this.peer.metrics.proposalLatency, this.peer.wallMs, head.time);
    const config = configOf(txn);
    if (config !== null) this.peer.membership.propose(config);
    return '';
  }

  /** @param leader for a reconfig: a long, the sid of the next leader */
  private commit(zxid: bigint, leader: Buffer | null = null): string {
    const proposal = this.pending.peek();
    if (proposal?.head.zxid !== zxid) {
      const next = proposal === undefined ? 'nothing' : formatZxid(proposal.head.zxid);
      return `COMMIT out of order: ${formatZxid(zxid)} (expected ${next})`;
    }
    if (this.isInSync) {
      recordSince(this.peer.metrics.commitLatency, this.peer.wallMs, proposal.head.time);
    }
    this.commitNext();
    this.listener.committed(zxid, proposal.bytes, leader);
    const config = configOf(proposal.txn);
    // During the sync, a reconfig is an ordinary txn: NEWLEADER names the one in force.
    if (config === null || !this.isInSync) return '';
    if (leader === null || leader.length < 8) return 'COMMITANDACTIVATE: no leader named';
    this.listener.activated(config, Number(leader.readBigInt64BE(0)));
    return '';
  }

  private commitNext(): void {
    const proposal = this.pending.shift();
    if (proposal === undefined) return;
    const { zxid } = proposal.head;
    const { tree } = this.peer.data;
    const { lastProcessedZxid } = tree;
    assert(zxid > lastProcessedZxid, 'zxid order: applied out of order', zxid, lastProcessedZxid);
    assert(zxid <= this.pipeline.lastLogged, 'history: applied but not logged', zxid);
    this.pipeline.commit(proposal);
    assert(tree.lastProcessedZxid === zxid, 'history: committed but not applied', zxid);
    this.peer.committedLog.add(proposal.head.zxid, proposal.bytes);
  }

  durable(zxid: bigint): void {
    this.pipeline.durable(zxid);
    if (zxid > this.durableZxid) this.durableZxid = zxid;
  }

  /** It is in sync now. The ack covers the txns committed before it, so they get no other. */
  ackedNewLeader(): void {
    assert(this.isDurable, 'disk: NEWLEADER acked before its history', this.durableZxid);
    assert(!this.isInSync, 'history: NEWLEADER acked twice', this.durableZxid);
    assert(this.containedZxid < 0n, 'history: acks a tree without NEWLEADER', this.containedZxid);
    this.isInSync = true;
    const next = this.pending.peek()?.head.zxid;
    for (let head = this.unacked.peek(); head !== undefined; head = this.unacked.peek()) {
      if (next !== undefined && head.zxid >= next) return;
      this.unacked.shift();
    }
  }

  /** The next txn that is durable and not acked, in order. */
  nextAck(): TxnHead | undefined {
    assert(this.isInSync, 'history: acks a txn before NEWLEADER', this.durableZxid);
    const head = this.unacked.peek();
    return head === undefined || head.zxid > this.durableZxid ? undefined : this.unacked.shift();
  }

  /**
   * Applies logged txns that are not committed, because recovery would. Answers nobody: the clients
   * are gone by now. Those that stay for the next role do so only if there are no such txns.
   */
  end(): void {
    while (this.pending.length > 0) this.commitNext();
    const { lastLogged } = this.pipeline;
    const { lastProcessedZxid } = this.peer.data.tree;
    const isApplied = lastProcessedZxid === lastLogged;
    assert(isApplied, 'history: a logged txn is not applied', lastProcessedZxid, lastLogged);
  }
}
