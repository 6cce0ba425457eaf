/**
 * Keeps the files of a tree that differed from its leader's in `version-2.mismatch-ZXID` beside
 * `version-2`. Runs after the leader's tree is on the disk, so that a crash leaves a usable
 * snapshot.
 */
import { basename, dirname, join } from 'node:path';
import { VERSION_DIR } from '../../../files/file-names.js';
import { logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { LIMITS } from '../../limits/limits.js';
import type { DataDir } from './data-dir.js';
import { listFiles, makeFolder } from './folders.js';

const MAX_KEPT = LIMITS.treesAside.value;
const PREFIX = `${VERSION_DIR}.mismatch-`;
const NAME = /^version-2\.mismatch-([0-9a-f]{1,16})$/;

/** Writes the new tree; on a full disk, removes files kept aside before. */
export async function withRoom<T>(dir: DataDir, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    await prune(dir, 0);
    return await write();
  }
}

/** Moves all but `newest` away. A failure is only a warning: the repair does not need it. */
export async function setAside(
  dir: DataDir,
  mismatchZxid: bigint,
  newest: string,
  onWarning: (message: string) => void,
): Promise<void> {
  const name = `${PREFIX}${mismatchZxid.toString(16)}`;
  try {
    await prune(dir, MAX_KEPT - 1);
    const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
    const old = snapshots.filter((file) => file.name !== basename(newest));
    // Newest first, so that a crash leaves no gap in either kind.
    await move(dir, dir.snapFolder, name, old);
    const logs = logsAmong(await listFiles(dir.fs, dir.logFolder)).reverse();
    await move(dir, dir.logFolder, name, logs);
    onWarning(`the files of the tree that differed from the leader's are kept in ${name}`);
  } catch (error) {
    const { message } = error as Error;
    onWarning(`cannot keep all files of the tree that differed from the leader's: ${message}`);
  }
}

async function move(
  { fs }: DataDir,
  from: string,
  name: string,
  files: readonly { readonly name: string }[],
): Promise<void> {
  const to = join(dirname(from), name);
  await makeFolder(fs, to);
  for (const file of files) await fs.rename(join(from, file.name), join(to, file.name));
  await fs.syncFolder(to);
  await fs.syncFolder(from);
}

/** Removes the oldest folders of this kind, except `left` of them. */
async function prune({ fs, snapFolder, logFolder }: DataDir, left: number): Promise<void> {
  for (const parent of new Set([dirname(snapFolder), dirname(logFolder)])) {
    const kept = (await fs.readdir(parent)).flatMap((name) => {
      const zxid = NAME.exec(name)?.[1];
      return zxid === undefined ? [] : [{ name, zxid: BigInt(`0x${zxid}`) }];
    });
    kept.sort((a, b) => (a.zxid < b.zxid ? -1 : 1));
    for (const { name } of kept.slice(0, Math.max(kept.length - left, 0))) {
      const folder = join(parent, name);
      for (const file of await fs.readdir(folder)) await fs.unlink(join(folder, file));
      await fs.rmdir(folder);
    }
  }
}
