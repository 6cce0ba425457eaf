import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TEMPORARY_SUFFIX } from '../persistence/epochs.js';
import { syncFolder } from './sync-folder.js';

/**
 * Writes a whole file under another name, and gives it its own when it is on the disk: a reader
 * finds what was there before, or all of this (AtomicFileWritingIdiom).
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}${TEMPORARY_SUFFIX}`;
  const handle = await open(temporary, 'w', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
