import {
  type FoundFile,
  logsAfter,
  logsAmong,
  type SnapshotFile,
  snapshotsAmong,
} from './recovery.js';

export interface PurgePlan {
  readonly snapshots: readonly string[];
  readonly logs: readonly string[];
}

/**
 * Keeps a snapshot, all newer ones, and the logs that they need (PurgeTxnLog, ZOOKEEPER-1797).
 * @param oldestKept must be one that was read whole: a start on the rest begins with it
 * @param neededZxid the txns after it are being sent to a learner; null for none
 */
export function planPurge(
  snapDir: readonly FoundFile[],
  logDir: readonly FoundFile[],
  oldestKept: Pick<SnapshotFile, 'zxid'>,
  neededZxid: bigint | null = null,
): PurgePlan {
  const { zxid } = oldestKept;
  const logs = logsAmong(logDir);
  const needed = new Set(
    logsAfter(logs, neededZxid !== null && neededZxid < zxid ? neededZxid : zxid),
  );
  const old = snapshotsAmong(snapDir).filter((snapshot) => snapshot.zxid < zxid);
  return {
    snapshots: old.map(({ name }) => name),
    logs: logs.filter((log) => !needed.has(log)).map(({ name }) => name),
  };
}
