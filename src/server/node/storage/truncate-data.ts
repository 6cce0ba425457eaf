/**
 * Drops the end of the data on the disk that the leader never had (TRUNC, FileTxnLog.truncate). A
 * crash at any point leaves data that a start accepts: a snapshot and logs without a gap.
 */
import { join } from 'node:path';
import { formatZxid } from '../../../protocol/zxid.js';
import {
  isSuccessor,
  type LogFile,
  logsAfter,
  logsAmong,
  snapshotsAmong,
} from '../../persistence/recovery.js';
import { Database } from '../../persistence/replay.js';
import type { LogEntry } from '../../persistence/txn-log.js';
import { cutFile } from './cut-file.js';
import type { DataDir } from './data-dir.js';
import { listFiles } from './folders.js';
import { loadSnapshot } from './load-snapshot.js';
import { readSizeFor, scanLog } from './scan-log.js';

/**
 * Drops every txn after `zxid`; the log must be closed. Returns false, and drops nothing, if no
 * snapshot and logs lead to `zxid`.
 * @param reached the tree's last zxid when this process completed a snapshot, by file name: the
 * file may contain later txns than its name says
 */
export async function truncateData(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<boolean> {
  const known = await readReachedZxids(dir, zxid, reached);
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  const base = snapshots.find((file) => known.has(file.name) && !reachesBeyond(file, zxid, known));
  if (snapshots.length > 0 && base === undefined) return false;
  const from = base?.zxid ?? 0n;
  const [log] = logsAfter(logsAmong(await listFiles(dir.fs, dir.logFolder)), from);
  const isContinuous = from === zxid || (log !== undefined && continuesFrom(log, from));
  if (isContinuous) await dropAfter(dir, zxid, known);
  return isContinuous;
}

function continuesFrom(log: LogFile, zxid: bigint): boolean {
  return log.zxid <= zxid || isSuccessor(zxid, log.zxid);
}

/** The same when a usable snapshot certainly exists. */
export async function dropAfter(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<void> {
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  // Snapshots go first, because one newer than the log would count as the data; newest first, so
  // that no gap arises.
  for (const file of snapshots) {
    if (reachesBeyond(file, zxid, reached)) await dir.fs.unlink(join(dir.snapFolder, file.name));
  }
  await dir.fs.syncFolder(dir.snapFolder);
  await truncateLogs(dir, zxid);
}

/**
 * Adds the content of snapshots of earlier processes to `reached`, down to the one to be loaded:
 * the newest without txns after `zxid`.
 */
async function readReachedZxids(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, bigint>> {
  const known = new Map(reached);
  for (const file of snapshotsAmong(await listFiles(dir.fs, dir.snapFolder))) {
    if (reachesBeyond(file, zxid, known)) continue;
    if (known.has(file.name)) break;
    const database = new Database(dir.options.tree);
    const fault = await loadSnapshot(dir, database, file);
    if (fault !== undefined) continue;
    known.set(file.name, database.compareAfter);
    if (!reachesBeyond(file, zxid, known)) break;
  }
  return known;
}

function reachesBeyond(
  { name, zxid: named }: { readonly name: string; readonly zxid: bigint },
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): boolean {
  return named > zxid || (reached.get(name) ?? named) > zxid;
}

async function truncateLogs(dir: DataDir, zxid: bigint): Promise<void> {
  const logs = logsAmong(await listFiles(dir.fs, dir.logFolder)).reverse();
  const { onWarning } = dir.options;
  const why = `the leader has no transaction after ${formatZxid(zxid)}`;
  for (const log of logs) {
    const path = join(dir.logFolder, log.name);
    if (log.zxid > zxid) {
      await dir.fs.unlink(path);
      // One by one: if an older one vanished before a newer one, a power loss would leave a gap.
      await dir.fs.syncFolder(dir.logFolder);
      onWarning(`${path}: removed, ${log.size} bytes: ${why}`);
      continue;
    }
    const offset = await findFirstAfter(dir, log, zxid);
    if (offset === null) return;
    await cutFile(dir.fs, path, offset);
    onWarning(`${path}: cut at offset ${offset}, ${log.size - offset} bytes: ${why}`);
    return;
  }
}

/** The offset of the first record after `zxid`, or null. */
async function findFirstAfter(dir: DataDir, log: LogFile, zxid: bigint): Promise<number | null> {
  const file = await dir.fs.open(join(dir.logFolder, log.name), 'read');
  let offset: number | null = null;
  try {
    const take = (entry: LogEntry): boolean => {
      if (entry.zxid <= zxid) return true;
      offset = entry.offset;
      return false;
    };
    await scanLog(file, dir.options.maxEntryLength, take, readSizeFor(log.size));
  } finally {
    await file.close();
  }
  return offset;
}
