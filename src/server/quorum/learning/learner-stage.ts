import type { QuorumLimits } from '../peer/role.js';

export type LearnerStage =
  | 'connecting'
  /** FOLLOWERINFO is sent. */
  | 'registering'
  /** The new epoch is being written to disk. */
  | 'accepting'
  /** ACKEPOCH is sent; DIFF, TRUNC, or SNAP is next. */
  | 'acknowledged'
  | 'receiving-snapshot'
  /** The log is being truncated, or a snapshot is being written. */
  | 'restoring'
  | 'syncing'
  /** NEWLEADER came; its history, then its epoch, are being written to disk. */
  | 'persisting'
  /** NEWLEADER is acked; UPTODATE is next. */
  | 'synced'
  | 'serving';

/** Stages in which packets wait for the disk. */
export const WAITING: ReadonlySet<LearnerStage> = new Set(['accepting', 'restoring', 'persisting']);

/** As the four-letter words show it. */
export function phaseOf(stage: LearnerStage, syncMode: string | null): string {
  if (stage === 'serving') return 'broadcast';
  if (syncMode !== null) return syncMode;
  return stage === 'connecting' || stage === 'registering' ? 'discovery' : 'synchronization';
}

/** How long the leader may be silent. A disk here that is slower is for the leader to judge. */
export function patienceMs(stage: LearnerStage, limits: QuorumLimits): number {
  if (WAITING.has(stage)) return Number.POSITIVE_INFINITY;
  const isSynced = stage === 'synced' || stage === 'serving';
  return limits.tickTimeMs * (isSynced ? limits.syncLimit : limits.initLimit);
}
