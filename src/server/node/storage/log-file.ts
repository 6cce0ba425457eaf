/** One log file that is open for writing, with zeros ahead of its tail. */
import { dirname } from 'node:path';
import { encodeLogHeader, LOG_HEADER_SIZE } from '../../../files/txn-log.js';
import type { FileSystem, StoredFile } from './file-system.js';

export interface LogFileOptions {
  /** Zeros to write ahead of the tail, in bytes (preAllocSize). */
  readonly preAllocSize: number;
  /** False only with forceSync=no. */
  readonly isSynced: boolean;
}

/** The first block is small, because most servers write little; it doubles. */
const FIRST_BLOCK = 256 * 1024;
/** The sync of a block delays the writes beside it, so a block is not large. */
const MAX_BLOCK = 2 * 1024 * 1024;
/** Zeros are written in pieces, so that a batch never waits long for them in the thread pool. */
const ZEROS = Buffer.alloc(256 * 1024);

export class LogFile {
  private readonly file: StoredFile;
  /** Without O_DSYNC: zeros are written in the background and synced once. */
  private readonly filler: StoredFile;
  private readonly preAllocSize: number;
  private end = LOG_HEADER_SIZE;
  /** The end of the filled part: a record before it syncs without metadata. */
  private filled = LOG_HEADER_SIZE;
  private blockSize = FIRST_BLOCK;
  private filling: Promise<void> | null = null;
  private isFillingStopped = false;

  private constructor(file: StoredFile, filler: StoredFile, preAllocSize: number) {
    this.file = file;
    this.filler = filler;
    this.preAllocSize = preAllocSize;
  }

  get size(): number {
    return this.end;
  }

  /** The file, its header, and its name are durable before the first record. */
  static async create(fs: FileSystem, path: string, options: LogFileOptions): Promise<LogFile> {
    const { isSynced, preAllocSize } = options;
    const file = await fs.open(path, 'create', { isSynced });
    const filler = await fs.open(path, 'change');
    const log = new LogFile(file, filler, preAllocSize);
    await filler.write([encodeLogHeader()], 0);
    await log.fill();
    if (isSynced) await fs.syncFolder(dirname(path));
    return log;
  }

  /**
   * Zeros never overwrite a record: a write beyond the filled part waits for the current piece and
   * ends the filling.
   */
  async write(buffers: readonly Buffer[], isInPlace = false): Promise<void> {
    const length = buffers.reduce((sum, { length: size }) => sum + size, 0);
    const position = this.end;
    if (position + length > this.filled && this.filling !== null) {
      this.isFillingStopped = true;
      await this.filling;
    }
    this.end = position + length;
    this.filled = Math.max(this.filled, this.end);
    const isScarce = this.filled - this.end < Math.min(this.blockSize, this.preAllocSize) / 2;
    if (this.filling === null && isScarce) this.fillLater();
    await this.file.write(buffers, position, isInPlace);
  }

  private fillLater(): void {
    // If filling fails (a full disk), the next writes report it.
    this.filling = this.fill()
      .catch(() => undefined)
      .finally(() => {
        this.filling = null;
      });
  }

  private async fill(): Promise<void> {
    this.isFillingStopped = false;
    const target = this.filled + Math.min(this.blockSize, this.preAllocSize);
    this.blockSize = Math.min(this.blockSize * 2, MAX_BLOCK);
    while (this.filled < target && !this.isFillingStopped) {
      const size = Math.min(ZEROS.length, target - this.filled);
      await this.filler.write([ZEROS.subarray(0, size)], this.filled);
      this.filled += size;
    }
    await this.filler.datasync();
  }

  async close(): Promise<void> {
    this.isFillingStopped = true;
    await this.filling;
    await this.file.truncate(this.end);
    await this.file.datasync();
    await this.filler.close();
    await this.file.close();
  }
}
