import { type FoundFile, logsAfter, logsAmong, snapshotsAmong } from './recovery.js';

export interface PurgePlan {
  readonly snapshots: readonly string[];
  readonly logs: readonly string[];
}

/**
 * Keeps `retain` snapshots and the logs that they need (PurgeTxnLog, ZOOKEEPER-1797).
 * @param neededZxid the txns after it are being sent to a learner; null for none
 */
export function planPurge(
  snapDir: readonly FoundFile[],
  logDir: readonly FoundFile[],
  retain: number,
  neededZxid: bigint | null = null,
): PurgePlan {
  const snapshots = snapshotsAmong(snapDir);
  const oldestKept = snapshots[retain - 1];
  if (oldestKept === undefined) return { snapshots: [], logs: [] };
  const logs = logsAmong(logDir);
  const { zxid } = oldestKept;
  const needed = new Set(
    logsAfter(logs, neededZxid !== null && neededZxid < zxid ? neededZxid : zxid),
  );
  return {
    snapshots: snapshots.slice(retain).map(({ name }) => name),
    logs: logs.filter((log) => !needed.has(log)).map(({ name }) => name),
  };
}
