/** Refuses a folder that a server without locks writes, such as Apache's. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { logsAmong } from '../../../files/recovery.js';
import { END_OF_RECORD } from '../../../files/txn-log.js';
import { safeLine } from '../../../protocol/sanitize.js';
import type { DataDir } from './data-dir.js';
import { ExitCode, ServerError } from './errors.js';
import { listFiles } from './folders.js';
import { openFilesIn, programOf } from './open-files.js';

/** @throws ServerError EDATADIRINUSE that names the process */
export async function mustBeFree({ fs, logFolder, snapFolder }: DataDir): Promise<void> {
  const newest = logsAmong(await listFiles(fs, logFolder)).at(-1);
  if (newest === undefined || (await isClosed(join(logFolder, newest.name), newest.size))) return;
  for (const folder of new Set([logFolder, snapFolder])) {
    const user = openFilesIn(folder).find(({ isWritable }) => isWritable);
    if (user !== undefined) throw written(user.file, user.pid);
  }
}

/**
 * A server that ends cuts off the zeros ahead of its tail. So a usual start does not pay for the
 * search of /proc, which takes some 10 ms.
 */
async function isClosed(path: string, size: number): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, Math.max(size - 1, 0));
    return last[0] === END_OF_RECORD;
  } finally {
    await file.close();
  }
}

function written(file: string, pid: number): ServerError {
  const program = safeLine(programOf(pid) ?? 'unknown');
  return new ServerError(
    'EDATADIRINUSE',
    ExitCode.DATA_DIR,
    `${file}: process ${pid} (${program}) has it open for writing (expected a data directory of its own). Stop that server first, or use another folder`,
  );
}
