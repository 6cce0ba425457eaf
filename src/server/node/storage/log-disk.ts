import { dirname, join } from 'node:path';
import { logFileName } from '../../../files/file-names.js';
import {
  DEFAULT_UNSYNCED_LIMIT,
  encodeLogHeader,
  LOG_HEADER_SIZE,
} from '../../../files/txn-log.js';
import { LogWriteError } from './errors.js';
import { type FileSystem, NODE_FILES, type StoredFile } from './file-system.js';

/**
 * The transaction log on a disk. Requests that arrive during a write share the next write and sync
 * (group commit). O_DSYNC makes a write and its sync one trip through the thread pool. Zeros ahead
 * of the tail keep metadata out of the sync. On a fast disk of a standalone server, a small append
 * that came alone blocks the thread instead: two switches of threads take longer than the write.
 *
 * A failed write is final: the state of the disk is unknown, so no later write may be acknowledged
 * or retried (ZOOKEEPER-4882).
 */

interface Append {
  readonly bytes: Buffer;
  readonly firstZxid: bigint;
  readonly onDurable: () => void;
  readonly isRoll: boolean;
  readonly isAlone: boolean;
}

export interface LogDiskOptions extends LogFileOptions {
  readonly folder: string;
  readonly fs?: FileSystem | undefined;
  /** Bytes above which a batch starts a new file (txnLogSizeLimitInKb); 0 or less disables it. */
  readonly maxFileSize: number;
  readonly onError: (error: LogWriteError) => void;
  readonly onSlowSync: (ms: number) => void;
  readonly onSync?: (ms: number) => void;
  readonly slowSyncMs: number;
  /** The average time of a write below which the disk is fast. */
  readonly fastSyncMs?: number;
  /** In ms. */
  readonly clock?: () => number;
}

const MAX_BUFFERS = 512;
const IN_PLACE_BYTES = 4096;
const FAST_SYNC_MS = 0.5;
/** A slow write raises the average at once; about this many fast ones lower it again. */
const AVERAGED_WRITES = 16;

export class LogDisk {
  private readonly options: LogDiskOptions;
  /** In zxid order, those that no write has taken; after a failure, none does. */
  private queue: Append[] = [];
  /** Null until an append opens the first one, and after `close`. */
  private file: LogFile | null = null;
  /** The close of the file before. Its records are durable, so no append waits for it. */
  private closing: Promise<void> = Promise.resolve();
  /** The next append begins a new file, as the first one does. */
  private isRollAsked = true;
  /** At most one write is under way, and the next takes all that came meanwhile. */
  private isWriting = false;
  /** A write failed; stays true. */
  private isFailed = false;
  /** Called once no write is under way. */
  private idle: (() => void)[] = [];
  /** Appends so far; at least `written`; never falls. */
  private appended = 0;
  /** Those of them that are durable; never falls. */
  private written = 0;
  /** Starts above the limit, so that the first writes measure the disk. */
  private averageMs: number;
  /** Each waits until its first `count` appends are durable. */
  private waiting: { readonly count: number; readonly resolve: (isWritten: boolean) => void }[] =
    [];

  constructor(options: LogDiskOptions) {
    this.options = options;
    this.averageMs = 2 * this.fastSyncMs;
  }

  private get fastSyncMs(): number {
    return this.options.fastSyncMs ?? FAST_SYNC_MS;
  }

  /**
   * Calls `onDurable` when the bytes and all before them are on the disk.
   * @param isAlone the turn had no other work, and no other server waits if the write blocks
   */
  append(bytes: Buffer, firstZxid: bigint, onDurable: () => void, isAlone = false): void {
    this.appended++;
    this.queue.push({ bytes, firstZxid, onDurable, isRoll: this.isRollAsked, isAlone });
    this.isRollAsked = false;
    if (!this.isWriting) this.start();
  }

  /** The next batch starts a new file. */
  roll(): void {
    this.isRollAsked = true;
  }

  /** Waits for the appends so far; false when one failed. */
  untilDurable(): Promise<boolean> {
    if (this.isFailed || this.written === this.appended) return Promise.resolve(!this.isFailed);
    return new Promise((resolve) => this.waiting.push({ count: this.appended, resolve }));
  }

  private releaseWaiting(): void {
    const isDue = ({ count }: { count: number }) => this.isFailed || count <= this.written;
    const due = this.waiting.filter(isDue);
    if (due.length === 0) return;
    this.waiting = this.waiting.filter((waiting) => !isDue(waiting));
    for (const { resolve } of due) resolve(!this.isFailed);
  }

