import { basename, join } from 'node:path';
import { snapshotFileName, VERSION_DIR } from '../../../files/file-names.js';
import { logsAmong, type PurgePlan, planPurge, snapshotsAmong } from '../../../files/recovery.js';
import { writeSnapshot } from '../../../files/snapshot.js';
import type { Database } from '../../persistence/replay.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import { sourceOf } from '../../persistence/snapshot-source.js';
import type { LogLength } from '../../pipeline/snapshot-trigger.js';
import type { DataTreeOptions } from '../../tree/data-tree.js';
import type { Checking } from './check-snapshot.js';
import { type CompactionJob, logBytesToCompact } from './compact-snapshot.js';
import { ExitCode, ServerError, unusable } from './errors.js';
import { type FileSystem, NODE_FILES } from './file-system.js';
import { exists, type ListedFile, listFiles, makeFolder, mustExist } from './folders.js';
import type { ListedSnapshot, Summing } from './load-snapshot.js';
import { recoverData } from './recover-data.js';
import { mustBeReplaced } from './replacing-marker.js';
import type { TxnListener } from './replay-logs.js';
import { finishRestore } from './restored-data.js';
import { mayReuse, type SnapshotFileOptions, writeSnapshotFile } from './snapshot-file.js';
import { faultOfSnapshot } from './whole-snapshot.js';

/** Recovers a server's data and writes its snapshots. files/recovery.ts decides how. */

export interface DataDirOptions extends SnapshotFileOptions {
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly fs?: FileSystem | undefined;
  readonly tree: DataTreeOptions;
  /** In bytes: jute.maxbuffer and its extra size. */
  readonly maxEntryLength: number;
  /**
   * Writes snapshots without the tree if it has at least `fromZnodes` znodes, and the log since the
   * last one at most `toLogBytes`: its changes have to fit into memory.
   */
  readonly compaction?:
    | {
        readonly fromZnodes: number;
        readonly toLogBytes: number;
        readonly run: (job: CompactionJob, signal: AbortSignal) => Promise<void>;
      }
    | undefined;
  readonly summing?: Summing | undefined;
  readonly checking?: Checking | undefined;
  /** snapshot.trust.empty */
  readonly isEmptyTrusted: boolean;
  /** datadir.autocreate */
  readonly areFoldersMade: boolean;
  /** db.autocreate; without it an empty folder needs the file `initialize`. */
  readonly isEmptyDatabaseMade: boolean;
  readonly onWarning: (message: string) => void;
  /** How much a start has read, about once a second. */
  readonly onProgress?: (percent: number) => void;
}

export interface Recovered {
  readonly database: Database;
  /** Read from the log after the snapshot. */
  readonly replayed: LogLength;
  readonly snapshotZxid: bigint | null;
  readonly snapshotMs: number;
  readonly logMs: number;
}

export interface WrittenSnapshot {
  readonly path: string;
}

const NEVER = new AbortController().signal;

export class DataDir {
  readonly fs: FileSystem;
  /**
   * Settles when a purge has removed its files. A search of the log waits for it: between two
   * epochs, a log does not show that a file is missing.
   */
  removing: Promise<void> = Promise.resolve();
  readonly snapFolder: string;
  logFolder: string;
  readonly options: DataDirOptions;
  readonly known = new KnownSnapshots();

  constructor(options: DataDirOptions) {
    this.options = options;
    this.fs = options.fs ?? NODE_FILES;
    this.snapFolder = join(options.dataDir, VERSION_DIR);
    this.logFolder = join(options.dataLogDir, VERSION_DIR);
  }

  /** The only change that is allowed before the folders are locked. */
  async makeFolders(): Promise<void> {
    const { dataDir, dataLogDir, areFoldersMade } = this.options;
    if (!areFoldersMade) {
      await mustExist(this.fs, dataDir);
      await mustExist(this.fs, dataLogDir);
    }
    for (const folder of new Set([this.snapFolder, this.logFolder])) {
      await makeFolder(this.fs, folder).catch((cause: Error) => {
        throw new ServerError(
          'EDATADIR',
          ExitCode.DATA_DIR,
          `${folder}: cannot make the folder: ${cause.message}`,
          cause,
        );
      });
    }
    // A link may lead both keys to one folder.
    const [snap, log] = [
      await this.fs.realpath(this.snapFolder),
      await this.fs.realpath(this.logFolder),
    ];
    if (snap === log) this.logFolder = this.snapFolder;
  }

