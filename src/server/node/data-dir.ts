/**
 * The folders of a server: reads back what it knew, and writes its snapshots. Decisions are
 * persistence/recovery.ts's; this file moves the bytes.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { faultOf, feedSnapshot } from '../persistence/feed-snapshot.js';
import { snapshotFileName, VERSION_DIR } from '../persistence/file-names.js';
import { planPurge } from '../persistence/purge.js';
import {
  type LogFile,
  logsBehind,
  planRecovery,
  ReplaySequence,
  type SnapshotFile,
  withoutSnapshot,
} from '../persistence/recovery.js';
import { Database } from '../persistence/replay.js';
import { SnapshotReader } from '../persistence/snapshot-reader.js';
import { contentOf } from '../persistence/snapshot-source.js';
import type { SnapshotContent } from '../snapshot-content.js';
import type { DataTreeOptions } from '../tree/data-tree.js';
import { cutFile } from './cut-file.js';
import { ExitCode, ServerError } from './errors.js';
import { listFiles, mustExist } from './folders.js';
import { finishRestore } from './restored-data.js';
import { scanLog } from './scan-log.js';
import { type SnapshotFileOptions, writeSnapshotFile } from './snapshot-file.js';
import { syncFolder } from './sync-folder.js';

export interface DataDirOptions extends SnapshotFileOptions {
  readonly dataDir: string;
  readonly dataLogDir: string;
  readonly tree: DataTreeOptions;
  /** Longest entry in bytes: jute.maxbuffer and its extra size. */
  readonly maxEntryLength: number;
  /** snapshot.trust.empty */
  readonly isEmptyTrusted: boolean;
  /** datadir.autocreate */
  readonly areFoldersMade: boolean;
  /** db.autocreate; without it an empty folder needs the file `initialize` to start on. */
  readonly isEmptyDatabaseMade: boolean;
  readonly onWarning: (message: string) => void;
}

export interface Recovered {
  readonly database: Database;
  /** Txns replayed from the log: what a new snapshot would save the next start. */
  readonly replayed: number;
  /** The zxid of the snapshot that was loaded; null when there was none. */
  readonly snapshotZxid: bigint | null;
  /** Milliseconds that the snapshot took, and the log behind it. */
  readonly snapshotMs: number;
  readonly logMs: number;
}

type TxnListener = (zxid: bigint, entry: Buffer) => void;

const READ_SIZE = 1024 * 1024;
/** What `zkserver init` leaves: the folder is empty on purpose. */
const INITIALIZE_MARKER = 'initialize';

export class DataDir {
  readonly snapFolder: string;
  readonly logFolder: string;
  readonly options: DataDirOptions;

  constructor(options: DataDirOptions) {
    this.options = options;
    this.snapFolder = join(options.dataDir, VERSION_DIR);
    this.logFolder = join(options.dataLogDir, VERSION_DIR);
  }

  async prepare(): Promise<void> {
    const { dataDir, dataLogDir, areFoldersMade } = this.options;
    if (!areFoldersMade) {
      await mustExist(dataDir);
      await mustExist(dataLogDir);
    }
    for (const folder of [this.snapFolder, this.logFolder]) {
      await mkdir(folder, { recursive: true }).catch((cause: Error) => {
        throw new ServerError(
          'EDATADIR',
          ExitCode.DATA_DIR,
          `the folder ${folder} cannot be made: ${cause.message}`,
          cause,
        );
      });
    }
    // Snapshots that a crash left half written never got their name.
    for (const { name } of await listFiles(this.snapFolder)) {
      if (/^(snapshot|restored)\..*\.tmp$/.test(name)) await unlink(join(this.snapFolder, name));
    }
    await finishRestore(this);
  }

  /**
   * @param onTxn told of every txn that is replayed; the entry is valid during the call
   * @throws ServerError EDATA with the file and the offset where the data cannot be trusted
   */
  async recover(onTxn?: TxnListener): Promise<Recovered> {
    const { options } = this;
    const rule = { isEmptyTrusted: options.isEmptyTrusted };
    const logFiles = await listFiles(this.logFolder);
    let plan = planRecovery(await listFiles(this.snapFolder), logFiles, rule);
    let database: Database | null = null;
    const startedAt = performance.now();
    if (plan.kind === 'restore') {
      database = await this.firstWhole(plan.snapshots);
      if (database === null) plan = withoutSnapshot(plan.snapshots, plan.logs, rule);
    }
    if (plan.kind === 'refuse') throw unusable(`${this.snapFolder}: ${plan.reason}`);
    if (plan.kind === 'empty') await this.mayBeEmpty();
    const snapshotZxid = database === null ? null : database.tree.lastProcessedZxid;
    const loadedAt = performance.now();
    if (database === null) {
      database = new Database(options.tree);
      database.finishSnapshot(0n);
    }
    const logs = plan.kind === 'restore' ? plan.logs : [];
    const replayed = await this.replay(database, logs, onTxn);
    const replayedAt = performance.now();
    if (database.digestMismatches > 0) {
      options.onWarning(
        `${database.digestMismatches} transactions of the log led to another tree than on the server that wrote them`,
      );
    }
    database.removeOrphans();
    // Apache's server will not start on logs without a snapshot, and neither will this one.
    if (plan.kind === 'empty') await this.writeSnapshot(contentOf(database));
    return {
      database,
      replayed,
      snapshotZxid,
      snapshotMs: loadedAt - startedAt,
      logMs: replayedAt - loadedAt,
    };
  }

