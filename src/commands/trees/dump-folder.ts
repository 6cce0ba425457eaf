// A dump as a folder: znodes.ndjson has one line for each znode, without its data. The data is in
// files: tree.data for the root, tree/app.data for /app, and tree/app/x.data for /app/x. File names
// are computed from paths, and symbolic links are not followed, so a dump never reads or writes
// outside of its folder.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { MAX_PIECE_LENGTH } from './dump-syntax.js';

const INDEX = 'znodes.ndjson';
/** File systems allow 255 bytes per name and 4096 bytes per path. */
const MAX_NAME_LENGTH = 200;
const MAX_PATH_LENGTH = 1500;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export class DumpFolder {
  private readonly name: string;
  /** With links resolved. */
  private readonly root: string;
  private checked = '';

  private constructor(name: string, root: string) {
    this.name = name;
    this.root = root;
  }

  static async create(name: string): Promise<DumpFolder> {
    await mkdir(name, { mode: FOLDER_MODE });
    return DumpFolder.at(name);
  }

  static async at(name: string): Promise<DumpFolder> {
    return new DumpFolder(name, await realpath(name));
  }

  get index(): string {
    return join(this.name, INDEX);
  }

  /** @param path relative to the root of the dump, "" for the root */
  async write(path: string, data: Buffer, isResumed: boolean): Promise<void> {
    const name = fileOf(path);
    try {
      await this.place(join(this.root, name), data, isResumed);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(
        `${join(this.name, name)}: cannot write data of ${path || '/'}: ${reason}`,
        { code: 'NOFILE', exitCode: ExitCode.usage, cause },
      );
    }
  }

  private async place(file: string, data: Buffer, isResumed: boolean): Promise<void> {
    const folder = dirname(file);
    if (folder !== this.checked) {
      await this.makeFolder(folder);
      this.checked = folder;
    }
    // An interrupted dump may have left a file without its line.
    if (isResumed) await rm(file, { force: true });
    const handle = await open(file, 'wx', FILE_MODE);
    try {
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
  }

  /** @throws RangeError with the name of an unreadable file */
  async read(path: string): Promise<Buffer> {
    const name = fileOf(path);
    let handle: FileHandle | undefined;
    try {
      const file = join(this.root, name);
      await this.checkPlace(file);
      // O_NONBLOCK: do not wait for a writer if the file is a pipe.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      handle = await open(file, flags);
      const stat = await handle.stat();
      if (!stat.isFile()) throw new Error('not a regular file');
      if (stat.size > MAX_PIECE_LENGTH) throw new Error('too large for a znode');
      return await handle.readFile();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RangeError(`cannot read data of ${path || '/'} from ${name}: ${reason}`);
    } finally {
      await handle?.close();
    }
  }

  /** Creates one level at a time to check each level for links. */
  private async makeFolder(folder: string): Promise<void> {
    try {
      await this.checkPlace(folder);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      await this.makeFolder(dirname(folder));
      await mkdir(folder, { mode: FOLDER_MODE });
    }
  }

  private async checkPlace(file: string): Promise<void> {
    if ((await realpath(file)) === file) return;
    throw new Error('path contains a symbolic link');
  }
}

export function fileOf(path: string): string {
  const names = path.split('/').slice(1).map(safeName);
  const file = `${['tree', ...names].join('/')}.data`;
  const isLong = names.some((name) => Buffer.byteLength(name) > MAX_NAME_LENGTH);
  if (!isLong && Buffer.byteLength(file) <= MAX_PATH_LENGTH) return file;
  return `long/${createHash('sha256').update(path).digest('hex')}.data`;
}

/** Percent-encodes other characters than letters, digits, and `_.-`, a leading dot, and `.data`. */
function safeName(name: string): string {
  const isPlain = name === name.normalize('NFC');
  const unsafe = isPlain ? /[^\p{L}\p{N}_.-]/gu : /[^A-Za-z0-9_.-]/gu;
  return name.replace(unsafe, escaped).replace(/^\.|\.(?=data$)/g, escaped);
}

function escaped(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%${hex(byte)}`).join('');
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
