import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { VERSION_DIR } from '../../files/file-names.js';
import {
  type FoundFile,
  type LogFile,
  logsAmong,
  type SnapshotFile,
  snapshotsAmong,
} from '../../files/recovery.js';
import { runFault } from '../ensemble/run-fault.js';
import { reading } from './reading.js';

/** `version-2` in the given folder, or that folder itself. */
export function versionFolder(folder: string): string {
  const inner = join(folder, VERSION_DIR);
  return basename(folder) !== VERSION_DIR && existsSync(inner) ? inner : folder;
}

/** Links count as the files that they name, as for a server. */
export async function listFiles(folder: string): Promise<FoundFile[]> {
  const names = await reading(folder, readdir(folder));
  const files: FoundFile[] = [];
  for (const name of names) {
    // A server may delete a file while we list the folder.
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile() === true) files.push({ name, size: found.size });
  }
  return files;
}

/** A file with the zxid of its name, if a server named it. */
export interface NamedFile {
  readonly path: string;
  readonly size: number;
  readonly zxid: bigint | undefined;
  /** Set if the file was found in a folder. */
  readonly folder: string | undefined;
}

/** A folder stands for its logs (oldest first) or snapshots (newest first). @throws CommandError */
export async function filesOf(
  paths: readonly string[],
  kind: 'log' | 'snapshot',
): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    const found = await reading(path, stat(path));
    if (!found.isDirectory()) {
      const [own] = amongOf(kind, [{ name: basename(path), size: found.size }]);
      files.push({ path, size: found.size, zxid: own?.zxid, folder: undefined });
      continue;
    }
    const folder = versionFolder(path);
    const among = amongOf(kind, await listFiles(folder));
    if (among.length === 0) throw runFault(`${folder}: has no ${kind}`);
    for (const { name, size, zxid } of among) {
      files.push({ path: join(folder, name), size, zxid, folder });
    }
  }
  return files;
}

function amongOf(
  kind: 'log' | 'snapshot',
  files: readonly FoundFile[],
): (LogFile | SnapshotFile)[] {
  return kind === 'log' ? logsAmong(files) : snapshotsAmong(files);
}
