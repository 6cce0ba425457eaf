/**
 * Brings learners in sync, one step or two each: where one lacks more than is kept in memory, the
 * log on the disk is looked through first. Until that is done it is told nothing; what is then sent
 * is decided anew from what is committed by then.
 */
import type { QuorumEvent } from '../../events.js';
import { formatQuorumConfig } from '../membership/quorum-config.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType } from '../wire/quorum-packet.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import type { Learners } from './learners.js';
import { isJoined, type Logged, searchLog, syncLearner } from './sync-learner.js';

export class Synchronizer {
  private readonly peer: PeerHost;
  private readonly learners: Learners;
  private readonly master: LearnerMaster;

  constructor(peer: PeerHost, learners: Learners, master: LearnerMaster) {
    this.peer = peer;
    this.learners = learners;
    this.master = master;
  }

  begin(handler: LearnerHandler): void {
    if (searchLog(handler, this.peer)) handler.stage = 'searching';
    else this.send(handler, null);
  }

  searched({ link, place, until }: Extract<QuorumEvent, { kind: 'log-searched' }>): void {
    const handler = this.learners.get(link);
    if (handler?.stage !== 'searching') return;
    if (place === null) this.send(handler, null);
    else if (isJoined(until, this.peer)) this.send(handler, { place, until });
    else this.begin(handler);
  }

  /** What the learner lacks, what is under way, then NEWLEADER: in this order, in one step. */
  private send(handler: LearnerHandler, logged: Logged | null): void {
    const { peer, learners, master } = this;
    handler.stage = 'syncing';
    const problem = syncLearner(handler, peer, learners, master, logged);
    if (problem !== '') {
      learners.refuse(handler, problem);
      return;
    }
    const { config, next } = peer.membership;
    // While it serves, one that is proposed may still come to nothing.
    const told = master.server === null ? (next ?? config) : config;
    const text = Buffer.from(formatQuorumConfig(told));
    handler.send(PacketType.NEWLEADER, master.newLeaderZxid, text);
  }
}
