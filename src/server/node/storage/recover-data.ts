/** Reads the files that files/recovery.ts plans to read. */
import { join } from 'node:path';
import {
  type FoundFile,
  logsAfter,
  logsAmong,
  planRecovery,
  type RecoveryPlan,
  type SnapshotFile,
  snapshotsAmong,
  withoutSnapshot,
} from '../../../files/recovery.js';
import { Database } from '../../persistence/replay.js';
import { contentOf } from '../../persistence/snapshot-source.js';
import { syncFile } from './cut-file.js';
import type { DataDir, Recovered } from './data-dir.js';
import { unusable } from './errors.js';
import { type ListedFile, listFiles } from './folders.js';
import { LoadProgress } from './load-progress.js';
import { type ListedSnapshot, loadDatabase, type OnRead } from './load-snapshot.js';
import { replayLogs, type TxnListener } from './replay-logs.js';

/** `zkserver init` creates it: the folder is empty on purpose. */
const INITIALIZE_MARKER = 'initialize';
const NO_ZXID_LATER = (1n << 63n) - 1n;

/** @param onTxn called for every replayed txn; the entry is valid during the call */
export async function recoverData(dir: DataDir, onTxn?: TxnListener): Promise<Recovered> {
  const { options } = dir;
  const rule = { isEmptyTrusted: options.isEmptyTrusted };
  const logFiles = await listFiles(dir.fs, dir.logFolder);
  const snapFiles = await listFiles(dir.fs, dir.snapFolder);
  checkPlaces(dir, snapFiles, logFiles);
  let plan = planRecovery(snapFiles, logFiles, rule);
  const startedAt = performance.now();
  const wanted = plan.kind === 'restore' ? plan.snapshots : [];
  const { onProgress = () => undefined } = options;
  const { read: onRead } = new LoadProgress(bytesToRead(plan), onProgress);
  const { loaded, damaged } = await loadNewestWhole(dir, wanted, snapFiles, onRead);
  if (plan.kind === 'restore' && loaded === null) {
    plan = withoutSnapshot(plan.snapshots, plan.logs, rule);
  }
  if (plan.kind === 'refuse') {
    const advice = await adviceFor(dir, logFiles, damaged);
    throw unusable(`${dir.snapFolder}: ${plan.reason}. ${advice}`);
  }
  if (plan.kind === 'empty') await checkEmptyIsAllowed(dir);
  const database = loaded ?? emptyDatabase(dir);
  const snapshotZxid = loaded === null ? null : database.tree.lastProcessedZxid;
  const loadedAt = performance.now();
  const logs = plan.kind === 'restore' ? plan.logs : [];
  const replayed = await replayLogs(dir, database, logs, { onTxn, onRead, damaged });
  const replayedAt = performance.now();
  if (database.digestMismatches > 0) {
    options.onWarning(
      `${database.digestMismatches} transactions of the log led to a tree that differs from the server that wrote them`,
    );
  }
  // Neither Apache's server nor this one starts on logs without a snapshot.
  if (loaded === null) await dir.writeSnapshot(contentOf(database));
  database.removeOrphans();
  return {
    database,
    replayed,
    snapshotZxid,
    snapshotMs: loadedAt - startedAt,
    logMs: replayedAt - loadedAt,
  };
}

/** Those of the newest snapshot, and of the logs after it. */
function bytesToRead(plan: RecoveryPlan): number {
  if (plan.kind !== 'restore') return 0;
  const [newest] = plan.snapshots;
  const logs = logsAfter(plan.logs, newest?.zxid ?? 0n);
  return logs.reduce((sum, { size }) => sum + size, newest?.size ?? 0);
}

function emptyDatabase(dir: DataDir): Database {
  const database = new Database(dir.options.tree);
  database.finishSnapshot(0n);
  return database;
}

/** After a change of dataLogDir, the new folder alone would lack txns (ZOOKEEPER-2967). */
function checkPlaces(
  { snapFolder, logFolder }: DataDir,
  snapFiles: readonly FoundFile[],
  logFiles: readonly FoundFile[],
): void {
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
async function checkEmptyIsAllowed({ fs, snapFolder, options }: DataDir): Promise<void> {
  const marker = join(options.dataDir, INITIALIZE_MARKER);
  const isMarked = await fs.unlink(marker).then(
    () => true,
    () => false,
  );
  if (isMarked || options.isEmptyDatabaseMade) return;
  throw unusable(
    `${snapFolder}: empty (expected data, as db.autocreate is false)\nRestore the data, or start over with: zkserver init`,
  );
}

/** Null if no snapshot is whole; `damaged` are those newer than the loaded one. */
async function loadNewestWhole(
  dir: DataDir,
  snapshots: readonly SnapshotFile[],
  files: readonly ListedFile[],
  onRead: OnRead,
): Promise<{ loaded: Database | null; damaged: readonly SnapshotFile[] }> {
  const { fs, snapFolder, options } = dir;
  const damaged: SnapshotFile[] = [];
  const wanted = new Set(snapshots.map(({ name }) => name));
  for (const file of snapshotsAmong(files)) {
    if (!wanted.has(file.name)) continue;
    const path = join(snapFolder, file.name);
    const loaded = await loadKnown(dir, file, onRead);
    if (typeof loaded !== 'string') {
      await syncFile(fs, path);
      await fs.syncFolder(snapFolder);
      return { loaded, damaged };
    }
    options.onWarning(`${path}: ${loaded}; trying an older one`);
    damaged.push(file);
  }
  return { loaded: null, damaged };
}

/** Loads a snapshot, and notes what this tells. Resolves to the reason if it is unusable. */
export async function loadKnown(
  dir: DataDir,
  file: ListedSnapshot,
  onRead?: OnRead,
): Promise<Database | string> {
  const loaded = await loadDatabase(dir, file, onRead);
  const isWhole = typeof loaded !== 'string';
  const reach = dir.known.of(file)?.reach ?? (isWhole ? loaded.reachFrom(file.zxid) : null);
  dir.known.note(file, { reach, isWhole });
  return loaded;
}

/** Trusting the logs helps only if they lead from an empty tree to the newest txn. */
async function adviceFor(
  dir: DataDir,
  logFiles: readonly FoundFile[],
  damaged: readonly SnapshotFile[],
): Promise<string> {
  const logs = logsAmong(logFiles);
  const lacking = await replayLogs(dir, emptyDatabase(dir), logs, {
    until: NO_ZXID_LATER,
    damaged,
  }).then(
    () => '',
    (error: Error) => error.message,
  );
  return lacking === ''
    ? 'Restore a snapshot, or start with -D zookeeper.snapshot.trust.empty=true, because the logs are complete'
    : `Restore a snapshot from a copy, or, if an ensemble has the data, run zkserver set-aside. The logs do not suffice: ${lacking}`;
}
