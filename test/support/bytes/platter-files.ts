import type {
  FileStat,
  FileSystem,
  OpenMode,
  OpenOptions,
  StoredFile,
} from '../../../src/server/node/storage/file-system.js';
import type { Random } from '../random.js';
import { Folder, fileError, Inode, type Platter } from './platter.js';

export type CallKind =
  | 'open'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'
  | 'rename'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'readdir'
  | 'stat'
  | 'sync-folder';

/** One call to the disk. */
export interface Call {
  readonly kind: CallKind;
  readonly path: string;
  /** True if a crash cannot tear it. */
  readonly isRead: boolean;
  /** The process waits for it. */
  readonly isInPlace: boolean;
  /** Performs it and returns its result. */
  run(): void;
  /** Returns success without performing it: nothing is written, or nothing is durable. */
  pretend(how: 'unsynced' | 'nothing'): void;
  /** Fails without performing it. */
  fail(error: Error): void;
  /** Performs none, a part, or all of it without a result, because the process ends. */
  tear(random: Random): void;
}

/** Runs the calls of a process in any order, and none after a crash. */
export interface CallRunner {
  submit(call: Call): void;
  nextTurn(): Promise<void>;
}

/** Runs each call at once. */
export const AT_ONCE: CallRunner = {
  submit: (call) => call.run(),
  nextTurn: async () => undefined,
};

interface CallOptions {
  readonly tear?: (random: Random) => void;
  readonly isRead?: boolean;
  readonly isInPlace?: boolean;
}

const ACCESS = { mode: 0o644, uid: 0, gid: 0 };
const READS: ReadonlySet<CallKind> = new Set(['read', 'readdir', 'stat', 'close']);

/** The file system of a process over a disk in memory. */
export class PlatterFiles implements FileSystem {
  private readonly platter: Platter;
  private readonly runner: CallRunner;

  constructor(platter: Platter, runner: CallRunner = AT_ONCE) {
    this.platter = platter;
    this.runner = runner;
  }

