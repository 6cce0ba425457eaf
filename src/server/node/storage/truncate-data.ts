/**
 * Drops the end of the data on the disk that the leader never had (TRUNC, FileTxnLog.truncate). A
 * crash at any point leaves data that a start accepts: a snapshot and logs without a gap.
 */
import { join } from 'node:path';
import { type LogFile, logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import type { LogEntry } from '../../../files/txn-log.js';
import { formatZxid } from '../../../protocol/zxid.js';
import type { Database } from '../../persistence/replay.js';
import { cutFile } from './cut-file.js';
import type { DataDir } from './data-dir.js';
import { ServerError } from './errors.js';
import { listFiles } from './folders.js';
import type { ListedSnapshot } from './load-snapshot.js';
import { loadKnown } from './recover-data.js';
import { replayLogs } from './replay-logs.js';
import { readSizeFor, scanLog } from './scan-log.js';

/**
 * Drops every txn after `zxid`, and resolves to the remaining data; the log must be closed. Drops
 * nothing, and resolves to null, unless a snapshot and logs lead to `zxid`: all are read before.
 * Only a snapshot that certainly has no later txn is a base. Apache's server takes any, and keeps
 * txns that the leader never had.
 */
export async function truncateData(dir: DataDir, zxid: bigint): Promise<Database | null> {
  const newer: ListedSnapshot[] = [];
  for (const file of snapshotsAmong(await listFiles(dir.fs, dir.snapFolder))) {
    const database = await loadBase(dir, file, zxid);
    if (database === null) {
      newer.push(file);
      continue;
    }
    // Without a later log, an older snapshot does not lead there either.
    if (!(await leadsTo(dir, database, zxid, newer))) return null;
    await dropSnapshots(dir, newer);
    await truncateLogs(dir, zxid);
    database.removeOrphans();
    return database;
  }
  return null;
}

async function loadBase(
  dir: DataDir,
  file: ListedSnapshot,
  zxid: bigint,
): Promise<Database | null> {
  const isBase = (): boolean => (dir.known.of(file)?.reach ?? zxid + 1n) <= zxid;
  if (file.zxid > zxid || (dir.known.of(file) !== undefined && !isBase())) return null;
  const loaded = await loadKnown(dir, file);
  return typeof loaded !== 'string' && isBase() ? loaded : null;
}

async function leadsTo(
  dir: DataDir,
  database: Database,
  until: bigint,
  newer: readonly ListedSnapshot[],
): Promise<boolean> {
  const logs = logsAmong(await listFiles(dir.fs, dir.logFolder));
  const damaged = newer.filter(({ zxid }) => zxid <= until);
  try {
    await replayLogs(dir, database, logs, { until, damaged });
    return true;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    dir.options.onWarning(`cannot truncate to ${formatZxid(until)}: ${error.message}`);
    return false;
  }
}

/**
 * Drops the same when the snapshot of the leader is on the disk. An older snapshot stays only if it
 * certainly has no later txn.
 */
export async function dropAfter(dir: DataDir, zxid: bigint): Promise<void> {
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  const isBeyond = (file: ListedSnapshot) => (dir.known.of(file)?.reach ?? zxid + 1n) > zxid;
  await dropSnapshots(dir, snapshots.filter(isBeyond));
  await truncateLogs(dir, zxid);
}

/**
 * Before the logs, because a snapshot newer than the log would count as the data.
 * @param snapshots newest first, so that no gap arises
 */
async function dropSnapshots(dir: DataDir, snapshots: readonly ListedSnapshot[]): Promise<void> {
  for (const { name } of snapshots) await dir.fs.unlink(join(dir.snapFolder, name));
  await dir.fs.syncFolder(dir.snapFolder);
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
