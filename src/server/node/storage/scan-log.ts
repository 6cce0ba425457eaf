import { type LogEntry, type LogItem, TxnLogReader } from '../../../files/txn-log.js';
import type { StoredFile } from './file-system.js';

const READ_SIZE = 1024 * 1024;
const LEAST_READ_SIZE = 4096;

/** The memory for one read of a log of `size` bytes, which may have grown. */
export function readSizeFor(size: number, most = READ_SIZE): number {
  return Math.min(most, Math.max(LEAST_READ_SIZE, size + 1));
}

export type LogEnd = Exclude<LogItem, LogEntry | { readonly kind: 'need-more' }>;

/**
 * Reads a log from its beginning. `onEntry` gets each entry, valid during the call; when it returns
 * false, reading stops and the result is null.
 * @param maxEntryLength in bytes: jute.maxbuffer and its extra size
 * @param readSize bytes per turn
 */
export async function scanLog(
  file: StoredFile,
  maxEntryLength: number,
  onEntry: (entry: LogEntry) => boolean,
  readSize = READ_SIZE,
  onRead?: (bytes: number) => void,
): Promise<LogEnd | null> {
  const reader = new TxnLogReader(maxEntryLength);
  const chunk = Buffer.allocUnsafe(readSize);
  let position = 0;
  for (;;) {
    const item = reader.next();
    if (item.kind === 'need-more') {
      const length = await file.read(chunk, position);
      position += length;
      onRead?.(length);
      if (length === 0) reader.end();
      else reader.push(chunk.subarray(0, length));
    } else if (item.kind !== 'entry') {
      return item;
    } else if (!onEntry(item)) {
      return null;
    }
  }
}
