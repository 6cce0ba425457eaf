import { open, truncate } from 'node:fs/promises';

/** Ends the file at `offset`, durably. */
export async function cutFile(path: string, offset: number): Promise<void> {
  await truncate(path, offset);
  const handle = await open(path, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
