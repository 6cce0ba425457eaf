import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { planPurge } from '../../../server/persistence/purge.js';
import { snapshotsAmong } from '../../../server/persistence/recovery.js';
import { listFiles } from '../../data-files/find-files.js';

/** Keeps the files for restores since `sinceMs`. @returns the number of removed files */
export async function applyRetention(folder: string, sinceMs: number): Promise<number> {
  const files = await listFiles(folder);
  const snapshots = snapshotsAmong(files);
  const base = snapshots.findIndex(({ name }) => statSync(join(folder, name)).mtimeMs <= sinceMs);
  if (base < 0) return 0;
  const plan = planPurge(files, files, base + 1);
  const old = [...plan.snapshots, ...plan.logs];
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old.length;
}
