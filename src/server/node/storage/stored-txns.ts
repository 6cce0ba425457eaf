/**
 * The txns on the disk, for a learner that lacks more than memory has. The log may grow meanwhile,
 * because the requested txns are already on the disk.
 */
import { join } from 'node:path';
import {
  type LogFile,
  type LogPlace,
  type LogRange,
  LogSearch,
  LogSlice,
  type LogTail,
  logsAmong,
  logsHolding,
  maxLogBytes,
  snapshotsAmong,
} from '../../../files/recovery.js';
import { type LogEntry, type LogItem, TxnLogReader } from '../../../files/txn-log.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { writeCommitted } from '../../quorum/wire/quorum-packet.js';
import type { DataDir } from './data-dir.js';
import type { StoredFile } from './file-system.js';
import { listFiles } from './folders.js';
import { readSizeFor, scanLog } from './scan-log.js';

const READ_SIZE = 1024 * 1024;

/** Null if the log lacks part of the range, or if it is too large for the factor. */
export async function searchLogs(
  dir: DataDir,
  range: LogRange,
  sizeFactor: number,
): Promise<LogPlace | null> {
  await dir.removing;
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

/** Where a reader of the log ended: after the txn `zxid`. */
export interface ReadEnd {
  readonly zxid: bigint;
  /** Null without a log. */
  readonly name: string | null;
  readonly offset: number;
}

/**
 * The packets of the txns after one, read once up to those that are committed when their part of
 * the log is read.
 * @param from where an earlier reader ended, if the txns after that one are wanted
 * @throws Error when some are gone, or nobody waits for them
 */
export async function* readTxns(
  dir: DataDir,
  { after, until }: LogTail,
  from: ReadEnd = { zxid: after, name: null, offset: 0 },
): AsyncGenerator<Buffer, ReadEnd, undefined> {
  const slice = new LogSlice(after);
  const read = new Set<string>();
  let end = from;
  for (;;) {
    // A file may have been added meanwhile.
    const logs = logsHolding(logsAmong(await listFiles(dir.fs, dir.logFolder)), slice.last);
    const next = logs.find(({ name }) => !read.has(name));
    if (next === undefined) return { ...end, zxid: slice.last };
    read.add(next.name);
    const start = next.name === from.name ? from.offset : 0;
    const file = await dir.fs.open(join(dir.logFolder, next.name), 'read');
    try {
      const readSize = readSizeFor(next.size, READ_SIZE);
      const reader = new TxnLogReader(dir.options.maxEntryLength, undefined, start);
      const { offset, isAtEnd } = yield* readTxnsOf(
        { file, start, readSize },
        reader,
        slice,
        until,
      );
      end = { zxid: slice.last, name: next.name, offset };
      if (!isAtEnd) return end;
    } finally {
      await file.close();
    }
  }
}

interface FileEnd {
  /** Where the first record begins that was not sent. */
  readonly offset: number;
  /** Whether a later file may have more. */
  readonly isAtEnd: boolean;
}

async function* readTxnsOf(
  from: { readonly file: StoredFile; readonly start: number; readonly readSize: number },
  reader: TxnLogReader,
  slice: LogSlice,
  until: LogTail['until'],
): AsyncGenerator<Buffer, FileEnd, undefined> {
  const out = new OutputArchive(from.readSize);
  const chunk = Buffer.allocUnsafe(from.readSize);
  let position = from.start;
  for (;;) {
    const last = until();
    if (last === null) throw new Error('the link was closed before all txns were sent');
    const length = await from.file.read(chunk, position);
    position += length;
    if (length === 0) reader.end();
    else reader.push(chunk.subarray(0, length));
    let item: LogItem | null = null;
    // It looks at nothing after the last one: the padding of a log is long.
    while (slice.last < last) {
      item = reader.next();
      if (item.kind !== 'entry' || item.zxid > last) break;
      if (slice.take(item.zxid)) writeCommitted(out, item.zxid, item.entry);
      item = null;
    }
    if (out.length > 0) yield out.take();
    if (item === null) return { offset: reader.offset, isAtEnd: false };
    if (item.kind !== 'need-more') {
      return { offset: item.offset, isAtEnd: item.kind !== 'entry' };
    }
  }
}
