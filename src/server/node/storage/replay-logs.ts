/**
 * Replays the logs after a snapshot. Reads all of them before it changes one: a refused log is
 * evidence and must stay unchanged.
 */
import { join } from 'node:path';
import { type LogFile, logsAfter, ReplaySequence } from '../../persistence/recovery.js';
import type { Database } from '../../persistence/replay.js';
import { cutFile, syncFile } from './cut-file.js';
import type { DataDir } from './data-dir.js';
import { corrupt, unusable } from './errors.js';
import type { StoredFile } from './file-system.js';
import { readSizeFor, scanLog } from './scan-log.js';

export type TxnListener = (zxid: bigint, entry: Buffer) => void;

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
  readonly onTxn: TxnListener | undefined;
  applied: number;
  /** Paths of logs with records. */
  readonly read: string[];
  readonly tears: Tear[];
  readonly empty: { readonly path: string; readonly size: number }[];
}

/**
 * Resolves to the number of applied txns.
 * @throws ServerError EDATA with file and offset; nothing is changed then
 */
export async function replayLogs(
  dir: DataDir,
  database: Database,
  logs: readonly LogFile[],
  onTxn: TxnListener | undefined,
): Promise<number> {
  const sequence = new ReplaySequence(database.tree.lastProcessedZxid);
  const replay: Replay = { dir, database, sequence, onTxn, applied: 0, ...noFindings() };
  for (const file of logsAfter(logs, sequence.lastZxid)) await replayLog(replay, file);
  await repairLogs(replay);
  return replay.applied;
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
  const { dir, database, sequence, onTxn, tears } = replay;
  const { maxEntryLength } = dir.options;
  let isEmpty = true;
  const end = await scanLog(
    file,
    maxEntryLength,
    ({ zxid, entry, offset }) => {
      isEmpty = false;
      const step = sequence.next(zxid);
      if (step.kind === 'gap') {
        const torn = tears.at(-1);
        const hint = torn === undefined ? 'a log is missing' : `${torn.path} ends too early`;
        throw unusable(
          `${path}: gap at offset ${offset}: ${step.reason}: ${hint}. Restore the log from a copy, or, if an ensemble has the data, run zkserver set-aside`,
        );
      }
      if (step.kind === 'apply') {
        database.replay(entry);
        onTxn?.(zxid, entry);
        replay.applied++;
      }
      return true;
    },
    readSizeFor(size),
  );
  if (end?.kind === 'corrupt') throw corrupt(path, end.offset, end.reason);
  const { offset = 0 } = end ?? {};
  return {
    isEmpty,
    tear: end?.kind === 'torn' ? { path, size, offset, reason: end.reason } : null,
  };
}

function noFindings(): Pick<Replay, 'read' | 'tears' | 'empty'> {
  return { read: [], tears: [], empty: [] };
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
