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
