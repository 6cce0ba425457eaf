import type { FileHandle } from 'node:fs/promises';
import { type LogEntry, type LogItem, TxnLogReader } from '../persistence/txn-log.js';

const READ_SIZE = 1024 * 1024;

/** What there is at the end of a log. */
export type LogEnd = Exclude<LogItem, LogEntry | { readonly kind: 'need-more' }>;

/**
 * Reads a log from its beginning. `onEntry` is given one entry after the other, valid during the
 * call, and says whether to go on; null when it did not want to.
 * @param maxEntryLength in bytes: jute.maxbuffer and its extra size
 * @param readSize so many bytes a turn
 */
export async function scanLog(
  handle: FileHandle,
  maxEntryLength: number,
  onEntry: (entry: LogEntry) => boolean,
  readSize = READ_SIZE,
): Promise<LogEnd | null> {
  const reader = new TxnLogReader(maxEntryLength);
  const chunk = Buffer.allocUnsafe(readSize);
  for (;;) {
    const item = reader.next();
    if (item.kind === 'need-more') {
      const { bytesRead } = await handle.read(chunk, 0, readSize, null);
      if (bytesRead === 0) reader.end();
      else reader.push(chunk.subarray(0, bytesRead));
    } else if (item.kind !== 'entry') {
      return item;
    } else if (!onEntry(item)) {
      return null;
    }
  }
}
