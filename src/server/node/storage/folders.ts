import { dirname, join } from 'node:path';
import type { FoundFile } from '../../../files/recovery.js';
import { ExitCode, isMissing, ServerError } from './errors.js';
import type { FileStat, FileSystem } from './file-system.js';

export async function mustExist(fs: FileSystem, folder: string): Promise<void> {
  const found = await fs.stat(folder).catch(() => undefined);
  if (found?.kind === 'folder') return;
  throw new ServerError(
    'EDATADIR',
    ExitCode.DATA_DIR,
    `${folder}: does not exist, and datadir.autocreate=false: check that its disk is mounted`,
  );
}

/** Whether a file or folder has the name. An error of the disk is for who reads it. */
export function exists(fs: FileSystem, path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
}

/** Durable with its parents: a voter whose folder a power loss removed forgets its promises. */
export async function makeFolder(fs: FileSystem, folder: string): Promise<void> {
  const parent = dirname(folder);
  let found: FileStat | undefined;
  try {
    found = await fs.stat(folder);
  } catch (error) {
    if (!isMissing(error) || parent === folder) throw error;
  }
  if (found === undefined) {
    await makeFolder(fs, parent);
    await fs.mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } else if (found.kind !== 'folder') {
    throw new Error(`${folder}: is a file`);
  }
  // Also for an existing folder: an interrupted start may have made it.
  if (parent !== folder) await syncIfAllowed(fs, parent);
}

/** A folder above the data may be accessible but not readable. */
async function syncIfAllowed(fs: FileSystem, folder: string): Promise<void> {
  await fs.syncFolder(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
  });
}

export interface ListedFile extends FoundFile {
  readonly mtimeMs: number;
}

/** The plain files of a folder. @throws ServerError EDATADIR */
export async function listFiles(fs: FileSystem, folder: string): Promise<ListedFile[]> {
  const names = await fs.readdir(folder).catch((cause: Error) => {
    throw new ServerError(
      'EDATADIR',
      ExitCode.DATA_DIR,
      `${folder}: cannot read the folder: ${cause.message}`,
      cause,
    );
  });
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await fs.stat(join(folder, name)).catch(() => undefined);
      const { size, mtimeMs } = found?.kind === 'file' ? found : { size: -1, mtimeMs: 0 };
      return { name, size, mtimeMs };
    }),
  );
  return files.filter(({ size }) => size >= 0);
}
