import type { FileSystem } from './file-system.js';

/** Cuts the file at `offset`, durably. */
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
 * Makes the content of a file durable before it is used. A killed process may have left it only in
 * the memory of the system, and a power loss would remove it.
 */
export async function syncFile(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'read');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
