/**
 * The txns on the disk, for a learner that lacks more than memory has. The log may grow meanwhile,
 * because the requested txns are already on the disk.
 */
import { join } from 'node:path';
import { OutputArchive } from '../../../jute/output-archive.js';
import { formatZxid } from '../../../protocol/zxid.js';
import {
  type LogPlace,
  type LogRange,
  LogSearch,
  LogSlice,
  logsHolding,
  maxLogBytes,
} from '../../persistence/log-search.js';
import { type LogFile, logsAmong, snapshotsAmong } from '../../persistence/recovery.js';
import { type LogEntry, TxnLogReader } from '../../persistence/txn-log.js';
import { writeCommitted } from '../../quorum/wire/quorum-packet.js';
import type { DataDir } from './data-dir.js';
import type { StoredFile } from './file-system.js';
import { listFiles } from './folders.js';
import { readSizeFor, scanLog } from './scan-log.js';

const READ_SIZE = 256 * 1024;

/** Null if the log lacks part of the range, or if it is too large for the factor. */
export async function searchLogs(
  dir: DataDir,
  range: LogRange,
  sizeFactor: number,
): Promise<LogPlace | null> {
  const snapshots = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  const maxBytes = maxLogBytes(snapshots[0]?.size ?? 0, sizeFactor);
  const logs = await logsOf(dir, range);
  // Files between the first and the last would be sent completely.
  const atLeast = logs.slice(1, -1).reduce((sum, { size }) => sum + size, 0);
  if (atLeast > maxBytes) return null;
  const zxids = snapshots.map(({ zxid }) => zxid);
  const search = new LogSearch({ ...range, snapshots: zxids, maxBytes });
  for (const { name, size } of logs) {
    const file = await dir.fs.open(join(dir.logFolder, name), 'read');
    try {
      const take = ({ zxid, entry }: LogEntry) => search.take(zxid, entry.length);
      const end = await scanLog(
        file,
        dir.options.maxEntryLength,
        take,
        readSizeFor(size, READ_SIZE),
      );
      if (end === null || end.kind === 'corrupt') return search.place;
    } finally {
      await file.close();
    }
  }
  return search.place;
}

async function logsOf(dir: DataDir, { after, until }: LogRange): Promise<LogFile[]> {
  const logs = logsAmong(await listFiles(dir.fs, dir.logFolder)).filter(
    ({ zxid }) => zxid <= until,
  );
  return logsHolding(logs, after);
}

/** The packets of a range. @throws Error when it is gone */
export async function* readTxns(dir: DataDir, range: LogRange): AsyncGenerator<Buffer> {
  const slice = new LogSlice(range);
  for (const { name, size } of await logsOf(dir, range)) {
    const file = await dir.fs.open(join(dir.logFolder, name), 'read');
    try {
      yield* readTxnsOf(file, readSizeFor(size, READ_SIZE), dir.options.maxEntryLength, slice);
    } finally {
      await file.close();
    }
    if (slice.isWhole) return;
  }
  throw new Error(`the log no longer has the txns up to ${formatZxid(range.until)}`);
}

async function* readTxnsOf(
  file: StoredFile,
  readSize: number,
  maxEntryLength: number,
  slice: LogSlice,
): AsyncGenerator<Buffer> {
  const reader = new TxnLogReader(maxEntryLength);
  const out = new OutputArchive(readSize);
  const chunk = Buffer.allocUnsafe(readSize);
  let position = 0;
  for (;;) {
    const length = await file.read(chunk, position);
    position += length;
    if (length === 0) reader.end();
    else reader.push(chunk.subarray(0, length));
    let item = reader.next();
    for (; item.kind === 'entry' && !slice.isWhole; item = reader.next()) {
      if (slice.take(item.zxid)) writeCommitted(out, item.zxid, item.entry);
    }
    if (out.length > 0) yield out.take();
    if (item.kind !== 'need-more') return;
  }
}
