/**
 * The requests of a server to its disk, in order. Appends go to the queue of the log, which gathers
 * them into one write. Every other change waits for the appends before it, and later appends wait
 * for the change.
 *
 * ```
 *   append append append │ write-epoch │ append append │ truncate │ append …
 *        one write       │             │   one write   │          │
 * ```
 *
 * A fuzzy snapshot is written in parallel, since it does not affect anything acknowledged.
 */
import type { EpochName } from '../../../files/epochs.js';
import type { Database } from '../../persistence/replay.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import type { DiskOptions } from './disk-options.js';
import { writeEpoch } from './epoch-files.js';
import { LogReads } from './log-reads.js';
import { adoptRestored } from './restored-data.js';
import { setAside, withRoom } from './set-aside.js';
import { dropAfter, truncateData } from './truncate-data.js';
import { mustBeWhole } from './whole-snapshot.js';

export interface WrittenSnapshot {
  readonly path: string;
  readonly zxid: bigint;
}

type Job =
  | {
      readonly kind: 'append';
      readonly bytes: Buffer;
      readonly firstZxid: bigint;
      readonly onDurable: () => void;
    }
  | { readonly kind: 'barrier'; readonly work: () => Promise<void> };

/** A timer of Node.js that waits longer (24 days) fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Disk {
  /** For learners. */
  readonly reads: LogReads;
  private readonly options: DiskOptions;
  private jobs: Job[] = [];
  private barrier: Promise<void> | null = null;
  /** A barrier is in progress, or waits for earlier appends. */
  private isBarred = false;
  private isStopped = false;
  private snapshot: Promise<void> | null = null;
  /** The newest one that came due during another. */
  private dueSnapshot: SnapshotContent | null = null;
  /** Ends snapshots and purges in progress. */
  private background = new AbortController();
  private purgeTimer: NodeJS.Timeout | undefined;
  private purging: Promise<void> | null = null;

  constructor(options: DiskOptions) {
    this.options = options;
    const { storage, onWarning } = options;
    const { untilSettled } = this;
    this.reads = new LogReads({ dir: storage.dir, untilSettled, onWarning });
  }

  /** Purges at the start, too, as Apache's server does. */
  startPurging(): void {
    const { everyMs } = this.options.purge;
    if (everyMs <= 0) return;
    this.purge();
    this.purgeTimer = setInterval(() => this.purge(), Math.min(everyMs, MAX_TIMER_MS));
  }

  purge(): void {
    // A truncation in progress needs the older files.
    if (this.isBarred) return;
    const { storage, purge, neededZxid, onWarning, onPurged } = this.options;
    const { signal } = this.background;
    this.purging ??= storage.dir
      .purge(purge.retain, signal, neededZxid)
      .then((files) => {
        if (files.length > 0) onPurged(files);
      })
      .catch((error: Error) => {
        if (!signal.aborted) onWarning(`cannot purge old files: ${error.message}`);
      })
      .finally(() => {
        this.purging = null;
      });
  }

  /** Calls `onDurable` when the bytes and all earlier requests are on the disk. */
  append(bytes: Buffer, firstZxid: bigint, onDurable: () => void, isAlone = false): void {
    if (this.isStopped) return;
    if (!this.isBarred) this.options.storage.log.append(bytes, firstZxid, onDurable, isAlone);
    else this.jobs.push({ kind: 'append', bytes, firstZxid, onDurable });
  }

  writeEpoch(name: EpochName, epoch: number, onDurable: () => void): void {
    this.addBarrier(async () => {
      const { fs, snapFolder } = this.options.storage.dir;
      await writeEpoch(fs, snapFolder, name, epoch);
      onDurable();
    });
  }

  /** Drops all txns after `zxid`. `onDone` gets the remaining data; null if impossible. */
  truncate(zxid: bigint, onDone: (database: Database | null) => void): void {
    const { dir } = this.options.storage;
    this.rewrite(async () => {
      this.reads.forgetEnds();
      onDone(await truncateData(dir, zxid));
    });
  }

  /**
   * Replaces the data, and drops all txns on the disk after the zxid of `content`.
   * @param mismatchZxid where the disk diverged from the leader: its files are kept aside; or null
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
      await mustBeWhole(dir, path, this.background.signal);
      if (mismatchZxid !== null) await setAside(dir, mismatchZxid, path, onWarning);
      await dropAfter(dir, content.zxid);
      this.reads.forgetEnds();
      onDurable();
    });
  }

  /** Makes the staged snapshot the only data on the disk. */
  adoptRestored(staged: string, onDurable: () => void): void {
    const { dir } = this.options.storage;
    this.rewrite(async () => {
      await adoptRestored(dir, staged);
      onDurable();
    });
  }

  /** For work on the files themselves: exclusive access, and a closed log. */
  private rewrite(work: () => Promise<void>): void {
    this.addBarrier(async () => {
      await this.endBackground();
      await this.options.storage.log.close();
      await work();
    });
  }

  /** Waits for all that was requested so far; false if a write has failed. */
  private readonly untilSettled = async (): Promise<boolean> => {
    while (this.barrier !== null) await this.barrier;
    return await this.options.storage.log.untilDurable();
  };

  /** Any other change that must keep its order. */
  run(work: () => Promise<void>): void {
    this.addBarrier(work);
  }

  /**
   * A snapshot that comes due during another follows it. Otherwise, under many writes to a large
   * tree, a restart would have to read a log of several times snapCount.
   */
  takeSnapshot(content: SnapshotContent): void {
    this.options.storage.log.roll();
    if (this.isBarred) return;
    this.dueSnapshot = content;
    if (this.snapshot === null) this.writeDue();
  }

  private writeDue(): void {
    const { dueSnapshot: due } = this;
    this.dueSnapshot = null;
    if (due === null || this.isBarred || this.isStopped) return;
    this.follow(
      this.write(due).catch((error: Error) => {
        if (!this.isStopped) this.options.onWarning(`cannot write a snapshot: ${error.message}`);
      }),
    );
  }

  private follow(written: Promise<unknown>): void {
    this.snapshot = written
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => {
        this.snapshot = null;
        this.writeDue();
      });
  }

  /** Writes a snapshot for an operator, after the one in progress. */
  async writeSnapshot(content: () => SnapshotContent): Promise<WrittenSnapshot> {
    while (this.snapshot !== null || this.barrier !== null) await (this.barrier ?? this.snapshot);
    const begun = content();
    const written = this.write(begun);
    this.follow(written);
    return { path: await written, zxid: begun.zxid };
  }

  /** Waits for writes in progress, but not for snapshots; requests after a barrier do not start. */
  async close(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.purgeTimer);
    this.background.abort();
    await this.barrier;
    await this.endBackground();
    await this.options.storage.log.close();
  }

  /** A snapshot in progress would be refused at its end, and a start removes what it left. */
  private async endBackground(): Promise<void> {
    this.background.abort();
    await this.purging;
    await this.snapshot;
    if (!this.isStopped) this.background = new AbortController();
  }

  /**
   * A fuzzy snapshot contains txns that were applied meanwhile. Without the log of those txns it
   * must not survive a crash, or uncommitted txns would come back.
   */
  private readonly untilLogged = async (): Promise<void> => {
    // All txns in the tree are in an append by the end of this turn, at the latest.
    await this.options.storage.dir.fs.nextTurn();
    const isLogged = !this.isBarred && (await this.options.storage.log.untilDurable());
    if (!isLogged || this.isBarred) throw new Error('the log has to be changed first');
  };

  private async write(content: SnapshotContent, beforeRename = this.untilLogged): Promise<string> {
    const startedAt = performance.now();
    const { dir } = this.options.storage;
    const { path } = await dir.writeSnapshot(content, beforeRename, this.background.signal);
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
        // An end interrupts the snapshot of a leader, which has replaced nothing by then.
        if (this.isStopped && this.background.signal.aborted) return;
        this.isStopped = true;
        this.options.onFatal(error);
      })
      .finally(() => {
        if (!this.isBarred) this.barrier = null;
      });
  }

  /** Ends in the turn in which the queue is empty, so no job can arrive in between. */
  private async doJobs(): Promise<void> {
    const { log } = this.options.storage;
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      if (this.isStopped) break;
      if (job.kind === 'append') {
        log.append(job.bytes, job.firstZxid, job.onDurable);
        continue;
      }
      // The log reports its own write errors, and nothing follows them.
      if (!(await log.settle())) break;
      await job.work();
    }
    this.isBarred = false;
  }
}