  /**
   * @param act performs it, durably on request
   * @param tear what a crash leaves; by default all or nothing
   */
  call<T>(
    kind: CallKind,
    path: string,
    act: (isDurable: boolean) => T,
    { tear, isRead = READS.has(kind), isInPlace = false }: CallOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const doIt = (isDurable: boolean): void => {
        try {
          resolve(act(isDurable));
        } catch (error) {
          reject(error);
        }
      };
      const run = (): void => doIt(true);
      const pretend = (how: 'unsynced' | 'nothing'): void => {
        if (how === 'nothing') resolve(undefined as T);
        else doIt(false);
      };
      const tearIt = (random: Random): void => {
        if (tear !== undefined) tear(random);
        else if (random.oneIn(2)) run();
      };
      const ends = { run, pretend, fail: reject, tear: tearIt };
      this.runner.submit({ kind, path, isRead, isInPlace, ...ends });
    });
  }

  open(path: string, mode: OpenMode, options: OpenOptions = {}): Promise<StoredFile> {
    const act = (): StoredFile => {
      const { folder, name } = this.platter.place(path);
      let node = folder.entries.get(name);
      if (node instanceof Folder) throw fileError('EISDIR', path);
      if (mode === 'create' && node !== undefined) throw fileError('EEXIST', path);
      if (node === undefined) {
        if (mode === 'read' || mode === 'change') throw fileError('ENOENT', path);
        node = new Inode();
        folder.change([name, node]);
      }
      if (mode === 'replace') node.truncate(0);
      return new PlatterFile(this, path, node, options.isSynced === true);
    };
    return this.call('open', path, act, { isRead: mode === 'read' || mode === 'change' });
  }

  rename(from: string, to: string): Promise<void> {
    return this.call('rename', to, () => {
      const { folder, name } = this.platter.place(from);
      const node = folder.entries.get(name);
      const target = this.platter.place(to);
      if (node === undefined) throw fileError('ENOENT', from);
      if (target.folder === folder) {
        folder.change([name, null], [target.name, node]);
      } else {
        target.folder.change([target.name, node]);
        folder.change([name, null]);
      }
    });
  }

  unlink(path: string): Promise<void> {
    return this.call('unlink', path, () => {
      const { folder, name } = this.platter.place(path);
      if (!folder.entries.has(name)) throw fileError('ENOENT', path);
      folder.change([name, null]);
    });
  }

  mkdir(path: string): Promise<void> {
    return this.call('mkdir', path, () => {
      const { folder, name } = this.platter.place(path);
      if (folder.entries.has(name)) throw fileError('EEXIST', path);
      folder.change([name, new Folder()]);
    });
  }

  rmdir(path: string): Promise<void> {
    return this.call('rmdir', path, () => {
      const { folder, name } = this.platter.place(path);
      const node = folder.entries.get(name);
      if (!(node instanceof Folder)) throw fileError('ENOENT', path);
      if (node.entries.size > 0) throw fileError('ENOTEMPTY', path);
      folder.change([name, null]);
    });
  }

  readdir(path: string): Promise<string[]> {
    return this.call('readdir', path, () => {
      const folder = this.platter.find(path);
      if (!(folder instanceof Folder)) throw fileError('ENOENT', path);
      return [...folder.entries.keys()];
    });
  }

  stat(path: string): Promise<FileStat> {
    return this.call('stat', path, () => {
      const node = this.platter.find(path);
      if (node === undefined) throw fileError('ENOENT', path);
      if (node instanceof Folder) return { ...ACCESS, kind: 'folder', size: 0, mtimeMs: 0 };
      return { ...ACCESS, kind: 'file', size: node.size, mtimeMs: node.mtimeMs };
    });
  }

  realpath(path: string): Promise<string> {
    return this.stat(path).then(() => path);
  }

  syncFolder(path: string): Promise<void> {
    return this.call('sync-folder', path, (isDurable) => {
      const folder = this.platter.find(path);
      if (!(folder instanceof Folder)) throw fileError('ENOENT', path);
      if (isDurable) folder.sync();
    });
  }

  nextTurn(): Promise<void> {
    return this.runner.nextTurn();
  }
}

class PlatterFile implements StoredFile {
  private readonly fs: PlatterFiles;
  private readonly path: string;
  private readonly inode: Inode;
  private readonly isSynced: boolean;

  constructor(fs: PlatterFiles, path: string, inode: Inode, isSynced: boolean) {
    this.fs = fs;
    this.path = path;
    this.inode = inode;
    this.isSynced = isSynced;
  }

  read(buffer: Buffer, position: number): Promise<number> {
    const act = () => this.inode.bytes.copy(buffer, 0, position);
    return this.fs.call('read', this.path, act);
  }

  write(buffers: readonly Buffer[], position: number, isInPlace = false): Promise<void> {
    const act = (isDurable: boolean) =>
      this.inode.write(joined(buffers), position, this.isSynced && isDurable);
    // A killed process leaves a prefix. A power loss removes sectors of it.
    const tear = (random: Random) => {
      const bytes = joined(buffers);
      const length = random.oneIn(2) ? bytes.length : random.below(bytes.length + 1);
      this.inode.write(bytes.subarray(0, length), position, false);
    };
    return this.fs.call('write', this.path, act, { tear, isInPlace });
  }

  truncate(size: number): Promise<void> {
    return this.fs.call('truncate', this.path, () => this.inode.truncate(size));
  }

  sync(): Promise<void> {
    return this.fs.call('sync', this.path, (isDurable) => {
      if (isDurable) this.inode.sync();
    });
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  async setAccess(): Promise<void> {}

  close(): Promise<void> {
    return this.fs.call('close', this.path, () => undefined);
  }
}

function joined(buffers: readonly Buffer[]): Buffer {
  const [first] = buffers;
  return buffers.length === 1 && first !== undefined ? first : Buffer.concat(buffers);
}
