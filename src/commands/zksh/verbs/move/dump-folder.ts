// A dump as a folder: znodes.ndjson has a line a znode, as a dump of lines, but for the data, which
// is in a file of its own: tree.data of the root, tree/app.data of /app, tree/app/x.data below it.
// Where a file is follows from the path of the znode alone; no line says it, and no link is
// followed, so that nothing outside of the folder is ever written or read.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError, ExitCode } from '../../../program/command-error.js';
import { MAX_PIECE_LENGTH } from './dump-syntax.js';

const INDEX = 'znodes.ndjson';
/** A file system takes 255 bytes a name, and 4096 a path. */
const MAX_NAME_LENGTH = 200;
const MAX_PATH_LENGTH = 1500;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export class DumpFolder {
  readonly #name: string;
  /** Without links. */
  readonly #root: string;
  #checked = '';

  private constructor(name: string, root: string) {
    this.#name = name;
    this.#root = root;
  }

  /** @throws the fault of the file system, EEXIST for one */
  static async create(name: string): Promise<DumpFolder> {
    await mkdir(name, { mode: FOLDER_MODE });
    return DumpFolder.at(name);
  }

  static async at(name: string): Promise<DumpFolder> {
    return new DumpFolder(name, await realpath(name));
  }

  /** The file of lines. */
  get index(): string {
    return join(this.#name, INDEX);
  }

  /**
   * @param path below the root of the dump, "" for that
   * @throws CommandError NOFILE that names the file
   */
  async write(path: string, data: Buffer, isResumed: boolean): Promise<void> {
    const name = fileOf(path);
    try {
      await this.#write(join(this.#root, name), data, isResumed);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(
        `cannot write the data of ${path || '/'} to ${join(this.#name, name)}: ${reason}`,
        { code: 'NOFILE', exitCode: ExitCode.usage, cause },
      );
    }
  }

  async #write(file: string, data: Buffer, isResumed: boolean): Promise<void> {
    const folder = dirname(file);
    if (folder !== this.#checked) {
      await this.#makeFolder(folder);
      this.#checked = folder;
    }
    // What an interruption left behind no line tells of; never through a link.
    if (isResumed) await rm(file, { force: true });
    const handle = await open(file, 'wx', FILE_MODE);
    try {
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
  }

  /** @throws RangeError that names the file, where it is not what it must be */
  async read(path: string): Promise<Buffer> {
    const name = fileOf(path);
    let handle: FileHandle | undefined;
    try {
      const file = join(this.#root, name);
      await this.#checkPlace(file);
      // Not to wait for whoever writes to a pipe, either.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      handle = await open(file, flags);
      const stat = await handle.stat();
      if (!stat.isFile()) throw new Error('it is no file');
      if (stat.size > MAX_PIECE_LENGTH) throw new Error('it is longer than any znode');
      return await handle.readFile();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RangeError(`the data of ${path || '/'} cannot be read from ${name}: ${reason}`);
    } finally {
      await handle?.close();
    }
  }

  /** Step by step, since nothing is made behind a link either. */
  async #makeFolder(folder: string): Promise<void> {
    try {
      await this.#checkPlace(folder);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      await this.#makeFolder(dirname(folder));
      await mkdir(folder, { mode: FOLDER_MODE });
    }
  }

  async #checkPlace(file: string): Promise<void> {
    if ((await realpath(file)) === file) return;
    throw new Error('there is a link on the way, and none is followed');
  }
}

/** Where the data of a znode is, in the folder. */
export function fileOf(path: string): string {
  const names = path.split('/').slice(1).map(safeName);
  const file = `${['tree', ...names].join('/')}.data`;
  const isLong = names.some((name) => Buffer.byteLength(name) > MAX_NAME_LENGTH);
  if (!isLong && Buffer.byteLength(file) <= MAX_PATH_LENGTH) return file;
  return `long/${createHash('sha256').update(path).digest('hex')}.data`;
}

/**
 * Letters, digits and few signs stand for themselves, everything else is escaped as in a URL; so is
 * a dot where a name would be hidden, or look like a file of data.
 */
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
