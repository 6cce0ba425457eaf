import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { listFiles } from '../../data-files/find-files.js';
import { runFault } from '../../ensemble/run-fault.js';

export interface PlannedFile {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** In the order of their txns, so that the first ones lead to an earlier moment. */
export async function plannedFiles(folder: string): Promise<PlannedFile[]> {
  const found = await listFiles(folder);
  const files = [...snapshotsAmong(found), ...logsAmong(found)];
  files.sort((a, b) => (a.zxid < b.zxid ? -1 : a.zxid > b.zxid ? 1 : 0));
  const planned: PlannedFile[] = [];
  for (const { name, size } of files) {
    const { mtimeMs } = await stat(join(folder, name));
    planned.push({ name, size, mtimeMs: Math.round(mtimeMs) });
  }
  return planned;
}

/** @throws CommandError for a file that became shorter */
export async function bytesOf(path: string, offset: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    if (bytesRead === length) return buffer;
  } finally {
    await handle.close();
  }
  throw runFault(`${path}: is shorter now\nLeave the files of the spool folder alone`);
}
