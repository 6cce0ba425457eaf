import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

const LOCK_NAME = 'zkserver.lock';

/** A process that has a file of the folder open, or has locked it. */
export interface User {
  readonly pid: number;
  /** Undefined for the lock of the folder. */
  readonly file: string | undefined;
}

/**
 * Who uses the files of a folder: zkserver says so in its lock, and every process by its open
 * files, where there is /proc and the process is one that this user may look at. Apache's server
 * keeps its newest log open.
 */
export async function usersOf(folder: string): Promise<User[]> {
  const real = await realpath(folder);
  const users: User[] = [];
  const locker = lockedBy(join(real, LOCK_NAME));
  if (locker !== undefined) users.push({ pid: locker, file: undefined });
  for (const pid of numbersIn('/proc')) {
    if (pid === process.pid) continue;
    for (const fd of numbersIn(`/proc/${pid}/fd`)) {
      const file = linkOf(`/proc/${pid}/fd/${fd}`);
      if (file?.startsWith(`${real}/`) === true) users.push({ pid, file });
    }
  }
  return users;
}

function lockedBy(path: string): number | undefined {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const [number, startTime = ''] = text.trim().split(' ');
  const pid = Number(number);
  if (!(pid > 0)) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isGone = !(error instanceof Error && 'code' in error && error.code === 'EPERM');
    if (isGone) return undefined;
  }
  // A pid is used again after a crash; the lock has the start of its process too.
  const found = startTimeOf(pid);
  return found === '' || startTime === '' || found === startTime ? pid : undefined;
}

/** In clock ticks since boot; "" where there is no /proc. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
