/** Brings learners in sync. If memory lacks txns, it searches the log before it plans and sends. */
import type { QuorumEvent } from '../../events.js';
import { formatQuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import { type Packet, PacketType } from '../wire/quorum-packet.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import type { Learners } from './learners.js';
import { isContinuedInMemory, type Logged, searchLog, syncLearner } from './sync-learner.js';

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
        this.snapshotSent(event.link);
        break;
      default:
        break;
    }
  }

  begin(handler: LearnerHandler): void {
    if (searchLog(handler, this.peer)) handler.stage = 'searching';
    else this.send(handler, null);
  }

  private searched({ link, place, until }: Extract<QuorumEvent, { kind: 'log-searched' }>): void {
    const handler = this.learners.get(link);
    if (handler?.stage !== 'searching') return;
    if (place === null) this.send(handler, null);
    else if (isContinuedInMemory(until, this.peer)) this.send(handler, { place, until });
    else this.begin(handler);
  }

  /** Sends missing txns, NEWLEADER, and uncommitted txns in one step, because order matters. */
  private send(handler: LearnerHandler, logged: Logged | null): void {
    const { peer, learners, master } = this;
    handler.stage = 'streaming';
    const problem = syncLearner(handler, peer, learners, master, logged);
    if (problem !== '') {
      learners.refuse(handler, problem);
      return;
    }
    if (handler.syncKind === 'diff') this.announce(handler);
  }

  /**
   * The snapshot may contain txns that were applied while it was sent. They are on this link, too,
   * so NEWLEADER comes after them: from there on, a learner compares digests.
   */
  private snapshotSent(link: number): void {
    const handler = this.learners.get(link);
    if (handler?.stage === 'streaming') this.announce(handler);
  }

  private announce(handler: LearnerHandler): void {
    const { peer, master } = this;
    handler.stage = 'syncing';
    const { config, next } = peer.membership;
    // Once the leader serves, a proposed configuration may still be abandoned.
    const announced = master.server === null ? (next ?? config) : config;
    const text = Buffer.from(formatQuorumConfig(announced));
    handler.send(PacketType.NEWLEADER, master.newLeaderZxid, text);
    if (handler.isObserver) return;
    for (const { zxid, entry } of master.outstanding()) {
      handler.send(PacketType.PROPOSAL, zxid, entry.view());
    }
  }
}
