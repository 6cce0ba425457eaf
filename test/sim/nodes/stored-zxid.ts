import { logFileName, parseLogName } from '../../../src/files/file-names.js';
import {
  logsAfter,
  logsAmong,
  ReplaySequence,
  type SnapshotFile,
  snapshotsAmong,
} from '../../../src/files/recovery.js';
import { SnappyReader } from '../../../src/files/snappy.js';
import { SnapshotReader } from '../../../src/files/snapshot-reader.js';
import { TxnLogReader } from '../../../src/files/txn-log.js';

export const MAX_ENTRY_LENGTH = 1 << 21;

type Files = ReadonlyMap<string, Buffer>;

/**
 * The last zxid of a start, or -1n if the start would be refused. It reads without building a
 * tree.
 */
export function storedZxid(files: Files): bigint {
  const found = [...files].map(([name, { length: size }]) => ({ name, size }));
  const snapshot = snapshotsAmong(found).find(({ name, compression }) =>
    isWhole(files.get(name) as Buffer, compression),
  );
  if (snapshot === undefined) return -1n;
  const sequence = new ReplaySequence(snapshot.zxid);
  for (const { name } of logsAfter(logsAmong(found), snapshot.zxid)) {
    let isGap = false;
    const end = readLog(files.get(name) as Buffer, ({ zxid }) => {
      isGap = sequence.next(zxid).kind === 'gap';
      return !isGap;
    });
    if (isGap || end === 'corrupt') return -1n;
  }
  return sequence.lastZxid;
}

function isWhole(bytes: Buffer, compression: SnapshotFile['compression']): boolean {
  const reader = new SnapshotReader(MAX_ENTRY_LENGTH);
  reader.push(contentOf(bytes, compression));
  reader.end();
  for (;;) {
    const { kind } = reader.next();
    if (kind === 'end') return true;
    if (kind === 'invalid' || kind === 'need-more') return false;
  }
}

/** A snapshot without its compression. */
export function contentOf(bytes: Buffer, compression: SnapshotFile['compression']): Buffer {
  if (compression !== 'snappy') return bytes;
  return Buffer.concat([...new SnappyReader().push(bytes)]);
}

/** Whether the txn is in the log that must contain it. */
export function holds(files: Files, zxid: bigint, entry: Buffer): boolean {
  let from = -1n;
  for (const name of files.keys()) {
    const first = parseLogName(name) ?? -1n;
    if (first <= zxid && first > from) from = first;
  }
  const bytes = files.get(logFileName(from));
  if (bytes === undefined || !bytes.includes(entry)) return false;
  let isFound = false;
  readLog(bytes, (found) => {
    isFound = found.zxid === zxid && found.entry.equals(entry);
    return !isFound;
  });
  return isFound;
}

/** Returns the value at the end, or undefined if `take` stopped early. */
function readLog(
  bytes: Buffer,
  take: (entry: { zxid: bigint; entry: Buffer }) => boolean,
): 'end' | 'torn' | 'corrupt' | undefined {
  const reader = new TxnLogReader(MAX_ENTRY_LENGTH);
  reader.push(bytes);
  reader.end();
  for (let item = reader.next(); item.kind !== 'need-more'; item = reader.next()) {
    if (item.kind !== 'entry') return item.kind;
    if (!take(item)) return undefined;
  }
  return 'end';
}
