import { dirname } from 'node:path';
import { TEMPORARY_SUFFIX } from '../../../files/epochs.js';
import { isMissing } from './errors.js';
import type { Access, FileSystem } from './file-system.js';

const USUAL_MODE = 0o644;

/**
 * Writes a whole file under a temporary name, then renames it (AtomicFileWritingIdiom): a reader
 * finds all of the old or of the new content. Keeps permissions and owner, and writes the target of
 * a link.
 * @param like the file whose permissions a new file gets
 */
export async function writeFileAtomically(
  fs: FileSystem,
  path: string,
  content: string | Buffer,
  like?: Access,
): Promise<void> {
  const target = await targetOf(fs, path);
  const access = (await accessOf(fs, target)) ?? like;
  const temporary = `${target}${TEMPORARY_SUFFIX}`;
  try {
    // A crash may have left one with other permissions, which 'replace' would keep.
    await unlinkIfThere(fs, temporary);
    await writeSynced(fs, temporary, content, access);
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await fs.syncFolder(dirname(target));
}

async function writeSynced(
  fs: FileSystem,
  path: string,
  content: string | Buffer,
  access: Access | undefined,
): Promise<void> {
  // Other users must not read it before it has the final permissions.
  const mode = access === undefined ? USUAL_MODE : access.mode & 0o600;
  const file = await fs.open(path, 'create', { mode });
  try {
    if (access !== undefined) await file.setAccess(access);
    await file.write([typeof content === 'string' ? Buffer.from(content) : content], 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function targetOf(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

/** Undefined if the file does not exist. */
export async function accessOf(fs: FileSystem, path: string): Promise<Access | undefined> {
  try {
    const { mode, uid, gid } = await fs.stat(path);
    return { mode, uid, gid };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function unlinkIfThere(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