  /** With a mistyped dataLogDir, a start would lose the txns since the snapshot. */
  async mustHaveLogFolder(): Promise<void> {
    const { fs, logFolder, snapFolder } = this;
    if (logFolder === snapFolder || (await exists(fs, logFolder))) return;
    if (!(await exists(fs, snapFolder))) return;
    const files = await listFiles(fs, snapFolder);
    const [snapshot] = snapshotsAmong(files);
    // Logs beside the snapshots are refused later, with the advice to move them.
    if (snapshot === undefined || logsAmong(files).length > 0) return;
    throw unusable(
      `${logFolder}: does not exist, but ${snapFolder} has snapshots (newest: ${snapshot.name}). Correct dataLogDir, or move the log.* files there. If they are lost, make the folder`,
    );
  }

  /** Removes leftovers of a crash; requires the lock on the folders. */
  async prepare(): Promise<void> {
    await this.makeFolders();
    const files = await listFiles(this.fs, this.snapFolder);
    mustBeReplaced(this.snapFolder, files);
    for (const { name } of files) {
      if (/^(snapshot|restored)\..*\.tmp$/.test(name)) {
        await this.fs.unlink(join(this.snapFolder, name));
      }
    }
    await finishRestore(this);
  }

  /** @param onTxn called for every replayed txn; the entry is valid during the call */
  recover(onTxn?: TxnListener): Promise<Recovered> {
    return recoverData(this, onTxn);
  }

