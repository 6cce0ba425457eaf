/**
 * Keeps two of these servers off one data directory: a file that names the process that has it.
 * The file of a process that is gone is taken over. Apache's server keeps no lock and looks at
 * none.
 */
import { readFileSync } from 'node:fs';
import { open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, ServerError } from './errors.js';

const LOCK_NAME = 'zkserver.lock';
/** Folders this very process has: its own pid in a file says nothing. */
const ours = new Set<string>();

export interface DirLock {
  release(): Promise<void>;
}

/** @throws ServerError EDATADIRINUSE that names the process */
export async function lockDir(folder: string): Promise<DirLock> {
  const path = join(folder, LOCK_NAME);
  if (ours.has(path)) throw inUse(folder, process.pid);
  ours.add(path);
  try {
    await takeLock(folder, path);
  } catch (error) {
    ours.delete(path);
    throw error;
  }
  return {
    release: async () => {
      ours.delete(path);
      await unlink(path).catch(() => undefined);
    },
  };
}

async function takeLock(folder: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const handle = await open(path, 'wx', 0o644);
      await handle.writeFile(identity(process.pid));
      await handle.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await removeStale(folder, path);
  }
  throw new ServerError('EDATADIRINUSE', ExitCode.DATA_DIR, `${path} keeps coming back`);
}

async function removeStale(folder: string, path: string): Promise<void> {
  const owner = await readFile(path, 'utf8').catch(() => '');
  const pid = Number.parseInt(owner, 10);
  if (pid !== process.pid && isAlive(pid, owner)) throw inUse(folder, pid);
  // Moved aside before it is removed: should another server have replaced it meanwhile, it is
  // that server's fresh file which is moved, and it is put back.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => '');
  if (moved !== owner) await rename(aside, path).catch(() => undefined);
  else await unlink(aside).catch(() => undefined);
}

function isAlive(pid: number, owner: string): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // A pid is used again after a crash: the start time tells the two apart, where there is /proc.
  return identity(pid) === owner || startTime(pid) === '';
}

function identity(pid: number): string {
  return `${pid} ${startTime(pid)}\n`;
}

/** In clock ticks since boot; "" where there is no /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function inUse(folder: string, pid: number): ServerError {
  return new ServerError(
    'EDATADIRINUSE',
    ExitCode.DATA_DIR,
    `the data directory ${folder} is in use by process ${pid}: stop that server first, or give this one a folder of its own`,
  );
}