  /**
   * A server whose disk was changed for an empty one must not begin anew unnoticed. Apache's
   * standalone server begins at zxid -1 then; this one asks for what Apache's ensembles ask for.
   */
  private async mayBeEmpty(): Promise<void> {
    const marker = join(this.options.dataDir, INITIALIZE_MARKER);
    const isMarked = await unlink(marker).then(
      () => true,
      () => false,
    );
    if (isMarked || this.options.isEmptyDatabaseMade) return;
    throw unusable(
      `${this.snapFolder} is empty, and db.autocreate=false: bring the data back, or begin anew with zkserver init`,
    );
  }

  private async firstWhole(snapshots: readonly SnapshotFile[]): Promise<Database | null> {
    for (const file of snapshots) {
      const database = new Database(this.options.tree);
      const fault = await this.loadSnapshot(database, file);
      if (fault === undefined) {
        database.finishSnapshot(file.zxid);
        return database;
      }
      this.options.onWarning(`${join(this.snapFolder, file.name)}: ${fault}; trying an older one`);
    }
    return null;
  }

  /** Returns why the snapshot cannot be used, or undefined when it is whole. */
  async loadSnapshot(database: Database, file: SnapshotFile): Promise<string | undefined> {
    if (file.compression === 'snappy') return 'snappy compression is not supported';
    const reader = new SnapshotReader(this.options.maxEntryLength);
    const path = join(this.snapFolder, file.name);
    const source = createReadStream(path, { highWaterMark: READ_SIZE });
    const stream = file.compression === 'gz' ? source.pipe(createGunzip()) : source;
    try {
      for await (const chunk of stream) {
        reader.push(chunk as Buffer);
        const fault = faultOf(feedSnapshot(database, reader));
        if (fault !== undefined) return fault;
      }
    } catch (error) {
      return (error as Error).message;
    } finally {
      source.destroy();
    }
    reader.end();
    return faultOf(feedSnapshot(database, reader));
  }

  private async replay(
    database: Database,
    logs: readonly LogFile[],
    onTxn: TxnListener | undefined,
  ): Promise<number> {
    const sequence = new ReplaySequence(database.tree.lastProcessedZxid);
    let replayed = 0;
    const needed = logsBehind(logs, sequence.lastZxid);
    for (const file of needed) {
      replayed += await this.replayLog(database, sequence, file, onTxn);
    }
    return replayed;
  }

  private async replayLog(
    database: Database,
    sequence: ReplaySequence,
    file: LogFile,
    onTxn: TxnListener | undefined,
  ): Promise<number> {
    const path = join(this.logFolder, file.name);
    const handle = await open(path, 'r').catch((cause: Error) => {
      throw unusable(`${path} cannot be read: ${cause.message}`, cause);
    });
    let applied = 0;
    let entries = 0;
    try {
      const end = await scanLog(handle, this.options.maxEntryLength, (item) => {
        entries++;
        const step = sequence.next(item.zxid);
        if (step.kind === 'gap') {
          throw unusable(`${path}: at offset ${item.offset}: ${step.reason}; a log is missing`);
        }
        if (step.kind === 'apply') {
          database.replay(item.entry);
          onTxn?.(item.zxid, item.entry);
          applied++;
        }
        return true;
      });
      if (end?.kind === 'corrupt') throw corrupt(path, end.offset, end.reason);
      if (end?.kind === 'torn') await this.cut(path, end.offset, end.reason);
    } finally {
      await handle.close();
    }
    // A crash between the file and its first record; the next record has the same zxid and name.
    if (entries === 0) await unlink(path);
    return applied;
  }

  private async cut(path: string, offset: number, reason: string): Promise<void> {
    this.options.onWarning(
      `${path}: the last write was cut short by a crash (${reason}) and never acknowledged; cut at offset ${offset}`,
    );
    await cutFile(path, offset);
  }

  /**
   * Writes piece by piece, so that the server serves on; the file has its name when it is whole,
   * and `mayBeNamed` has nothing against it.
   */
  async writeSnapshot(
    content: SnapshotContent,
    mayBeNamed: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const { isCompressed } = this.options;
    const path = join(
      this.snapFolder,
      snapshotFileName(content.zxid, isCompressed ? 'gz' : 'none'),
    );
    const temporary = `${path}.tmp`;
    await writeSnapshotFile(temporary, content, this.options);
    await mayBeNamed().catch(async (error: unknown) => {
      await unlink(temporary);
      throw error;
    });
    await rename(temporary, path);
    await syncFolder(this.snapFolder);
    return path;
  }

  /**
   * Removes what no start will need, but for the newest `retain` snapshots and their logs; resolves
   * to the names.
   */
  async purge(retain: number): Promise<string[]> {
    const plan = planPurge(
      await listFiles(this.snapFolder),
      await listFiles(this.logFolder),
      retain,
    );
    for (const name of plan.logs) await unlink(join(this.logFolder, name));
    for (const name of plan.snapshots) await unlink(join(this.snapFolder, name));
    return [...plan.logs, ...plan.snapshots];
  }
}

function unusable(message: string, cause?: unknown): ServerError {
  return new ServerError('EDATA', ExitCode.DATA, message, cause);
}

function corrupt(path: string, offset: number, reason: string): ServerError {
  return unusable(
    `${path}: corrupt at offset ${offset}: ${reason}. Acknowledged writes may lie there, so the server does not start without them: bring the file back from a copy, or move all files of ${VERSION_DIR} away where an ensemble has the data`,
  );
}
