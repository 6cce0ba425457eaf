/**
 * Replays the logs after a snapshot. Reads all of them before it changes one: a refused log is
 * evidence and must stay unchanged.
 */
import { join } from 'node:path';
import {
  type LogFile,
  logsAfter,
  ReplaySequence,
  type SnapshotFile,
} from '../../../files/recovery.js';
import type { LogEntry } from '../../../files/txn-log.js';
import { formatZxid } from '../../../protocol/zxid.js';
import type { Database } from '../../persistence/replay.js';
import type { LogLength } from '../../pipeline/snapshot-trigger.js';
import { cutFile, syncFile } from './cut-file.js';
import type { DataDir } from './data-dir.js';
import { corrupt, type ServerError, unusable } from './errors.js';
import type { StoredFile } from './file-system.js';
import { readSizeFor, scanLog } from './scan-log.js';

export type TxnListener = (zxid: bigint, entry: Buffer) => void;

export interface ReplayOptions {
  readonly onTxn?: TxnListener | undefined;
  readonly onRead?: (bytes: number) => void;
  /** The last txn to replay. The files are not changed then, and need no later txn. */
  readonly until?: bigint;
  /** Newer than the one that the replay starts from. The logs must lead past each of them. */
  readonly damaged?: readonly SnapshotFile[];
}

/** The incomplete end of a log after a crash. */
interface Tear {
  readonly path: string;
  readonly size: number;
  readonly offset: number;
  readonly reason: string;
}

interface Replay {
  readonly dir: DataDir;
  readonly database: Database;
  readonly sequence: ReplaySequence;
  readonly options: ReplayOptions;
  /** Since the snapshot. */
  applied: { txns: number; bytes: number };
  /** A record after `until` was found. */
  isOver: boolean;
  /** Paths of logs with records. */
  readonly read: string[];
  readonly tears: Tear[];
  readonly empty: { readonly path: string; readonly size: number }[];
}

/**
 * Resolves to the txns that were applied.
 * @throws ServerError EDATA with file and offset; nothing is changed then
 */
export async function replayLogs(
  dir: DataDir,
  database: Database,
  logs: readonly LogFile[],
  options: ReplayOptions = {},
): Promise<LogLength> {
  const sequence = new ReplaySequence(database.tree.lastProcessedZxid);
  const replay: Replay = {
    dir,
    database,
    sequence,
    options,
    applied: { txns: 0, bytes: 0 },
    ...noFindings(),
  };
  const { until } = options;
  for (const file of logsAfter(logs, sequence.lastZxid)) {
    if (!replay.isOver) await replayLog(replay, file);
  }
  if (!replay.isOver) mustLeadPast(replay, sequence.lastZxid, null);
  if (until === undefined) await repairLogs(replay);
  return replay.applied;
}

/**
 * The name of a snapshot tells that its server had the txns up to it. A server that got them by
 * SNAP never logged them, so only the next epoch follows in its log.
 * @param next the txn that follows, or null at the end
 */
function mustLeadPast({ dir, options }: Replay, lastZxid: bigint, next: bigint | null): void {
  const hidden = options.damaged?.find(
    ({ zxid }) => zxid > lastZxid && (next === null || zxid < next),
  );
  if (hidden === undefined) return;
  const path = join(dir.snapFolder, hidden.name);
  const span = `${formatZxid(lastZxid + 1n)} to ${formatZxid(hidden.zxid)}`;
  throw unusable(
    `${path}: damaged, and no log has its txns ${span}. Restore it from a copy, or, if an ensemble has the data, run zkserver set-aside`,
  );
}

async function replayLog(replay: Replay, { name, size }: LogFile): Promise<void> {
  const { dir } = replay;
  const path = join(dir.logFolder, name);
  const file = await dir.fs.open(path, 'read').catch((cause: Error) => {
    throw unusable(`${path}: cannot read: ${cause.message}`, cause);
  });
  try {
    const { isEmpty, tear } = await replayRecords(replay, path, size, file);
    if (isEmpty) replay.empty.push({ path, size });
    else replay.read.push(path);
    if (!isEmpty && tear !== null) replay.tears.push(tear);
  } finally {
    await file.close();
  }
}

async function replayRecords(
  replay: Replay,
  path: string,
  size: number,
  file: StoredFile,
): Promise<{ isEmpty: boolean; tear: Tear | null }> {
  const { dir, database, sequence, options } = replay;
  const { until, onTxn, onRead } = options;
  let isEmpty = true;
  const take = ({ zxid, entry, offset }: LogEntry): boolean => {
    isEmpty = false;
    const { lastZxid } = sequence;
    const step = sequence.next(zxid);
    if (step.kind === 'skip') return true;
    if (step.kind === 'gap') throw gapAt(replay, path, offset, step.reason);
    mustLeadPast(replay, lastZxid, zxid);
    if (until !== undefined && zxid > until) {
      replay.isOver = true;
      return false;
    }
    database.replay(entry);
    onTxn?.(zxid, entry);
    replay.applied.txns++;
    replay.applied.bytes += entry.length;
    return true;
  };
  const end = await scanLog(file, dir.options.maxEntryLength, take, readSizeFor(size), onRead);
  if (end?.kind === 'corrupt') throw corrupt(path, end.offset, end.reason);
  const { offset = 0 } = end ?? {};
  return {
    isEmpty,
    tear: end?.kind === 'torn' ? { path, size, offset, reason: end.reason } : null,
  };
}

function gapAt({ tears }: Replay, path: string, offset: number, reason: string): ServerError {
  const torn = tears.at(-1);
  const hint = torn === undefined ? 'a log is missing' : `${torn.path} ends too early`;
  return unusable(
    `${path}: gap at offset ${offset}: ${reason}: ${hint}. Restore the log from a copy, or, if an ensemble has the data, run zkserver set-aside`,
  );
}

function noFindings(): Pick<Replay, 'isOver' | 'read' | 'tears' | 'empty'> {
  return { isOver: false, read: [], tears: [], empty: [] };
}

/** Cuts off unacknowledged ends, reports them, and makes the rest durable. */
async function repairLogs({ dir, read, tears, empty }: Replay): Promise<void> {
  const { onWarning } = dir.options;
  for (const { path, size, offset, reason } of tears) {
    onWarning(
      `${path}: a crash left the last write incomplete (${reason}), and it was never acknowledged; cut at offset ${offset}, ${size - offset} bytes`,
    );
    await cutFile(dir.fs, path, offset);
  }
  // A crash before the first record; the next record will use the same name.
  for (const { path, size } of empty) {
    onWarning(`${path}: removed, ${size} bytes: a crash left it without a transaction`);
    await dir.fs.unlink(path);
  }
  for (const path of read) await syncFile(dir.fs, path);
  await dir.fs.syncFolder(dir.logFolder);
}
