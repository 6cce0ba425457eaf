import { readdir, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openFilesIn } from '../../server/node/storage/open-files.js';

/** Servers lock a folder with these sockets (server/node/storage/dir-lock.ts). */
const LOCK_PREFIX = 'zkserver.lock.';
const ANSWER_TIMEOUT_MS = 2000;
const MAX_ANSWER = 1024;

/** A process that has opened a file of the folder, or locked the folder. */
export interface User {
  readonly pid: number;
  /** Undefined for the lock of the folder. */
  readonly file: string | undefined;
}

/** zkserver answers on its lock. Other users of a file appear only where /proc shows them. */
export async function usersOf(folder: string): Promise<User[]> {
  const real = await realpath(folder);
  const users: User[] = [];
  for (const name of await readdir(real)) {
    const pid = name.startsWith(LOCK_PREFIX) ? await lockedBy(join(real, name)) : undefined;
    if (pid !== undefined) users.push({ pid, file: undefined });
  }
  users.push(...openFilesIn(real));
  return users;
}

/** The process id from a socket of the lock; undefined without an answer. */
function lockedBy(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    let text = '';
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      if (text.length > MAX_ANSWER) socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => {
      const [role, pid] = text.split(' ');
      resolve(role === 'holder' && Number(pid) > 0 ? Number(pid) : undefined);
    });
  });
}
