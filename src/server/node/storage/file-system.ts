/**
 * All file system calls of storage. The simulator has one that loses and tears writes.
 *
 * A write is durable after `sync` or `datasync`, or at once if the file `isSynced`. A name
 * (created, renamed, removed) is durable after `syncFolder` of its folder. Paths are absolute.
 * Errors are Node's, with a `code`.
 */
import { writev, writevSync } from 'node:fs';
import {
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Access {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface FileStat extends Access {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
}

/** `create` fails if the file exists; `replace` empties or creates it. */
export type OpenMode = 'read' | 'change' | 'create' | 'replace';

export interface OpenOptions {
  /** Every write is durable when it resolves (O_DSYNC). */
  readonly isSynced?: boolean;
  /** Mode of a new file, under the umask. Default: others cannot read it. */
  readonly mode?: number;
}

export interface StoredFile {
  /** Fills the buffer from `position` on, up to the end of the file; resolves to the bytes read. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** @param isInPlace blocks the thread instead of waiting for the thread pool */
  write(buffers: readonly Buffer[], position: number, isInPlace?: boolean): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  /** Sets permissions and owner, as far as this process may. */
  setAccess(access: Access): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  open(path: string, mode: OpenMode, options?: OpenOptions): Promise<StoredFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Fails unless the parent exists. */
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  /** Follows links. */
  stat(path: string): Promise<FileStat>;
  realpath(path: string): Promise<string>;
  syncFolder(path: string): Promise<void>;
  /** Resolves after all work of this turn of the event loop. */
  nextTurn(): Promise<void>;
}

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY,
  change: constants.O_RDWR,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  replace: constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
};

const ANY_KIND_OF_BIT = 0o7777;
const GROUP_BITS = 0o070;
const OTHER_BITS = 0o007;

class NodeFile implements StoredFile {
  private readonly handle: FileHandle;

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  async read(buffer: Buffer, position: number): Promise<number> {
    let length = 0;
    while (length < buffer.length) {
      const rest = buffer.length - length;
      const { bytesRead } = await this.handle.read(buffer, length, rest, position + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length;
  }

  async write(buffers: readonly Buffer[], position: number, isInPlace = false): Promise<void> {
    const written = isInPlace
      ? writevSync(this.handle.fd, buffers, position)
      : await this.writeInPool(buffers, position);
    const length = buffers.reduce((sum, { length: size }) => sum + size, 0);
    if (written === length) return;
    await this.write([Buffer.concat(buffers).subarray(written)], position + written);
  }

  private writeInPool(buffers: readonly Buffer[], position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      writev(this.handle.fd, buffers, position, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
  }

  truncate(size: number): Promise<void> {
    return this.handle.truncate(size);
  }

  sync(): Promise<void> {
    return this.handle.sync();
  }

  datasync(): Promise<void> {
    return this.handle.datasync();
  }

  async setAccess({ mode, uid, gid }: Access): Promise<void> {
    const isGroupKept = await this.setOwner(uid, gid);
    // Another group must not get the rights of the old one.
    const groupBits = isGroupKept ? mode & GROUP_BITS : mode & ((mode & OTHER_BITS) << 3);
    await this.handle.chmod((mode & ~GROUP_BITS) | groupBits);
  }

  private async setOwner(uid: number, gid: number): Promise<boolean> {
    const found = await this.handle.stat();
    if (found.uid === uid && found.gid === gid) return true;
    const isDone = (done: Promise<void>) => done.then(() => true).catch(() => false);
    if (await isDone(this.handle.chown(uid, gid))) return true;
    // Only root can change the owner; a group of its own is allowed.
    return found.gid === gid || (await isDone(this.handle.chown(found.uid, gid)));
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

export const NODE_FILES: FileSystem = {
  async open(path, mode, { isSynced = false, mode: bits = 0o640 } = {}) {
    const flags = FLAGS[mode] | (isSynced ? constants.O_DSYNC : 0);
    return new NodeFile(await open(path, flags, bits));
  },
  rename,
  unlink,
  async mkdir(path) {
    await mkdir(path);
  },
  rmdir,
  readdir,
  async stat(path) {
    const found = await stat(path);
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    const { size, mtimeMs, uid, gid } = found;
    return { kind, size, mtimeMs, uid, gid, mode: found.mode & ANY_KIND_OF_BIT };
  },
  realpath,
  async syncFolder(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  async nextTurn() {
    await nextTurn();
  },
};