  /**
   * Writes while the server serves, and names the complete file, unless `beforeRename` rejects. A
   * fuzzy snapshot never replaces another one: a truncation may need the one with fewer txns.
   */
  async writeSnapshot(
    content: SnapshotContent,
    beforeRename: () => Promise<void> = async () => undefined,
    signal: AbortSignal = NEVER,
  ): Promise<WrittenSnapshot> {
    const name = snapshotFileName(content.zxid, this.options.compression);
    const path = join(this.snapFolder, name);
    const temporary = `${path}.tmp`;
    let reached = content.zxid;
    try {
      if (!(await this.isCompacted(content, temporary, beforeRename, signal))) {
        await this.writeTree(temporary, content, signal);
        reached = content.tree.lastProcessedZxid;
      }
      await beforeRename();
      signal.throwIfAborted();
      if (reached > content.zxid && (await this.hasSnapshot(path))) {
        throw new Error(`${path}: already exists`);
      }
      await this.fs.rename(temporary, path);
    } catch (error) {
      await this.fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
    const { size, mtimeMs } = await this.fs.stat(path);
    this.known.note({ name, size, mtimeMs }, { reach: reached, isWhole: undefined });
    await this.fs.syncFolder(this.snapFolder);
    return { path };
  }

  /** Writes the tree to a file without its final name. */
  writeTree(path: string, content: SnapshotContent, signal: AbortSignal = NEVER): Promise<void> {
    const { isLastZxidWritten, snapshotChunkSize, compression } = this.options;
    const source = sourceOf(content, isLastZxidWritten);
    const chunks = writeSnapshot(source, snapshotChunkSize, mayReuse(compression));
    return writeSnapshotFile(this.fs, path, chunks, compression, signal);
  }

  /** Whether the file could be written from other files; waits until they have all txns. */
  private async isCompacted(
    { tree, sessions, zxid, exact }: SnapshotContent,
    path: string,
    untilLogged: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { compaction, maxEntryLength } = this.options;
    const { compression, isLastZxidWritten, snapshotChunkSize } = this.options;
    if (compaction === undefined || exact === undefined) return false;
    if (tree.nodeCount < compaction.fromZnodes) return false;
    await untilLogged();
    if ((await logBytesToCompact(this)) > compaction.toLogBytes) return false;
    const { snapFolder, logFolder } = this;
    const file = { path, compression, isLastZxidWritten, snapshotChunkSize };
    const limits = { maxEntryLength };
    try {
      const job = { ...file, ...limits, ...exact, snapFolder, logFolder, zxid, sessions };
      await compaction.run(job, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      this.options.onWarning(
        `cannot compact the log into a snapshot, so the tree is read: ${reason}`,
      );
      return false;
    }
  }

  private async hasSnapshot(path: string): Promise<boolean> {
    const files = await listFiles(this.fs, this.snapFolder);
    return files.some(({ name }) => name === basename(path));
  }

  /**
   * Keeps the newest `retain` whole snapshots, their logs, and those after `neededZxid`. Resolves
   * to the removed names.
   */
  purge(
    retain: number,
    signal: AbortSignal = NEVER,
    neededZxid: () => bigint | null = () => null,
  ): Promise<string[]> {
    return purgeData(this, retain, signal, neededZxid);
  }
}

/** What this process knows about a snapshot. */
export interface Knowledge {
  /** The last txn that it may contain; null if nothing tells it. */
  readonly reach: bigint | null;
  /** Whether it can be read to its end; undefined for one that was only written. */
  readonly isWhole: boolean | undefined;
}

/**
 * Remembers each snapshot that was read or written, as long as its file stays as it is: so that no
 * purge reads gigabytes twice, and a truncation knows which snapshots are too new.
 */
export class KnownSnapshots {
  private readonly known = new Map<string, Knowledge & ListedFile>();

  /** Undefined for a file that this process has neither read nor written in its present form. */
  of({ name, size, mtimeMs }: ListedFile): Knowledge | undefined {
    const found = this.known.get(name);
    return found?.size === size && found.mtimeMs === mtimeMs ? found : undefined;
  }

  note({ name, size, mtimeMs }: ListedFile, knowledge: Knowledge): void {
    this.known.set(name, { name, size, mtimeMs, ...knowledge });
  }
}

// Removes the snapshots and logs that no start needs (autopurge). Only a snapshot that was read
// whole counts as kept, because Apache's server leaves incomplete ones after a crash, and disks
// decay. The remaining files still lead to the newest txn.

/**
 * Keeps the newest `retain` whole snapshots, with all newer ones and their logs. Removes nothing if
 * there are fewer. Resolves to the removed names.
 * @param neededZxid a learner gets the txns after it
 * @throws Error when `signal` aborts
 */
async function purgeData(
  dir: DataDir,
  retain: number,
  signal: AbortSignal,
  neededZxid: () => bigint | null,
): Promise<string[]> {
  const { fs, snapFolder, logFolder } = dir;
  const snapFiles = await listFiles(fs, snapFolder);
  const logFiles = await listFiles(fs, logFolder);
  const snapshots = snapshotsAmong(snapFiles);
  const planFor = (oldestKept: ListedSnapshot | undefined) =>
    oldestKept === undefined ? NOTHING : planPurge(snapFiles, logFiles, oldestKept, neededZxid());
  // If all are whole: without anything to remove, nothing has to be read.
  if (isEmpty(planFor(snapshots[retain - 1]))) return [];
  const plan = planFor(await findOldestKept(dir, snapshots, retain, signal));
  signal.throwIfAborted();
  if (isEmpty(plan)) return [];
  const removed = remove(dir, plan);
  // Set in the turn of the plan, so a search begins before it, and is planned for, or waits.
  dir.removing = removed.then(ignore, ignore);
  return await removed;
}

async function remove(dir: DataDir, plan: PurgePlan): Promise<string[]> {
  const { fs, snapFolder, logFolder } = dir;
  // The names of the remaining files may not be durable yet.
  await fs.syncFolder(snapFolder);
  for (const name of plan.logs) await fs.unlink(join(logFolder, name));
  for (const name of plan.snapshots) await fs.unlink(join(snapFolder, name));
  return [...plan.logs, ...plan.snapshots];
}

const ignore = (): void => undefined;

const NOTHING: PurgePlan = { snapshots: [], logs: [] };

function isEmpty({ snapshots, logs }: PurgePlan): boolean {
  return snapshots.length + logs.length === 0;
}

async function findOldestKept(
  dir: DataDir,
  snapshots: readonly ListedSnapshot[],
  retain: number,
  signal: AbortSignal,
): Promise<ListedSnapshot | undefined> {
  let whole = 0;
  for (const file of snapshots) {
    if ((await faultOfSnapshot(dir, file, signal)) === undefined) whole++;
    if (whole === retain) return file;
  }
  return undefined;
}
