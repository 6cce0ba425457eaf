import type { FileSystem } from './file-system.js';

/** Ends the file at `offset`, durably. */
export async function cutFile(fs: FileSystem, path: string, offset: number): Promise<void> {
  const file = await fs.open(path, 'change');
  try {
    await file.truncate(offset);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Makes durable what is read from a file. A process that was killed may have left it in the memory
 * of the system, from where the next one reads it; a power loss would take it away again.
 */
export async function syncFile(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'read');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
