/**
 * All that a server asks of its disk, in the order in which it asks. Appends flow into the log's
 * own queue, where they gather into one write; whatever else changes the disk waits until they are
 * on it, and they wait for it.
 *
 * ```
 *   append append append │ write-epoch │ append append │ truncate │ append …
 *        one write       │             │   one write   │          │
 * ```
 *
 * A fuzzy snapshot is written beside all this, since it changes nothing that anyone was told.
 */
import { basename } from 'node:path';
import type { EpochName } from '../../persistence/epochs.js';
import type { LogPlace, LogRange } from '../../persistence/log-search.js';
import type { Database } from '../../persistence/replay.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import type { DataDir } from './data-dir.js';
import { writeEpoch } from './epoch-files.js';
import type { LogDisk } from './log-disk.js';
import { adoptRestored } from './restored-data.js';
import { setAside, withRoom } from './set-aside.js';
import { readTxns, searchLogs } from './stored-txns.js';
import { dropBehind, truncateData } from './truncate-data.js';

export interface Storage {
  readonly log: LogDisk;
  readonly dir: DataDir;
}

export interface SnapshotFile {
  readonly path: string;
  readonly zxid: bigint;
}

export interface DiskOptions {
  readonly storage: Storage;
  /** autopurge; everyMs 0 is never. */
  readonly purge: { readonly everyMs: number; readonly retain: number };
  readonly onPurged: (files: readonly string[]) => void;
  readonly onSnapshot: (path: string, ms: number) => void;
  readonly onWarning: (message: string) => void;
  /** What is on the disk is unknown: the server must stop. */
  readonly onFatal: (error: unknown) => void;
}

type Job =
  | {
      readonly kind: 'append';
      readonly bytes: Buffer;
      readonly firstZxid: bigint;
      readonly onDurable: () => void;
    }
  | { readonly kind: 'barrier'; readonly work: () => Promise<void> };

export class Disk {
  private readonly options: DiskOptions;
  /** Behind a barrier that is at work. */
  private jobs: Job[] = [];
  private barrier: Promise<void> | null = null;
  /** Something other than an append is at work, or waits for the appends before it. */
  private isBarred = false;
  private isStopped = false;
  private snapshot: Promise<void> | null = null;
  /** How far the tree had come when a snapshot was whole, by the name of the file. */
  private readonly reached = new Map<string, bigint>();
  private purgeTimer: NodeJS.Timeout | undefined;
  private purging: Promise<void> | null = null;

  constructor(options: DiskOptions) {
    this.options = options;
  }

  /** At the start too, as Apache's server does. */
  startPurging(): void {
    const { everyMs } = this.options.purge;
    if (everyMs === 0) return;
    this.purge();
    this.purgeTimer = setInterval(() => this.purge(), everyMs);
  }

  purge(): void {
    // What is being truncated needs the older files.
    if (this.isBarred) return;
    const { storage, purge, onWarning, onPurged } = this.options;
    this.purging ??= storage.dir
      .purge(purge.retain)
      .then((files) => {
        if (files.length > 0) onPurged(files);
      })
      .catch((error: Error) => onWarning(`old files were not purged: ${error.message}`))
      .finally(() => {
        this.purging = null;
      });
  }

  /** `onDurable` is called when the bytes, and all that was asked for before, are on the disk. */
  append(bytes: Buffer, firstZxid: bigint, onDurable: () => void): void {
    if (this.isStopped) return;
    if (!this.isBarred) this.options.storage.log.append(bytes, firstZxid, onDurable);
    else this.jobs.push({ kind: 'append', bytes, firstZxid, onDurable });
  }

  writeEpoch(name: EpochName, epoch: number, onDurable: () => void): void {
    this.addBarrier(async () => {
      const { fs, snapFolder } = this.options.storage.dir;
      await writeEpoch(fs, snapFolder, name, epoch);
      onDurable();
    });
  }

  /** Drops what is behind `zxid`; `onDone` is given what is left, or null where that cannot be. */
  truncate(zxid: bigint, onDone: (database: Database | null) => void): void {
    const { dir } = this.options.storage;
    this.rewrite(async () => {
      const isDone = await truncateData(dir, zxid, this.reached);
      onDone(isDone ? (await dir.recover()).database : null);
    });
  }

  /**
   * This is the whole truth from now on: what the disk holds behind its zxid is dropped.
   * @param mismatchZxid where what the disk holds parted from the truth: it is kept aside, all of
   * it; null where it did not
   */
  install(
    content: SnapshotContent,
    onDurable: () => void,
    mismatchZxid: bigint | null = null,
  ): void {
    const { onWarning, storage } = this.options;
    const { dir } = storage;
    this.rewrite(async () => {
      const write = () => this.write(content, async () => undefined);
      const path = await (mismatchZxid === null ? write() : withRoom(dir, write));
      if (mismatchZxid !== null) await setAside(dir, mismatchZxid, path, onWarning);
      await dropBehind(dir, content.zxid, this.reached);
      onDurable();
    });
  }

