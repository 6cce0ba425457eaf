import { randomInt } from 'node:crypto';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { logsAmong } from '../../../files/recovery.js';
import { END_OF_RECORD } from '../../../files/txn-log.js';
import { ByteRange } from '../../../jute/byte-range.js';
import { safeLine } from '../../../protocol/sanitize.js';
import type { Config } from '../../config/config.js';
import type { Measured } from '../../metrics/server-stats.js';
import { Database } from '../../persistence/replay.js';
import { type LogLength, NOTHING_LOGGED } from '../../pipeline/snapshot-trigger.js';
import { CommittedLog } from '../../quorum/peer/committed-log.js';
import type { DataTreeOptions } from '../../tree/data-tree.js';
import type { ServerReport } from '../log/logger.js';
import { DataDir } from './data-dir.js';
import { type DirLock, lockDir } from './dir-lock.js';
import type { Storage } from './disk-options.js';
import { ExitCode, ServerError } from './errors.js';
import { listFiles } from './folders.js';
import { LogDisk } from './log-disk.js';
import { openFilesIn, programOf } from './open-files.js';
import { checkOnThread, compactOnThread, sumOnThread } from './snapshot-thread.js';

/** Opens the storage of a server: the lock, the recovered database, and the log. */

/** This thread would need tens of ms for more znodes; the other holds 10 bytes a byte of log. */
const COMPACTION = { fromZnodes: 20_000, toLogBytes: 32 * 1024 * 1024, run: compactOnThread };
/** On two cores, the thread takes one from clients: creates reached 0.8 of their rate. */
const hasSpareCore = availableParallelism() > 2;
/** A thread takes 40 ms to start, in which this one loads some 30,000 znodes. */
const SUMMED_FROM = 16 * 1024 * 1024;
/** No client needs the second core yet. */
const canSum = availableParallelism() > 1;

/** Callbacks of the log, set when the server exists. */
export interface StorageListener {
  onLogError: (error: ServerError) => void;
  onMeasured: (what: Measured, value: number) => void;
}

export interface OpenedStorage {
  readonly storage: Storage | null;
  readonly lock: DirLock | null;
  readonly database: Database;
  /** Since the snapshot. */
  readonly replayed: LogLength;
  /** The last of these txns; null for a standalone server. */
  readonly committedLog: CommittedLog | null;
  readonly snapshotZxid: bigint | null;
  readonly startup: ReadonlyMap<Measured, number>;
  readonly listener: StorageListener;
}

