import type { ErrorCode } from '../../../protocol/error-code.js';
import type { ReconfigRequest } from '../../../protocol/proto.js';
import type { LinkEvent, QuorumEvent } from '../../events.js';
import type { DataTree } from '../../tree/data-tree.js';

export interface QuorumLimits {
  readonly tickTimeMs: number;
  /** Ticks that a learner has to connect and to sync. */
  readonly initLimit: number;
  /** Ticks that a learner may be silent or lag. */
  readonly syncLimit: number;
  /** Ticks to reach the leader; default: initLimit. */
  readonly connectToLearnerMasterLimit: number;
  readonly leaderConnectDelayDuringRetryMs: number;
  /** leader.maxTimeToWaitForEpoch: the leader steps down after it; negative: never. */
  readonly maxTimeToWaitForEpochMs: number;
  /** jute.maxbuffer and its extra size, in bytes. */
  readonly maxTxnLength: number;
  /** leaderServes: whether a leader accepts clients. */
  readonly leaderServes: boolean;
  /** Concurrent syncs before an observer is refused. */
  readonly maxConcurrentSnapSyncs: number;
  readonly maxConcurrentDiffSyncs: number;
  /** The longest wait of an observer before it connects, and before it looks for a leader. */
  readonly observerReconnectDelayMs: number;
  readonly observerElectionDelayMs: number;
  /** observerMasterPort of followers; default: null, observers connect to the leader. */
  readonly observerMasterPort?: number | null;
  /** snapshotSizeFactor (maxLogBytes); negative: the log on the disk is never sent. */
  readonly snapshotSizeFactor: number;
  /** readonlymode.enabled: without a quorum, serve clients that accept a read-only server. */
  readonly isReadOnlyAllowed: boolean;
  /** standaloneEnabled: a reconfig may not leave fewer than two voters. */
  readonly standaloneEnabled: boolean;
  /** multiAddress.enabled: a reconfig may give a server several addresses. Default: false. */
  readonly isMultiAddress?: boolean;
  /** Bytes of txns that a learner gets from memory in one step. Default: keptTxnBytes. */
  readonly maxRestBytes?: number;
  /** A new epoch begins after this counter. Default: `LAST_COUNTER`. */
  readonly lastCounter?: number;
  /** localSessionsEnabled. Default: null, disabled. */
  readonly localSessions?: LocalSessions | null;
}

export interface LocalSessions {
  /** localSessionsUpgradingEnabled: a session that creates an ephemeral becomes global. */
  readonly isUpgradeAllowed: boolean;
}

/** The data of a member in any role: its log, fully applied. */
export interface Data {
  readonly tree: DataTree;
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
}

export interface Role {
  readonly kind: 'leading' | 'following' | 'observing';
  /** As `zk_peer_state` shows it. */
  readonly phase: string;
  /** Whether this role handles a link that the other side opened. */
  owns(event: LinkEvent): boolean;
  step(event: QuorumEvent): void;
  /** Returns the new configuration as data, with version `zxid`, or the error of the request. */
  reconfigure(request: ReconfigRequest, zxid: bigint): string | ErrorCode;
  durable(zxid: bigint): void;
  tick(): void;
  readonly nextWakeMs: number;
  /** The log must keep the txns after this one for learners; null without any. */
  readonly neededZxid: bigint | null;
  /** Sends the pending bytes of all links at the end of a turn. */
  drain(): void;
  /** Applies logged but uncommitted txns, because recovery would; notifies nobody. */
  end(): void;
}
