import { basename, dirname, join } from 'node:path';
import type { EpochName } from '../../../files/epochs.js';
import { VERSION_DIR } from '../../../files/file-names.js';
import { logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { LIMITS } from '../../limits/limits.js';
import type { Database } from '../../persistence/replay.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import type { DataDir } from './data-dir.js';
import type { DiskOptions } from './disk-options.js';
import { writeEpoch } from './epoch-files.js';
import { listFiles, makeFolder } from './folders.js';
import { LogReads } from './log-reads.js';
import { adoptRestored } from './restored-data.js';
import { dropAfter, truncateData } from './truncate-data.js';
import { mustBeWhole } from './whole-snapshot.js';

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
  /** Requests that wait for a barrier, in their order. */
  private jobs: Job[] = [];
  /** Settled when the jobs are done; null without one. */
  private barrier: Promise<void> | null = null;
  /** A barrier is in progress, or waits for earlier appends. */
  private isBarred = false;
  /** Closed, or a change failed: nothing more begins. Stays true. */
  private isStopped = false;
  /** The fuzzy snapshot under way, at most one; null for none. */
  private snapshot: Promise<void> | null = null;
  /** The newest one that came due during another. */
  private dueSnapshot: SnapshotContent | null = null;
  /** Ends snapshots and purges in progress. */
  private background = new AbortController();
  private purgeTimer: NodeJS.Timeout | undefined;
  /** The purge under way, at most one; null for none. */
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

// Keeps the files of a tree that differed from its leader's in `version-2.mismatch-ZXID` beside
// `version-2`. Runs after the leader's tree is on the disk, so that a crash leaves a usable
// snapshot.

const MAX_KEPT = LIMITS.treesAside.value;
const PREFIX = `${VERSION_DIR}.mismatch-`;
const NAME = /^version-2\.mismatch-([0-9a-f]{1,16})$/;

/** Writes the new tree; on a full disk, removes files kept aside before. */
export async function withRoom<T>(dir: DataDir, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    await prune(dir, 0);
    return await write();
  }
}

/** Moves all but `newest` away. A failure is only a warning: the repair does not need it. */
export async function setAside(
  dir: DataDir,
  mismatchZxid: bigint,
  newest: string,
  onWarning: (message: string) => void,
): Promise<void> {
  const name = `${PREFIX}${mismatchZxid.toString(16)}`;
  try {
    await prune(dir, MAX_KEPT - 1);
    const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
    const old = snapshots.filter((file) => file.name !== basename(newest));
    // Newest first, so that a crash leaves no gap in either kind.
    await move(dir, dir.snapFolder, name, old);
    const logs = logsAmong(await listFiles(dir.fs, dir.logFolder)).reverse();
    await move(dir, dir.logFolder, name, logs);
    onWarning(`the files of the tree that differed from the leader's are kept in ${name}`);
  } catch (error) {
    const { message } = error as Error;
    onWarning(`cannot keep all files of the tree that differed from the leader's: ${message}`);
  }
}

async function move(
  { fs }: DataDir,
  from: string,
  name: string,
  files: readonly { readonly name: string }[],
): Promise<void> {
  const to = join(dirname(from), name);
  await makeFolder(fs, to);
  for (const file of files) await fs.rename(join(from, file.name), join(to, file.name));
  await fs.syncFolder(to);
  await fs.syncFolder(from);
}

/** Removes the oldest folders of this kind, except `left` of them. */
async function prune({ fs, snapFolder, logFolder }: DataDir, left: number): Promise<void> {
  for (const parent of new Set([dirname(snapFolder), dirname(logFolder)])) {
    const kept = (await fs.readdir(parent)).flatMap((name) => {
      const zxid = NAME.exec(name)?.[1];
      return zxid === undefined ? [] : [{ name, zxid: BigInt(`0x${zxid}`) }];
    });
    kept.sort((a, b) => (a.zxid < b.zxid ? -1 : 1));
    for (const { name } of kept.slice(0, Math.max(kept.length - left, 0))) {
      const folder = join(parent, name);
      for (const file of await fs.readdir(folder)) await fs.unlink(join(folder, file));
      await fs.rmdir(folder);
    }
  }
}
