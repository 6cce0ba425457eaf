import type { FileSystem } from './file-system.js';

export async function cutFile(fs: FileSystem, path: string, offset: number): Promise<void> {
  const file = await fs.open(path, 'change');
  try {
    await file.truncate(offset);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes a file durable before its use: after a kill, it may be only in memory. */
export async function syncFile(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'read');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
