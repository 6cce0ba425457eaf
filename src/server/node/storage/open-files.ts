/** Files of a folder that other processes have open, as /proc shows them. Only Linux has it. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file that another process has open. */
export interface OpenFile {
  readonly pid: number;
  readonly file: string;
  readonly isWritable: boolean;
}

/**
 * Compares inodes, because a process with other mounts, such as one in a container, has another
 * path. Processes that this user may not inspect are left out.
 */
export function openFilesIn(folder: string): OpenFile[] {
  const found: OpenFile[] = [];
  const inodes = new Map(namesIn(folder).map((name) => [name, inodeOf(join(folder, name))]));
  for (const pid of namesIn('/proc').map(Number).filter(Number.isInteger)) {
    if (pid === process.pid) continue;
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const link = `/proc/${pid}/fd/${fd}`;
      const name = basename(orNothing(() => readlinkSync(link)) ?? '');
      const inode = inodes.get(name);
      if (inode === undefined || inodeOf(link) !== inode) continue;
      // The kernel gives the link the permissions of the open file.
      const mode = orNothing(() => lstatSync(link).mode) ?? 0;
      found.push({ pid, file: join(folder, name), isWritable: (mode & 0o200) !== 0 });
    }
  }
  return found;
}

/** The name of the program of a process, such as `java`. */
export function programOf(pid: number): string | undefined {
  return orNothing(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
}

function namesIn(folder: string): string[] {
  return orNothing(() => readdirSync(folder)) ?? [];
}

function inodeOf(path: string): string | undefined {
  return orNothing(() => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  });
}

/** Processes end, and files go, while this reads them. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
