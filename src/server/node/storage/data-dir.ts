/** Recovers a server's data and writes its snapshots. persistence/recovery.ts decides how. */
import { basename, join } from 'node:path';
import { snapshotFileName, VERSION_DIR } from '../../persistence/file-names.js';
import { planPurge } from '../../persistence/purge.js';
import {
  type FoundFile,
  logsAmong,
  planRecovery,
  type SnapshotFile,
  snapshotsAmong,
  withoutSnapshot,
} from '../../persistence/recovery.js';
import { Database } from '../../persistence/replay.js';
import { writeSnapshot } from '../../persistence/snapshot.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import { contentOf, sourceOf } from '../../persistence/snapshot-source.js';
import type { DataTreeOptions } from '../../tree/data-tree-options.js';
import type { CompactionJob } from './compact-snapshot.js';
import { syncFile } from './cut-file.js';
import { ExitCode, ServerError, unusable } from './errors.js';
import { type FileSystem, NODE_FILES } from './file-system.js';
import { listFiles, makeFolder, mustExist } from './folders.js';
import { loadDatabase, type Summing } from './load-snapshot.js';
import { mustBeReplaced } from './replacing-marker.js';
import { replayLogs, type TxnListener } from './replay-logs.js';
import { finishRestore } from './restored-data.js';
import { mayReuse, type SnapshotFileOptions, writeSnapshotFile } from './snapshot-file.js';

export interface DataDirOptions extends SnapshotFileOptions {
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly fs?: FileSystem | undefined;
  readonly tree: DataTreeOptions;
  /** In bytes: jute.maxbuffer and its extra size. */
  readonly maxEntryLength: number;
  /** Writes snapshots without the tree if it has at least `fromZnodes` znodes. */
  readonly compaction?:
    | { readonly fromZnodes: number; readonly run: (job: CompactionJob) => Promise<void> }
    | undefined;
  readonly summing?: Summing | undefined;
  /** snapshot.trust.empty */
  readonly isEmptyTrusted: boolean;
  /** datadir.autocreate */
  readonly areFoldersMade: boolean;
  /** db.autocreate; without it an empty folder needs the file `initialize`. */
  readonly isEmptyDatabaseMade: boolean;
  readonly onWarning: (message: string) => void;
}

export interface Recovered {
  readonly database: Database;
  /** Txns replayed from the log. */
  readonly replayed: number;
  readonly snapshotZxid: bigint | null;
  readonly snapshotMs: number;
  readonly logMs: number;
}

export interface WrittenSnapshot {
  readonly path: string;
  /** The last txn that it may contain. */
  readonly reached: bigint;
}

/** `zkserver init` creates it: the folder is empty on purpose. */
const INITIALIZE_MARKER = 'initialize';

export class DataDir {
  readonly fs: FileSystem;
  readonly snapFolder: string;
  readonly logFolder: string;
  readonly options: DataDirOptions;

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
  async recover(onTxn?: TxnListener): Promise<Recovered> {
    const { options } = this;
    const rule = { isEmptyTrusted: options.isEmptyTrusted };
    const logFiles = await listFiles(this.fs, this.logFolder);
    const snapFiles = await listFiles(this.fs, this.snapFolder);
    this.checkPlaces(snapFiles, logFiles);
    let plan = planRecovery(snapFiles, logFiles, rule);
    let database: Database | null = null;
    const startedAt = performance.now();
    if (plan.kind === 'restore') {
      database = await this.loadNewestWhole(plan.snapshots);
      if (database === null) plan = withoutSnapshot(plan.snapshots, plan.logs, rule);
    }
    if (plan.kind === 'refuse') throw unusable(`${this.snapFolder}: ${plan.reason}`);
    if (plan.kind === 'empty') await this.checkEmptyIsAllowed();
    const snapshotZxid = database === null ? null : database.tree.lastProcessedZxid;
    const loadedAt = performance.now();
    if (database === null) {
      database = new Database(options.tree);
      database.finishSnapshot(0n);
    }
    const logs = plan.kind === 'restore' ? plan.logs : [];
    const replayed = await replayLogs(this, database, logs, onTxn);
    const replayedAt = performance.now();
    if (database.digestMismatches > 0) {
      options.onWarning(
        `${database.digestMismatches} transactions of the log led to a tree that differs from the server that wrote them`,
      );
    }
    database.removeOrphans();
    // Neither Apache's server nor this one starts on logs without a snapshot.
    if (plan.kind === 'empty') await this.writeSnapshot(contentOf(database));
    return {
      database,
      replayed,
      snapshotZxid,
      snapshotMs: loadedAt - startedAt,
      logMs: replayedAt - loadedAt,
    };
  }

