/** The file that keeps a server from a start while its files are replaced (replace-data.ts). */
import { join } from 'node:path';
import type { FoundFile } from '../../../files/recovery.js';
import { isMissing, unusable } from './errors.js';
import type { FileSystem } from './file-system.js';

/** In the folder of the snapshots. */
export const REPLACING_MARKER = 'replacing';
const TEXT = 'The files of this folder are partly replaced. Run the same zkserver command again.\n';

/** @throws ServerError EDATA while the marker exists */
export function mustBeReplaced(folder: string, files: readonly FoundFile[]): void {
  if (!files.some(({ name }) => name === REPLACING_MARKER)) return;
  throw unusable(
    `${folder}: its files are partly replaced (expected no file ${REPLACING_MARKER}). Run the zkserver load or set-aside that did not end again`,
  );
}

export async function writeMarker(fs: FileSystem, folder: string): Promise<void> {
  const file = await fs.open(join(folder, REPLACING_MARKER), 'replace', { mode: 0o600 });
  try {
    await file.write([Buffer.from(TEXT)], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fs.syncFolder(folder);
}

export async function removeMarker(fs: FileSystem, folder: string): Promise<void> {
  await fs.unlink(join(folder, REPLACING_MARKER)).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  await fs.syncFolder(folder);
}