  /** The snapshot that was staged is all that the disk holds from now on. */
  adoptRestored(staged: string, onDurable: () => void): void {
    const { dir } = this.options.storage;
    this.rewrite(async () => {
      await adoptRestored(dir, staged);
      this.reached.clear();
      onDurable();
    });
  }

  /** Changes the files themselves: nobody else is at work on them, and the log is closed. */
  private rewrite(work: () => Promise<void>): void {
    this.addBarrier(async () => {
      await this.finishBackground();
      await this.options.storage.log.close();
      await work();
    });
  }

  /** `onDone` is given where a learner's history leaves the log's; null where it does not serve. */
  searchLog(range: LogRange, sizeFactor: number, onDone: (place: LogPlace | null) => void): void {
    this.search(range, sizeFactor).then(onDone, (error: Error) => {
      this.options.onWarning(`the log could not be looked through for a learner: ${error.message}`);
      onDone(null);
    });
  }

  private async search(range: LogRange, sizeFactor: number): Promise<LogPlace | null> {
    const { storage } = this.options;
    while (this.barrier !== null) await this.barrier;
    if (!(await storage.log.untilDurable())) return null;
    return await searchLogs(storage.dir, range, sizeFactor);
  }

  /** The packets of a range that a search has found. */
  readTxns(range: LogRange): AsyncIterable<Buffer> {
    return readTxns(this.options.storage.dir, range);
  }

  /** Anything else that must keep its place among these. */
  run(work: () => Promise<void>): void {
    this.addBarrier(work);
  }

  /** One at a time: while one is being written the log only rolls. */
  takeSnapshot(content: SnapshotContent): void {
    this.options.storage.log.roll();
    if (this.snapshot !== null || this.isBarred) return;
    this.snapshot = this.write(content)
      .then(() => undefined)
      .catch((error: Error) => this.options.onWarning(`no snapshot was written: ${error.message}`))
      .finally(() => {
        this.snapshot = null;
      });
  }

  /** Writes one for an operator, behind what is being written. */
  async writeSnapshot(content: () => SnapshotContent): Promise<SnapshotFile> {
    while (this.snapshot !== null || this.barrier !== null) await (this.barrier ?? this.snapshot);
    const begun = content();
    const written = this.write(begun);
    this.snapshot = written
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => {
        this.snapshot = null;
      });
    return { path: await written, zxid: begun.zxid };
  }

  /** What is on its way to the disk is waited for; what waits behind a barrier is not begun. */
  async close(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.purgeTimer);
    await this.barrier;
    await this.finishBackground();
    await this.options.storage.log.close();
  }

  private async finishBackground(): Promise<void> {
    await this.purging;
    await this.snapshot;
  }

  /**
   * A fuzzy snapshot shows txns that were applied while it was written. It must not outlive a crash
   * that the log of those txns does not, or they would come back though nobody ever agreed on them.
   */
  private readonly untilLogged = async (): Promise<void> => {
    // What the tree has by now is in an append at the end of this turn, at the latest.
    await this.options.storage.dir.fs.nextTurn();
    const isLogged = !this.isBarred && (await this.options.storage.log.untilDurable());
    if (!isLogged || this.isBarred) throw new Error('the log has to be changed first');
  };

  private async write(content: SnapshotContent, mayBeNamed = this.untilLogged): Promise<string> {
    const startedAt = performance.now();
    const path = await this.options.storage.dir.writeSnapshot(content, mayBeNamed);
    this.reached.set(basename(path), content.tree.lastProcessedZxid);
    this.options.onSnapshot(path, performance.now() - startedAt);
    return path;
  }

  private addBarrier(work: () => Promise<void>): void {
    if (this.isStopped) return;
    this.jobs.push({ kind: 'barrier', work });
    if (this.isBarred) return;
    this.isBarred = true;
    this.barrier = this.doJobs()
      .catch((error: unknown) => {
        this.isStopped = true;
        this.options.onFatal(error);
      })
      .finally(() => {
        if (!this.isBarred) this.barrier = null;
      });
  }

  /** Ends in the turn in which it finds nothing left to do: no job can come in between. */
  private async doJobs(): Promise<void> {
    const { log } = this.options.storage;
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      if (this.isStopped) break;
      if (job.kind === 'append') {
        log.append(job.bytes, job.firstZxid, job.onDurable);
        continue;
      }
      // What the log could not write is told by the log, and nothing comes behind it.
      if (!(await log.settle())) break;
      await job.work();
    }
    this.isBarred = false;
  }
}
