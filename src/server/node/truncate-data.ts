/**
 * Drops the end of what a server has on its disk, since the leader of its ensemble never had it
 * (TRUNC, FileTxnLog.truncate). A crash at any place in between leaves data that a start accepts: a
 * snapshot and the logs behind it without a gap, ending somewhere between the new end and the old.
 */
import { open, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formatZxid } from '../../protocol/zxid.js';
import { logsAmong, snapshotsAmong } from '../persistence/recovery.js';
import { Database } from '../persistence/replay.js';
import { cutFile } from './cut-file.js';
import type { DataDir } from './data-dir.js';
import { ExitCode, ServerError } from './errors.js';
import { listFiles } from './folders.js';
import { scanLog } from './scan-log.js';
import { syncFolder } from './sync-folder.js';

/**
 * Drops every txn behind `zxid`; the log must be closed.
 * @param reached how far the tree had come when a snapshot of this process was whole, by file name:
 * it may hold more than its name says
 * @throws ServerError EDATA, and drops nothing, when there is no snapshot to read back from
 */
export async function truncateData(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<void> {
  const known = await lookInto(dir, zxid, reached);
  const snapshots = snapshotsAmong(await listFiles(dir.snapFolder));
  if (snapshots.length > 0 && snapshots.every((file) => isBehind(file, zxid, known))) {
    throw new ServerError(
      'EDATA',
      ExitCode.DATA,
      `${dir.snapFolder}: the leader has no txn behind ${formatZxid(zxid)}, but no snapshot here is as old: move all files of ${basename(dir.snapFolder)} away, and start again on what the ensemble has`,
    );
  }
  await dropBehind(dir, zxid, known);
}

/** The same, where a snapshot to read back from is there for sure. */
export async function dropBehind(
  dir: DataDir,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): Promise<void> {
  const snapshots = snapshotsAmong(await listFiles(dir.snapFolder));
  // Snapshots go first: one that is newer than the log would be taken for the truth. From the
  // newest on, so that what is left of each kind has no gap.
  for (const file of snapshots) {
    if (isBehind(file, zxid, reached)) await unlink(join(dir.snapFolder, file.name));
  }
  await syncFolder(dir.snapFolder);
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
  for (const file of snapshotsAmong(await listFiles(dir.snapFolder))) {
    if (isBehind(file, zxid, known)) continue;
    if (known.has(file.name)) break;
    const database = new Database(dir.options.tree);
    const fault = await dir.loadSnapshot(database, file);
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
  const logs = logsAmong(await listFiles(dir.logFolder)).reverse();
  for (const { name, zxid: first } of logs) {
    const path = join(dir.logFolder, name);
    if (first > zxid) {
      await unlink(path);
      continue;
    }
    await syncFolder(dir.logFolder);
    const border = await findBorder(path, dir.options.maxEntryLength, zxid);
    if (border !== null) await cutFile(path, border);
    return;
  }
  await syncFolder(dir.logFolder);
}

/** Where the first record behind `zxid` begins; null when there is none. */
async function findBorder(
  path: string,
  maxEntryLength: number,
  zxid: bigint,
): Promise<number | null> {
  const handle = await open(path, 'r');
  let border: number | null = null;
  try {
    await scanLog(handle, maxEntryLength, (entry) => {
      if (entry.zxid <= zxid) return true;
      border = entry.offset;
      return false;
    });
  } finally {
    await handle.close();
  }
  return border;
}
