import { readdirSync, readFileSync, statSync } from 'node:fs';
import { arch, freemem, hostname, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { parseLogName, parseSnapshotName } from '../../../files/file-names.js';
import type { HostView } from '../../admin/host-view.js';
import { serverUser } from '../log/server-user.js';
import type { Storage } from '../storage/disk-options.js';

const MIB = 1024 * 1024;

/** @param snapshotIntervalMs least time between two snapshots that words ask for */
export function hostViewOf(storage: Storage | null, snapshotIntervalMs: number): HostView {
  const folders =
    storage === null ? null : { snap: storage.dir.snapFolder, log: storage.dir.logFolder };
  const startedAt = performance.now();
  let snapshotAt = Number.NEGATIVE_INFINITY;
  return {
    environment,
    dirs: () => ({
      dataDirSize: folders === null ? 0 : folderSize(folders.snap),
      logDirSize: folders === null ? 0 : folderSize(folders.log),
    }),
    files: () => ({
      firstZxid: folders === null ? 0n : oldestLog(folders.log),
      snapshotZxid: folders === null ? 0n : newestSnapshot(folders.snap),
    }),
    takesSnapshot: () => {
      const now = performance.now();
      if (folders === null || now - snapshotAt < snapshotIntervalMs) return false;
      snapshotAt = now;
      return true;
    },
    openFileCount: () => countEntries('/proc/self/fd'),
    maxFileCount,
    uptimeMs: () => Math.floor(performance.now() - startedAt),
  };
}

/** Apache's names; those about the JVM describe Node.js here. */
function environment(): readonly (readonly [string, string])[] {
  const user = serverUser();
  return [
    ['host.name', hostname()],
    ['java.version', `node ${process.versions.node}`],
    ['java.vendor', 'Node.js'],
    ['java.home', process.execPath],
    ['java.class.path', ''],
    ['java.library.path', ''],
    ['java.io.tmpdir', tmpdir()],
    ['java.compiler', '<NA>'],
    ['os.name', type()],
    ['os.arch', arch() === 'x64' ? 'amd64' : arch()],
    ['os.version', release()],
    ['user.name', user.username],
    ['user.home', user.homedir],
    ['user.dir', process.cwd()],
    ['os.memory.free', `${Math.floor(freemem() / MIB)}MB`],
    ['os.memory.max', `${Math.floor(totalmem() / MIB)}MB`],
    ['os.memory.total', `${Math.floor(process.memoryUsage.rss() / MIB)}MB`],
  ];
}

function folderSize(folder: string): number {
  let size = 0;
  for (const name of namesIn(folder)) {
    size += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return size;
}

function oldestLog(folder: string): bigint {
  const zxids = namesIn(folder).flatMap((name) => parseLogName(name) ?? []);
  return zxids.reduce((oldest, zxid) => (zxid < oldest ? zxid : oldest), zxids[0] ?? 0n);
}

function newestSnapshot(folder: string): bigint {
  const zxids = namesIn(folder).flatMap((name) => parseSnapshotName(name)?.zxid ?? []);
  return zxids.reduce((newest, zxid) => (zxid > newest ? zxid : newest), 0n);
}

function countEntries(folder: string): number {
  const names = namesIn(folder);
  return names.length === 0 ? -1 : names.length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function maxFileCount(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? -1);
  } catch {
    return -1;
  }
}
