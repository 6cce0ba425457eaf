/**
 * Brings learners in sync. If memory lacks txns, it searches the log before it plans and sends. A
 * stream of unknown length precedes the rest, which is small and goes out in one step.
 */
import type { QuorumEvent } from '../../events.js';
import { formatQuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import { type Packet, PacketType, writeCommitted } from '../wire/quorum-packet.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import type { Learners } from './learners.js';
import { type Logged, restInMemory, searchLog, sendLog, syncLearner } from './sync-learner.js';

export class Synchronizer {
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private readonly master: LearnerMaster;

  constructor(peer: PeerHost, learners: Learners, master: LearnerMaster) {
    this.peer = peer;
    this.learners = learners;
    this.master = master;
  }

  /** What a leader and an observer master do alike with the links of their learners. */
  step(event: QuorumEvent, onPacket: (handler: LearnerHandler, packet: Packet) => void): void {
    switch (event.kind) {
      case 'link-opened':
        this.learners.open(event.link, event.remote);
        break;
      case 'link-received':
        this.learners.received(event.link, event.bytes, onPacket);
        break;
      case 'link-closed':
        this.learners.remove(event.link);
        break;
      case 'log-searched':
        this.searched(event);
        break;
      case 'snapshot-sent':
        this.catchUpOn(event.link);
        break;
      case 'log-sent':
        this.logSent(event);
        break;
      case 'link-output':
        this.noteOutput(event);
        break;
      default:
        break;
    }
  }

  begin(handler: LearnerHandler): void {
    if (searchLog(handler, this.peer)) handler.stage = 'searching';
    else this.send(handler, null);
  }

  /**
   * A learner closes a link that is silent for initLimit, and the log is read once more before the
   * first txn goes out: a search that takes long ends by SNAP.
   */
  tick(): void {
    const { initLimit, tickTimeMs } = this.peer.limits;
    for (const handler of this.learners.all()) {
      if (handler.searchingMs > (initLimit * tickTimeMs) / 4) this.send(handler, null);
    }
  }

  private searched({ link, place, until }: Extract<QuorumEvent, { kind: 'log-searched' }>): void {
    const handler = this.learners.get(link);
    if (handler?.stage === 'searching') this.send(handler, place && { place, until });
  }

  private send(handler: LearnerHandler, logged: Logged | null): void {
    const { peer, learners, master } = this;
    handler.stage = 'streaming';
    const problem = syncLearner(handler, peer, learners, master, logged);
    if (problem !== '') learners.refuse(handler, problem);
    else if (logged !== null) sendLog(handler, peer, learners, master);
    else if (handler.syncKind === 'diff') this.catchUp(handler);
  }

  private logSent({ link, zxid }: Extract<QuorumEvent, { kind: 'log-sent' }>): void {
    const handler = this.learners.get(link);
    if (handler === undefined || (handler.stage !== 'streaming' && !handler.isBehind)) return;
    const { sentZxid } = handler;
    if (zxid > sentZxid) handler.sentCommitted(zxid);
    // The log had been written up to the last committed txn before it was read.
    if (zxid === sentZxid && restInMemory(zxid, this.peer) === null) {
      this.learners.refuse(handler, 'the log lacks the txns that were committed meanwhile');
    } else this.catchUp(handler);
  }

  private noteOutput({ link, state }: Extract<QuorumEvent, { kind: 'link-output' }>): void {
    const handler = this.learners.get(link);
    if (handler === undefined) return;
    if (state !== 'full') handler.moved();
    // A learner in sync is active soon, and syncLimit limits how much can wait for it.
    if (handler.stage !== 'syncing') return;
    if (state === 'full') handler.isBehind = true;
    else if (state === 'empty' && handler.isBehind) this.catchUp(handler);
  }

  private catchUpOn(link: number): void {
    const handler = this.learners.get(link);
    if (handler?.stage === 'streaming') this.catchUp(handler);
  }

  /**
   * Sends the rest of the committed txns in one step with the packets after them, because order
   * matters.
   * A snapshot may contain txns that were applied while it was sent. They are in the rest, so
   * NEWLEADER comes after them: from there on, a learner compares digests.
   */
  private catchUp(handler: LearnerHandler): void {
    const { peer, learners, master } = this;
    const rest = restInMemory(handler.sentZxid, peer);
    if (handler.stage !== 'streaming' && !handler.isObserver) this.sendCommits(handler);
    if (rest === null) {
      sendLog(handler, peer, learners, master);
      return;
    }
    for (const { zxid, entry } of rest) {
      writeCommitted(handler.out, zxid, entry);
      handler.sentCommitted(zxid);
    }
    if (handler.stage === 'streaming') this.announce(handler);
    this.sendProposals(handler);
    handler.isBehind = false;
    if (handler.hasAcked) this.acked(handler);
  }

  /** Those since it is behind, of proposals that it got before. An epoch has no gaps. */
  private sendCommits(handler: LearnerHandler): void {
    const { newLeaderZxid } = this.master;
    const [pending] = this.master.outstanding();
    const { committedZxid, sentZxid } = handler;
    const last = pending !== undefined && pending.zxid <= sentZxid ? pending.zxid - 1n : sentZxid;
    const before = committedZxid > newLeaderZxid ? committedZxid : newLeaderZxid;
    for (let zxid = before + 1n; zxid <= last; zxid++) handler.commit(zxid);
  }

  private announce(handler: LearnerHandler): void {
    const { peer, master } = this;
    handler.stage = 'syncing';
    handler.sentCommitted(handler.sentZxid);
    const { config, next } = peer.membership;
    // Once the leader serves, a proposed configuration may still be abandoned.
    const announced = master.server === null ? (next ?? config) : config;
    const text = Buffer.from(formatQuorumConfig(announced));
    handler.send(PacketType.NEWLEADER, master.newLeaderZxid, text);
  }

  private sendProposals(handler: LearnerHandler): void {
    if (handler.isObserver) return;
    for (const { zxid, entry } of this.master.outstanding()) {
      if (zxid > handler.sentZxid) handler.propose(zxid, entry.view());
    }
  }

  /** The learner acked NEWLEADER. */
  acked(handler: LearnerHandler): void {
    if (handler.isBehind) handler.hasAcked = true;
    else this.master.synchronized(handler);
  }
}
