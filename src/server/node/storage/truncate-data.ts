/**
 * Drops the end of what a server has on its disk, since the leader of its ensemble never had it
 * (TRUNC, FileTxnLog.truncate). A crash at any place in between leaves data that a start accepts: a
 * snapshot and the logs behind it without a gap, ending somewhere between the new end and the old.
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
 * Drops every txn behind `zxid`; the log must be closed. False, and nothing is dropped, where no
 * snapshot leads to `zxid` by the logs that are here.
 * @param reached how far the tree had come when a snapshot of this process was whole, by file name:
 * it may hold more than its name says
 */
export async function truncateData(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<boolean> {
  const known = await lookInto(dir, zxid, reached);
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  const base = snapshots.find((file) => known.has(file.name) && !isBehind(file, zxid, known));
  if (snapshots.length > 0 && base === undefined) return false;
  const from = base?.zxid ?? 0n;
  const [log] = logsAfter(logsAmong(await listFiles(dir.fs, dir.logFolder)), from);
  const isLed = from === zxid || (log !== undefined && isLedTo(log, from));
  if (isLed) await dropBehind(dir, zxid, known);
  return isLed;
}

/** Does the log go on where a snapshot of `zxid` ends, or begin before? */
function isLedTo(log: LogFile, zxid: bigint): boolean {
  return log.zxid <= zxid || isSuccessor(zxid, log.zxid);
}

/** The same, where a snapshot to read back from is there for sure. */
export async function dropBehind(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<void> {
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  // Snapshots go first: one that is newer than the log would be taken for the truth. From the
  // newest on, so that what is left of each kind has no gap.
  for (const file of snapshots) {
    if (isBehind(file, zxid, reached)) await dir.fs.unlink(join(dir.snapFolder, file.name));
  }
  await dir.fs.syncFolder(dir.snapFolder);
  await truncateLogs(dir, zxid);
}

/**
 * `reached`, and what the snapshots of earlier processes say of themselves, from the newest on to
 * the first that shows no txn behind `zxid`: that one will be read back.
 */
async function lookInto(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, bigint>> {
  const known = new Map(reached);
  for (const file of snapshotsAmong(await listFiles(dir.fs, dir.snapFolder))) {
    if (isBehind(file, zxid, known)) continue;
    if (known.has(file.name)) break;
    const database = new Database(dir.options.tree);
    const fault = await loadSnapshot(dir, database, file);
    if (fault !== undefined) continue;
    known.set(file.name, database.compareAfter);
    if (!isBehind(file, zxid, known)) break;
  }
  return known;
}

function isBehind(
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
      // One by one: were an older one gone before a newer one, a power loss would leave a gap.
      await dir.fs.syncFolder(dir.logFolder);
      onWarning(`${path}: removed, ${log.size} bytes: ${why}`);
      continue;
    }
    const border = await findBorder(dir, log, zxid);
    if (border === null) return;
    await cutFile(dir.fs, path, border);
    onWarning(`${path}: cut at offset ${border}, ${log.size - border} bytes: ${why}`);
    return;
  }
}

/** Where the first record after `zxid` begins, or null. */
async function findBorder(dir: DataDir, log: LogFile, zxid: bigint): Promise<number | null> {
  const file = await dir.fs.open(join(dir.logFolder, log.name), 'read');
  let border: number | null = null;
  try {
    const take = (entry: LogEntry): boolean => {
      if (entry.zxid <= zxid) return true;
      border = entry.offset;
      return false;
    };
    await scanLog(file, dir.options.maxEntryLength, take, readSizeFor(log.size));
  } finally {
    await file.close();
  }
  return border;
}
