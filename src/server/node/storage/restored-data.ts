/**
 * Replaces all data of a data directory by a snapshot (the AdminServer's restore).
 *
 * ```
 *   restored.<zxid>.tmp ─▶ restored.<zxid> ─▶ old snapshots and logs go ─▶ snapshot.<zxid>
 *        written, synced   │ from here on the old data is void, for any later start
 * ```
 *
 * A crash before that line leaves the old data, a later one the new: `finishRestore` completes it
 * at the next start. Otherwise a start would replay the old log on the new tree.
 */
import { join } from 'node:path';
import { snapshotFileName } from '../../persistence/file-names.js';
import { logsAmong, snapshotsAmong } from '../../persistence/recovery.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import type { DataDir } from './data-dir.js';
import { listFiles } from './folders.js';

type Folders = Pick<DataDir, 'fs' | 'snapFolder' | 'logFolder'>;

const PREFIX = 'restored.';
const SNAPSHOT_PREFIX = 'snapshot.';
const TEMPORARY = '.tmp';

/** Writes the snapshot beside the current data; resolves to the name for `adoptRestored`. */
export async function stageRestored(dir: DataDir, content: SnapshotContent): Promise<string> {
  const name = snapshotFileName(content.zxid, dir.options.compression);
  const staged = `${PREFIX}${name.slice(SNAPSHOT_PREFIX.length)}${TEMPORARY}`;
  await dir.writeTree(join(dir.snapFolder, staged), content);
  return staged;
}

/** Removes a staged snapshot that was not adopted; otherwise a start does it. */
export async function dropStaged({ fs, snapFolder }: Folders, staged: string): Promise<void> {
  const files = await listFiles(fs, snapFolder);
  if (files.some(({ name }) => name === staged)) await fs.unlink(join(snapFolder, staged));
}

/** Makes the staged snapshot the only data; the log must be closed. */
export async function adoptRestored(dir: Folders, staged: string): Promise<void> {
  const name = staged.slice(0, -TEMPORARY.length);
  await dir.fs.rename(join(dir.snapFolder, staged), join(dir.snapFolder, name));
  await dir.fs.syncFolder(dir.snapFolder);
  await finishRestore(dir);
}

/** Completes an interrupted restore; does nothing without one. */
export async function finishRestore({ fs, snapFolder, logFolder }: Folders): Promise<void> {
  const files = await listFiles(fs, snapFolder);
  const name = files.map((file) => file.name).find(isRestored);
  if (name === undefined) return;
  for (const log of logsAmong(await listFiles(fs, logFolder))) {
    await fs.unlink(join(logFolder, log.name));
  }
  await fs.syncFolder(logFolder);
  for (const old of snapshotsAmong(files)) await fs.unlink(join(snapFolder, old.name));
  await fs.syncFolder(snapFolder);
  const snapshot = `${SNAPSHOT_PREFIX}${name.slice(PREFIX.length)}`;
  await fs.rename(join(snapFolder, name), join(snapFolder, snapshot));
  await fs.syncFolder(snapFolder);
}

function isRestored(name: string): boolean {
  return name.startsWith(PREFIX) && !name.endsWith(TEMPORARY);
}