  /** After a change of dataLogDir, the new folder alone would lack txns (ZOOKEEPER-2967). */
  private checkPlaces(snapFiles: readonly FoundFile[], logFiles: readonly FoundFile[]): void {
    const { snapFolder, logFolder } = this;
    if (snapFolder === logFolder) return;
    const log = logsAmong(snapFiles).at(-1);
    if (log !== undefined) {
      throw unusable(
        `${snapFolder}: has logs (newest: ${log.name}), but dataLogDir is another folder. Move its log.* files to ${logFolder}, or remove dataLogDir`,
      );
    }
    const [snapshot] = snapshotsAmong(logFiles);
    if (snapshot === undefined) return;
    throw unusable(
      `${logFolder}: has snapshots (newest: ${snapshot.name}), but dataDir is another folder. Move its snapshot.* files to ${snapFolder}, or correct dataDir`,
    );
  }

  /**
   * An empty folder may be a replaced disk, so it must be allowed explicitly. Apache's server
   * requires this only in ensembles; alone it starts at zxid -1.
   */
  private async checkEmptyIsAllowed(): Promise<void> {
    const marker = join(this.options.dataDir, INITIALIZE_MARKER);
    const isMarked = await this.fs.unlink(marker).then(
      () => true,
      () => false,
    );
    if (isMarked || this.options.isEmptyDatabaseMade) return;
    throw unusable(
      `${this.snapFolder}: empty (expected data, as db.autocreate is false)\nRestore the data, or start over with: zkserver init`,
    );
  }

  private async loadNewestWhole(snapshots: readonly SnapshotFile[]): Promise<Database | null> {
    for (const file of snapshots) {
      const database = await loadDatabase(this, file);
      if (typeof database !== 'string') {
        await syncFile(this.fs, join(this.snapFolder, file.name));
        await this.fs.syncFolder(this.snapFolder);
        return database;
      }
      const path = join(this.snapFolder, file.name);
      this.options.onWarning(`${path}: ${database}; trying an older one`);
    }
    return null;
  }

  /**
   * Writes while the server serves, and names the complete file, unless `beforeRename` rejects. A
   * fuzzy snapshot never replaces another one: a truncation may need the one with fewer txns.
   */
  async writeSnapshot(
    content: SnapshotContent,
    beforeRename: () => Promise<void> = async () => undefined,
  ): Promise<WrittenSnapshot> {
    const name = snapshotFileName(content.zxid, this.options.compression);
    const path = join(this.snapFolder, name);
    const temporary = `${path}.tmp`;
    let reached = content.zxid;
    if (!(await this.isCompacted(content, temporary, beforeRename))) {
      await this.writeTree(temporary, content);
      reached = content.tree.lastProcessedZxid;
    }
    try {
      await beforeRename();
      if (reached > content.zxid && (await this.hasSnapshot(path))) {
        throw new Error(`${path}: already exists`);
      }
      await this.fs.rename(temporary, path);
    } catch (error) {
      await this.fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
    await this.fs.syncFolder(this.snapFolder);
    return { path, reached };
  }

  /** Writes the tree to a file without its final name. */
  writeTree(path: string, content: SnapshotContent): Promise<void> {
    const { isLastZxidWritten, snapshotChunkSize, compression } = this.options;
    const source = sourceOf(content, isLastZxidWritten);
    const chunks = writeSnapshot(source, snapshotChunkSize, mayReuse(compression));
    return writeSnapshotFile(this.fs, path, chunks, compression);
  }

  /** Whether the file could be written from other files; waits until they have all txns. */
  private async isCompacted(
    { tree, sessions, zxid, exact }: SnapshotContent,
    path: string,
    untilLogged: () => Promise<void>,
  ): Promise<boolean> {
    const { compaction, maxEntryLength } = this.options;
    const { compression, isLastZxidWritten, snapshotChunkSize } = this.options;
    if (compaction === undefined || exact === undefined) return false;
    if (tree.nodeCount < compaction.fromZnodes) return false;
    await untilLogged();
    const { snapFolder, logFolder } = this;
    const file = { path, compression, isLastZxidWritten, snapshotChunkSize };
    const limits = { maxEntryLength };
    try {
      await compaction.run({ ...file, ...limits, ...exact, snapFolder, logFolder, zxid, sessions });
      return true;
    } catch (error) {
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

  /** Keeps the newest `retain` snapshots, their logs, and those after `neededZxid`. Resolves to the removed names. */
  async purge(retain: number, neededZxid: bigint | null = null): Promise<string[]> {
    const snapshots = await listFiles(this.fs, this.snapFolder);
    const logs = await listFiles(this.fs, this.logFolder);
    const plan = planPurge(snapshots, logs, retain, neededZxid);
    // The names of the remaining files may not be durable yet.
    if (plan.logs.length + plan.snapshots.length > 0) await this.fs.syncFolder(this.snapFolder);
    for (const name of plan.logs) await this.fs.unlink(join(this.logFolder, name));
    for (const name of plan.snapshots) await this.fs.unlink(join(this.snapFolder, name));
    return [...plan.logs, ...plan.snapshots];
  }
}