  /** Waits for writes in progress; false when a write has failed. */
  async settle(): Promise<boolean> {
    if (this.isWriting) await new Promise<void>((resolve) => this.idle.push(resolve));
    await this.closing.catch(() => undefined);
    return !this.isFailed;
  }

  /** Waits for writes in progress, then cuts off the zeros. A later append starts a new file. */
  async close(): Promise<void> {
    await this.settle();
    const { file } = this;
    this.file = null;
    try {
      await file?.close();
      await this.closing;
    } catch (error) {
      // Expected after a failed write, and the caller must close more.
      if (!this.isFailed) throw error;
    }
  }

  private start(): void {
    this.isWriting = true;
    // The other effects of the turn, such as proposals to followers, come before a blocking write.
    const begun = this.isInPlace(this.queue)
      ? Promise.resolve().then(() => this.writeQueue())
      : this.writeQueue();
    begun.then(
      () => {
        this.isWriting = false;
        // An append may have arrived since the last check of the queue.
        if (this.queue.length > 0 && !this.isFailed) this.start();
        else for (const resolve of this.idle.splice(0)) resolve();
      },
      (cause: unknown) => {
        this.isWriting = false;
        this.isFailed = true;
        this.queue = [];
        for (const resolve of this.idle.splice(0)) resolve();
        this.releaseWaiting();
        this.options.onError(new LogWriteError(this.options.folder, cause));
      },
    );
  }

  private async writeQueue(): Promise<void> {
    const { clock = () => performance.now() } = this.options;
    while (this.queue.length > 0 && !this.isFailed) {
      const batch = this.takeBatch();
      const first = batch[0] as Append;
      const { file } = this;
      const isFull = file !== null && this.isFull(file);
      if (first.isRoll || isFull || file === null) await this.openFile(first.firstZxid);
      const startedAt = clock();
      const buffers = batch.map(({ bytes }) => bytes);
      await (this.file as LogFile).write(buffers, this.isInPlace(batch));
      const ms = clock() - startedAt;
      this.averageMs += (ms - this.averageMs) / AVERAGED_WRITES;
      this.options.onSync?.(ms);
      if (ms > this.options.slowSyncMs) this.options.onSlowSync(ms);
      for (const { onDurable } of batch) onDurable();
      this.written += batch.length;
      this.releaseWaiting();
    }
  }

  /**
   * The batches for one write: none across a roll, and no more than files/txn-log.ts accepts as one
   * unsynced write, but at least one.
   */
  private takeBatch(): Append[] {
    let size = 0;
    let count = 0;
    for (const { bytes, isRoll } of this.queue) {
      const isFull = size + bytes.length > DEFAULT_UNSYNCED_LIMIT || count === MAX_BUFFERS;
      if (count > 0 && (isRoll || isFull)) break;
      size += bytes.length;
      count++;
    }
    if (count === this.queue.length) {
      const all = this.queue;
      this.queue = [];
      return all;
    }
    return this.queue.splice(0, count);
  }

  private isInPlace([first, second]: readonly Append[]): boolean {
    if (first === undefined || second !== undefined || !first.isAlone) return false;
    return first.bytes.length <= IN_PLACE_BYTES && this.averageMs < this.fastSyncMs;
  }

  private isFull(file: LogFile): boolean {
    const { maxFileSize } = this.options;
    return maxFileSize > 0 && file.size > maxFileSize;
  }

  private async openFile(firstZxid: bigint): Promise<void> {
    const before = this.file;
    this.file = null;
    await this.closing;
    if (before !== null) {
      this.closing = before.close();
      // The next roll or `close` reports an error.
      this.closing.catch(() => undefined);
    }
    const path = join(this.options.folder, logFileName(firstZxid));
    this.file = await LogFile.create(this.options.fs ?? NODE_FILES, path, this.options);
  }
}

// One log file that is open for writing, with zeros ahead of its tail.

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
  /** Where the next record begins; at most `filled`; never falls. */
  private end = LOG_HEADER_SIZE;
  /** The end of the filled part: a record before it syncs without metadata. */
  private filled = LOG_HEADER_SIZE;
  /** Bytes to fill next time; at most MAX_BLOCK; never falls. */
  private blockSize = FIRST_BLOCK;
  /** One at a time; null for none. */
  private filling: Promise<void> | null = null;
  /** A record or `close` waits for the piece that is being filled, so no other one begins. */
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