/** @param dataDir null keeps everything in memory */
export async function openStorage(
  config: Config,
  dataDir: string | null,
  onWarning: (message: string) => void,
  onReport: (report: ServerReport) => void,
): Promise<OpenedStorage> {
  const listener: StorageListener = { onLogError: () => undefined, onMeasured: () => undefined };
  if (dataDir === null) return inMemory(config, listener);
  const dir = dataDirOf(config, dataDir, onWarning, (percent) => {
    onReport({ kind: 'loading', percent });
  });
  await dir.mustHaveLogFolder();
  // Nothing in the folders may change before they are locked: another server may use them.
  await dir.makeFolders();
  const lock = await lockDirs(new Set([dir.snapFolder, dir.logFolder]));
  try {
    await mustBeFree(dir);
    await dir.prepare();
    const committedLog = config.isReplicated ? makeCommittedLog(config) : null;
    const { database, replayed, snapshotZxid, snapshotMs, logMs } = await dir.recover(
      committedLog === null
        ? undefined
        : (zxid, entry) => committedLog.add(zxid, new ByteRange(Buffer.from(entry))),
    );
    const ms = snapshotMs + logMs;
    onReport({
      kind: 'recovered',
      snapshotZxid: snapshotZxid ?? undefined,
      lastZxid: database.tree.lastProcessedZxid,
      replayedTxns: replayed.txns,
      ms,
    });
    const startup = new Map<Measured, number>([['dbinittime', ms]]);
    if (snapshotZxid !== null) startup.set('startup_snap_load_time', snapshotMs);
    if (replayed.txns > 0) {
      startup.set('startup_txns_loaded', replayed.txns).set('startup_txns_load_time', logMs);
    }
    const storage = { log: makeLog(config, dir, onWarning, listener), dir };
    const recovered = { database, replayed, committedLog, snapshotZxid };
    return { storage, lock, ...recovered, startup, listener };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export function dataDirOf(
  config: Config,
  dataDir: string,
  onWarning: (message: string) => void,
  onProgress: (percent: number) => void = () => undefined,
): DataDir {
  return new DataDir({
    dataDir,
    dataLogDir: config.dataLogDir ?? dataDir,
    tree: treeOptionsOf(config),
    maxEntryLength: config.juteMaxBuffer + config.juteMaxBufferExtraSize,
    isEmptyTrusted: config.snapshotTrustEmpty,
    compression: config.snapshotCompressionMethod || 'none',
    isLastZxidWritten: config.serializeLastProcessedZxidEnabled,
    compaction: hasSpareCore ? COMPACTION : undefined,
    summing: canSum ? { fromBytes: SUMMED_FROM, run: sumOnThread } : undefined,
    checking: canSum ? { fromBytes: SUMMED_FROM, run: checkOnThread } : undefined,
    areFoldersMade: config.datadirAutocreate,
    isEmptyDatabaseMade: config.dbAutocreate,
    onWarning,
    onProgress,
  });
}

export async function lockDirs(folders: Iterable<string>): Promise<DirLock> {
  const locks: DirLock[] = [];
  const release = async (): Promise<void> => {
    for (const lock of locks.splice(0)) await lock.release();
  };
  try {
    for (const folder of folders) locks.push(await lockDir(folder));
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** Recent txns for learners that lag little; an observer master keeps more. */
export function makeCommittedLog({
  commitLogCount,
  observerMasterPort,
  observerMasterSizeLimit,
}: Config): CommittedLog {
  return observerMasterPort === null
    ? new CommittedLog(commitLogCount)
    : new CommittedLog(commitLogCount, observerMasterSizeLimit);
}

function inMemory(config: Config, listener: StorageListener): OpenedStorage {
  const database = new Database(treeOptionsOf(config));
  database.finishSnapshot(0n);
  const startup = new Map<Measured, number>();
  return {
    storage: null,
    lock: null,
    database,
    replayed: NOTHING_LOGGED,
    committedLog: null,
    snapshotZxid: null,
    startup,
    listener,
  };
}

function makeLog(
  config: Config,
  dir: DataDir,
  onWarning: (message: string) => void,
  listener: StorageListener,
): LogDisk {
  return new LogDisk({
    folder: dir.logFolder,
    preAllocSize: Number(config.preAllocSizeKb) * 1024,
    maxFileSize: Number(config.txnLogSizeLimitKb) * 1024,
    isSynced: config.forceSync,
    slowSyncMs: Number(config.fsyncWarningThresholdMs),
    onSync: (ms) => listener.onMeasured('fsynctime', ms),
    onSlowSync: (ms) => {
      listener.onMeasured('slow-sync', ms);
      onWarning(
        `a sync of the transaction log took ${Math.round(ms)} ms: all writes waited for it`,
      );
    },
    onError: (error) => listener.onLogError(error),
  });
}

function treeOptionsOf(config: Config): DataTreeOptions {
  return {
    isTTLEnabled: config.extendedTypesEnabled,
    isDigestEnabled: config.digestEnabled,
    hashSeed: randomInt(2 ** 32),
  };
}

// Refuses a folder that a server without locks writes, such as Apache's.

/** @throws ServerError EDATADIRINUSE that names the process */
async function mustBeFree({ fs, logFolder, snapFolder }: DataDir): Promise<void> {
  const newest = logsAmong(await listFiles(fs, logFolder)).at(-1);
  if (newest === undefined || (await isClosed(join(logFolder, newest.name), newest.size))) return;
  for (const folder of new Set([logFolder, snapFolder])) {
    const user = openFilesIn(folder).find(({ isWritable }) => isWritable);
    if (user !== undefined) throw written(user.file, user.pid);
  }
}

/**
 * A server that ends cuts off the zeros ahead of its tail. So a usual start does not pay for the
 * search of /proc, which takes some 10 ms.
 */
async function isClosed(path: string, size: number): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, Math.max(size - 1, 0));
    return last[0] === END_OF_RECORD;
  } finally {
    await file.close();
  }
}

function written(file: string, pid: number): ServerError {
  const program = safeLine(programOf(pid) ?? 'unknown');
  return new ServerError(
    'EDATADIRINUSE',
    ExitCode.DATA_DIR,
    `${file}: process ${pid} (${program}) has it open for writing (expected a data directory of its own). Stop that server first, or use another folder`,
  );
}
