/** One file of the transaction log that is being written, and the zeros ahead of its tail. */
import { writev } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeLogHeader, LOG_HEADER_SIZE } from '../persistence/txn-log.js';
import { syncFolder } from './sync-folder.js';

export interface LogFileOptions {
  /** At most this many bytes are filled with zeros ahead of the tail (preAllocSize). */
  readonly preAllocSize: number;
  /** False only when the operator said forceSync=no. */
  readonly isSynced: boolean;
}

/** The first block is small, so that a server that writes little takes little; it doubles. */
const FIRST_BLOCK = 256 * 1024;
const MAX_BLOCK = 16 * 1024 * 1024;
/** Zeros are written in pieces, so that a batch never waits long behind them in the thread pool. */
const ZEROS = Buffer.alloc(256 * 1024);

export class LogFile {
  private readonly handle: FileHandle;
  /** Not O_DSYNC: zeros are written at leisure and synced once. */
  private readonly filler: FileHandle;
  private readonly preAllocSize: number;
  private end = LOG_HEADER_SIZE;
  /** Below it the file is filled: a record that ends here syncs without metadata. */
  private filled = LOG_HEADER_SIZE;
  private blockSize = FIRST_BLOCK;
  private filling: Promise<void> | null = null;
  private isFillingStopped = false;

  private constructor(handle: FileHandle, filler: FileHandle, preAllocSize: number) {
    this.handle = handle;
    this.filler = filler;
    this.preAllocSize = preAllocSize;
  }

  /** Up to the end of the last record. */
  get size(): number {
    return this.end;
  }

  /** The file, its header and its name in the folder are on the disk before a record is. */
  static async create(path: string, options: LogFileOptions): Promise<LogFile> {
    const { O_CREAT, O_EXCL, O_RDWR, O_DSYNC } = constants;
    const handle = await open(path, O_CREAT | O_EXCL | O_RDWR | (options.isSynced ? O_DSYNC : 0));
    const file = new LogFile(handle, await open(path, O_RDWR), options.preAllocSize);
    await file.fill();
    await handle.write(encodeLogHeader(), 0, LOG_HEADER_SIZE, 0);
    if (options.isSynced) {
      await handle.sync();
      await syncFolder(dirname(path));
    }
    return file;
  }

  /**
   * A record never overtakes zeros that are on their way to the same place: a write that reaches
   * beyond what is filled waits for the piece being filled, then goes ahead without.
   */
  async write(buffers: readonly Buffer[]): Promise<void> {
    const length = buffers.reduce((sum, { length: size }) => sum + size, 0);
    const position = this.end;
    if (position + length > this.filled && this.filling !== null) {
      this.isFillingStopped = true;
      await this.filling;
    }
    this.end = position + length;
    this.filled = Math.max(this.filled, this.end);
    if (this.filling === null && this.filled - this.end < this.blockSize / 2) this.fillLater();
    await this.writeAll(buffers, position, length);
  }

  private writeAll(buffers: readonly Buffer[], position: number, length: number): Promise<void> {
    return new Promise((resolve, reject) => {
      writev(this.handle.fd, buffers, position, (error, written) => {
        if (error !== null) {
          reject(error);
        } else if (written === length) {
          resolve();
        } else {
          const rest = Buffer.concat(buffers).subarray(written);
          this.writeAll([rest], position + written, rest.length).then(resolve, reject);
        }
      });
    });
  }

  private fillLater(): void {
    // Zeros are a favour to the writes behind them: where they fail (a full disk), those will say
    // so.
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
      await this.filler.write(ZEROS, 0, size, this.filled);
      this.filled += size;
    }
    await this.filler.datasync();
  }

  async close(): Promise<void> {
    this.isFillingStopped = true;
    await this.filling;
    await this.handle.truncate(this.end);
    await this.handle.datasync();
    await this.filler.close();
    await this.handle.close();
  }
}
