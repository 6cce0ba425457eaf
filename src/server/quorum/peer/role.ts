/** What a peer is for a while, leader or learner, and what it asks of the peer around it. */
import type { Effect, QuorumEffect } from '../../effects.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import type { LimitName } from '../../limits/limits.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { EnsemblePipeline, PipelineHost } from '../../pipeline/write-pipeline.js';
import type { Server } from '../../server.js';
import type { ServerState } from '../../state/server-state.js';
import type { DataTree } from '../../tree/data-tree.js';
import type { Membership } from '../membership/membership.js';
import type { QuorumConfig } from '../membership/quorum-config.js';
import type { CommittedLog } from './committed-log.js';
import type { PeerTimes } from './peer-times.js';
import type { TreeRepair } from './tree-repair.js';

export interface QuorumLimits {
  readonly tickTimeMs: number;
  /** Ticks that a learner has to connect and to sync. */
  readonly initLimit: number;
  /** Ticks that a learner may be silent or behind. */
  readonly syncLimit: number;
  /** Ticks to reach the leader; initLimit where nothing is said. */
  readonly connectToLearnerMasterLimit: number;
  readonly leaderConnectDelayDuringRetryMs: number;
  /**
   * leader.maxTimeToWaitForEpoch: from then on a voter that looks for a leader again ends the wait
   * for its epoch; negative is never.
   */
  readonly maxTimeToWaitForEpochMs: number;
  /** jute.maxbuffer and its extra size, in bytes. */
  readonly maxTxnLength: number;
  /** leaderServes: does a leader let clients in? */
  readonly leaderServes: boolean;
  /** So many may be brought in sync at a time before an observer is turned away. */
  readonly maxConcurrentSnapSyncs: number;
  readonly maxConcurrentDiffSyncs: number;
  /** At most so long an observer waits before it connects, and before it looks for a leader. */
  readonly observerReconnectDelayMs: number;
  readonly observerElectionDelayMs: number;
  /**
   * observerMasterPort: a follower takes observers there, and an observer goes there. Default:
   * null, all observers go to the leader.
   */
  readonly observerMasterPort?: number | null;
  /** snapshotSizeFactor (maxLogBytes); negative: the log on the disk is never sent. */
  readonly snapshotSizeFactor: number;
  /** readonlymode.enabled: without a quorum, serve those who ask for no more than reads. */
  readonly isReadOnlyAllowed: boolean;
  /** standaloneEnabled: a reconfig may not leave fewer than two voters. */
  readonly standaloneEnabled: boolean;
  /** A new epoch begins after a txn with this counter or a later one. Default: `LAST_COUNTER`. */
  readonly lastCounter?: number;
  /** localSessionsEnabled: new sessions live on their server alone. Default: null, they do not. */
  readonly localSessions?: LocalSessions | null;
}

export interface LocalSessions {
  /** localSessionsUpgradingEnabled: one that creates an ephemeral becomes one of the ensemble. */
  readonly isUpgradeAllowed: boolean;
}

/** What a member knows, whatever it is at the moment: all that its log says, applied. */
export interface Data {
  readonly tree: DataTree;
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
}

export interface PeerHost {
  readonly sid: number;
  readonly limits: QuorumLimits;
  readonly membership: Membership;
  readonly isReconfigEnabled: boolean;
  readonly isObserver: boolean;
  readonly committedLog: CommittedLog;
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly data: Data;
  readonly metrics: Metrics;
  readonly times: PeerTimes;
  readonly repair: TreeRepair;
  /** What a snapshot or a truncated log brought: it is what this member knows now. */
  replaceData(data: Data): void;
  emit(effect: Effect | QuorumEffect): void;
  /** Writes the epoch; `Role.step` is told when it is durable. */
  writeEpoch(name: 'acceptedEpoch' | 'currentEpoch', epoch: number): void;
  /** A number for a link that is dialled. */
  nextLink(): number;
  /** A server of this path comes to stand in front; it lets nobody in before `isOpen` is set. */
  serve<P extends EnsemblePipeline>(
    makePipeline: (state: ServerState, host: PipelineHost) => P,
  ): { readonly server: Server; readonly path: P };
  /** The configuration is in force from now on. */
  activate(config: QuorumConfig): void;
  /** This role is over, and it is agreed who leads next. */
  handOver(leader: number, reason: string): void;
  /** The new epoch is established as far as this member can see. */
  established(epoch: number): void;
  /** This role is over; the peer looks for a leader. */
  giveUp(reason: string): void;
  /** A limit is reported by its name. @param value in force, where it is not that of LIMITS */
  exceeded(limit: LimitName, from: string, value?: number): void;
  /** For the operator's log. */
  note(message: string): void;
}

export interface Role {
  readonly kind: 'leading' | 'following' | 'observing';
  /** discovery, synchronization, broadcast, … as `zk_peer_state` names them. */
  readonly phase: string;
  /** Is it to be told of the link that somebody else made? */
  owns(event: LinkEvent): boolean;
  step(event: QuorumEvent): void;
  /** Everything up to `zxid` is durable here. */
  durable(zxid: bigint): void;
  tick(): void;
  readonly nextWakeMs: number;
  /** What is to leave on the links at the end of this turn. */
  drain(): void;
  /** Applies what is logged and not committed, without a word to anybody: the log is what it is. */
  end(): void;
}
