/**
 * Removes the snapshots and logs that no start needs (autopurge). Only a snapshot that was read
 * whole counts as kept, because Apache's server leaves incomplete ones after a crash, and disks
 * decay. The remaining files still lead to the newest txn.
 */
import { join } from 'node:path';
import { type PurgePlan, planPurge, snapshotsAmong } from '../../../files/recovery.js';
import type { DataDir } from './data-dir.js';
import { listFiles } from './folders.js';
import type { ListedSnapshot } from './load-snapshot.js';
import { faultOfSnapshot } from './whole-snapshot.js';

/**
 * Keeps the newest `retain` whole snapshots, with all newer ones and their logs. Removes nothing if
 * there are fewer. Resolves to the removed names.
 * @param neededZxid a learner gets the txns after it
 * @throws Error when `signal` aborts
 */
export async function purgeData(
  dir: DataDir,
  retain: number,
  signal: AbortSignal,
  neededZxid: () => bigint | null,
): Promise<string[]> {
  const { fs, snapFolder, logFolder } = dir;
  const snapFiles = await listFiles(fs, snapFolder);
  const logFiles = await listFiles(fs, logFolder);
  const snapshots = snapshotsAmong(snapFiles);
  const planFor = (oldestKept: ListedSnapshot | undefined) =>
    oldestKept === undefined ? NOTHING : planPurge(snapFiles, logFiles, oldestKept, neededZxid());
  // If all are whole: without anything to remove, nothing has to be read.
  if (isEmpty(planFor(snapshots[retain - 1]))) return [];
  const plan = planFor(await findOldestKept(dir, snapshots, retain, signal));
  signal.throwIfAborted();
  if (isEmpty(plan)) return [];
  // The names of the remaining files may not be durable yet.
  await fs.syncFolder(snapFolder);
  for (const name of plan.logs) await fs.unlink(join(logFolder, name));
  for (const name of plan.snapshots) await fs.unlink(join(snapFolder, name));
  return [...plan.logs, ...plan.snapshots];
}

const NOTHING: PurgePlan = { snapshots: [], logs: [] };

function isEmpty({ snapshots, logs }: PurgePlan): boolean {
  return snapshots.length + logs.length === 0;
}

async function findOldestKept(
  dir: DataDir,
  snapshots: readonly ListedSnapshot[],
  retain: number,
  signal: AbortSignal,
): Promise<ListedSnapshot | undefined> {
  let whole = 0;
  for (const file of snapshots) {
    if ((await faultOfSnapshot(dir, file, signal)) === undefined) whole++;
    if (whole === retain) return file;
  }
  return undefined;
}
