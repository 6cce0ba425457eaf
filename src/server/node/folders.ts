import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ServerError } from './errors.js';

/** @throws ServerError EDATADIR */
export async function mustExist(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory() === true) return;
  throw new ServerError(
    'EDATADIR',
    ExitCode.DATA_DIR,
    `the folder ${folder} is not there, and datadir.autocreate=false: is its disk mounted?`,
  );
}

/** The plain files of a folder. @throws ServerError EDATADIR */
export async function listFiles(folder: string): Promise<{ name: string; size: number }[]> {
  const names = await readdir(folder).catch((cause: Error) => {
    throw new ServerError(
      'EDATADIR',
      ExitCode.DATA_DIR,
      `the folder ${folder} cannot be read: ${cause.message}`,
      cause,
    );
  });
  const files = await Promise.all(
    names.map(async (name) => {
      // A file may go while the folder is listed.
      const found = await stat(join(folder, name)).catch(() => undefined);
      return { name, size: found?.isFile() === true ? found.size : -1 };
    }),
  );
  return files.filter(({ size }) => size >= 0);
}
