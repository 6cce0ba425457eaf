import { type LogEntry, type LogItem, TxnLogReader } from '../../persistence/txn-log.js';
import type { StoredFile } from './file-system.js';

const READ_SIZE = 1024 * 1024;
/** Of memory for a log that is shorter than that. */
const LEAST_READ_SIZE = 4096;

/** As much memory as one read of a log of `size` bytes needs; it may have grown since. */
export function readSizeFor(size: number, most = READ_SIZE): number {
  return Math.min(most, Math.max(LEAST_READ_SIZE, size + 1));
}

/** What there is at the end of a log. */
export type LogEnd = Exclude<LogItem, LogEntry | { readonly kind: 'need-more' }>;

/**
 * Reads a log from its beginning. `onEntry` is given one entry after the other, valid during the
 * call, and says whether to go on; null when it did not want to.
 * @param maxEntryLength in bytes: jute.maxbuffer and its extra size
 * @param readSize so many bytes a turn
 */
export async function scanLog(
  file: StoredFile,
  maxEntryLength: number,
  onEntry: (entry: LogEntry) => boolean,
  readSize = READ_SIZE,
): Promise<LogEnd | null> {
  const reader = new TxnLogReader(maxEntryLength);
  const chunk = Buffer.allocUnsafe(readSize);
  let position = 0;
  for (;;) {
    const item = reader.next();
    if (item.kind === 'need-more') {
      const length = await file.read(chunk, position);
      position += length;
      if (length === 0) reader.end();
      else reader.push(chunk.subarray(0, length));
    } else if (item.kind !== 'entry') {
      return item;
    } else if (!onEntry(item)) {
      return null;
    }
  }
}
