import { closeSync, fsyncSync, openSync } from 'node:fs';
import { copyFile, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The second and the third place must be on one disk. */
export interface CopyPlaces {
  readonly source: string;
  readonly staging: string;
  readonly target: string;
}

/** Copies durably, with the time. If `check` finds a fault in the copy, the target stays. */
export async function copyChecked<Fault>(
  { source, staging: copy, target }: CopyPlaces,
  check: (copy: string) => Promise<Fault | undefined>,
  makeCopy: (source: string, copy: string) => Promise<void> = copyFile,
): Promise<Fault | undefined> {
  try {
    const { atime, mtime } = await stat(source);
    await makeCopy(source, copy);
    const fault = await check(copy);
    if (fault !== undefined) return fault;
    await utimes(copy, atime, mtime);
    const handle = await open(copy, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(copy, target);
    syncFolder(dirname(target));
    return undefined;
  } finally {
    await rm(copy, { force: true });
  }
}
