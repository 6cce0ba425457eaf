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
import { snapshotFileName } from '../../../files/file-names.js';
import { logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import { checkSnapshot } from './check-snapshot.js';
import type { DataDir } from './data-dir.js';
import { unusable } from './errors.js';
import { listFiles } from './folders.js';

type Folders = Pick<DataDir, 'fs' | 'snapFolder' | 'logFolder' | 'options'>;

const PREFIX = 'restored.';
const SNAPSHOT_PREFIX = 'snapshot.';
const TEMPORARY = '.tmp';

/**
 * Writes the snapshot beside the current data, and reads it again, because it becomes the only
 * data. Resolves to the name for `adoptRestored`.
 */
export async function stageRestored(dir: DataDir, content: SnapshotContent): Promise<string> {
  const name = snapshotFileName(content.zxid, dir.options.compression);
  const staged = `${PREFIX}${name.slice(SNAPSHOT_PREFIX.length)}${TEMPORARY}`;
  await dir.writeTree(join(dir.snapFolder, staged), content);
  try {
    await mustBeWhole(dir, staged);
  } catch (error) {
    await dropStaged(dir, staged);
    throw error;
  }
  return staged;
}

/** @throws Error with the reason */
async function mustBeWhole({ fs, snapFolder, options }: Folders, name: string): Promise<void> {
  const snapshot = snapshotNameOf(name.replace(TEMPORARY, ''));
  const { size } = await fs.stat(join(snapFolder, name));
  const [file] = snapshotsAmong([{ name: snapshot, size }]);
  if (file === undefined) throw new Error(`unexpected name (expected ${PREFIX}ZXID)`);
  const { maxEntryLength } = options;
  await checkSnapshot(fs, { snapFolder, file: { ...file, name }, maxEntryLength });
}

function snapshotNameOf(restored: string): string {
  return `${SNAPSHOT_PREFIX}${restored.slice(PREFIX.length)}`;
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
  await replaceBy(dir, name);
}

/**
 * Completes an interrupted restore; does nothing without one.
 * @throws ServerError EDATA for a damaged one, and removes nothing
 */
export async function finishRestore(dir: Folders): Promise<void> {
  const files = await listFiles(dir.fs, dir.snapFolder);
  const name = files.map((file) => file.name).find(isRestored);
  if (name === undefined) return;
  await mustBeWhole(dir, name).catch((cause: Error) => {
    const path = join(dir.snapFolder, name);
    throw unusable(
      `${path}: a restore was interrupted, and its snapshot is damaged: ${cause.message}. Remove this file to start with the data from before the restore`,
      cause,
    );
  });
  await replaceBy(dir, name);
}

async function replaceBy({ fs, snapFolder, logFolder }: Folders, name: string): Promise<void> {
  const files = await listFiles(fs, snapFolder);
  for (const log of logsAmong(await listFiles(fs, logFolder))) {
    await fs.unlink(join(logFolder, log.name));
  }
  await fs.syncFolder(logFolder);
  for (const old of snapshotsAmong(files)) await fs.unlink(join(snapFolder, old.name));
  await fs.syncFolder(snapFolder);
  await fs.rename(join(snapFolder, name), join(snapFolder, snapshotNameOf(name)));
  await fs.syncFolder(snapFolder);
}

function isRestored(name: string): boolean {
  return name.startsWith(PREFIX) && !name.endsWith(TEMPORARY);
}
