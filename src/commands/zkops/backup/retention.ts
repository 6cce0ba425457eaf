// Removes the files of a backup that no restore since a moment needs. The base of these restores is
// read whole before anything goes, because disks decay.

import { rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { planPurge, reachOf, type SnapshotFile, snapshotsAmong } from '../../../files/recovery.js';
import { listFiles } from '../../data-files/find-files.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import type { TaskCall } from '../calls/task.js';
import { checkSnapshot } from '../files/verify-snapshot.js';
import type { BackupFolder } from './backup-folder.js';
import { REMOVED } from './backup-log.js';
import { openEncrypted } from './encrypted-file.js';

/** The check of a snapshot in the form that was read. */
interface Checked {
  readonly state: string;
  readonly fault: string | undefined;
  /** Its end tells the last txn that it may contain. */
  readonly hasReach: boolean;
}

export class Retention {
  private readonly call: TaskCall;
  private readonly folder: BackupFolder;
  private readonly checked = new Map<string, Checked>();

  constructor(call: TaskCall, folder: BackupFolder) {
    this.call = call;
    this.folder = folder;
  }

  get problems(): readonly Problem[] {
    return [...this.checked.values()].flatMap(({ fault }) =>
      fault === undefined
        ? []
        : [
            {
              level: 'critical' as const,
              code: 'damaged-snapshot' as const,
              text: `${fault}; --keep-time keeps an older one instead`,
            },
          ],
    );
  }

  /** Keeps the files for restores since `sinceMs`. @returns the names of the removed ones */
  async apply(sinceMs: number): Promise<readonly string[]> {
    await this.removeAside(sinceMs);
    const { files: folder } = this.folder;
    const files = await listFiles(folder);
    const snapshots = snapshotsAmong(files);
    const base = await this.findBase(snapshots, sinceMs);
    if (base === undefined) return [];
    const plan = planPurge(files, files, base);
    const old = [...plan.snapshots, ...plan.logs];
    for (const name of old) {
      rmSync(join(folder, name), { force: true });
      this.checked.delete(name);
    }
    return old;
  }

  /** The copies of logs that lost txns. */
  private async removeAside(sinceMs: number): Promise<void> {
    const { path: folder } = this.folder;
    for (const name of await readdir(folder)) {
      if (!name.startsWith(REMOVED)) continue;
      const { mtimeMs } = await stat(join(folder, name));
      if (mtimeMs <= sinceMs) rmSync(join(folder, name), { force: true });
    }
  }

  private async findBase(
    snapshots: readonly SnapshotFile[],
    sinceMs: number,
  ): Promise<SnapshotFile | undefined> {
    let isNewerInTime = false;
    for (const file of snapshots) {
      const { mtimeMs } = await stat(join(this.folder.files, file.name));
      if (mtimeMs > sinceMs) continue;
      // Nothing is older, so nothing has to be read.
      if (file === snapshots.at(-1)) return file;
      const { fault, hasReach } = await this.check(file, mtimeMs);
      // Otherwise only the next snapshot tells how far this one reaches.
      if (fault === undefined && (hasReach || isNewerInTime)) return file;
      isNewerInTime = true;
    }
    return undefined;
  }

  private async check({ name, size, zxid }: SnapshotFile, mtimeMs: number): Promise<Checked> {
    const state = `${size} ${mtimeMs}`;
    const known = this.checked.get(name);
    if (known?.state === state) return known;
    const { files, key } = this.folder;
    const open = key && openEncrypted(key);
    const path = join(files, name);
    const { outcome, problems } = await checkSnapshot(this.call, path, () => undefined, open);
    const { storedDigest: sealed = null, lastProcessedZxid: reachedZxid = null } = outcome;
    const hasReach = reachOf({ sealed, reachedZxid }, zxid, false) !== null;
    const checked = { state, fault: problems[0]?.text, hasReach };
    this.checked.set(name, checked);
    return checked;
  }
}
