/** How far a learner has come with its leader. */
export type LearnerStage =
  | 'connecting'
  /** FOLLOWERINFO is sent. */
  | 'registering'
  /** The new epoch is on its way to the disk. */
  | 'accepting'
  /** ACKEPOCH is sent: DIFF, TRUNC or SNAP comes. */
  | 'acknowledged'
  | 'receiving-snapshot'
  /** The log is being cut, or a snapshot being written. */
  | 'restoring'
  /** What the leader has and this server lacks comes in. */
  | 'syncing'
  /** NEWLEADER came: its history, then its epoch, are on their way to the disk. */
  | 'persisting'
  /** NEWLEADER is acked: UPTODATE comes. */
  | 'synced'
  | 'serving';

/** Stages in which packets wait: something must be on the disk first. */
export const WAITING: ReadonlySet<LearnerStage> = new Set(['accepting', 'restoring', 'persisting']);

/** As the words name it: discovery, diff, … broadcast. */
export function phaseOf(stage: LearnerStage, syncMode: string | null): string {
  if (stage === 'serving') return 'broadcast';
  if (syncMode !== null) return syncMode;
  return stage === 'connecting' || stage === 'registering' ? 'discovery' : 'synchronization';
}
