/**
 * The transaction log (FileTxnLog): a header, then records, then zeros up to the preallocated end.
 *
 * ```
 *   "ZKLG" | int 2 | long 0 |                                                16 bytes
 *   long Adler-32 of the entry | int length | entry | 'B' |   …   | 0 0 0 0 …
 * ```
 *
 * This module converts entries to records and back; it opens no file. In a damaged log the reader
 * must distinguish a write torn by a crash (truncate it: it was never acknowledged) from decay of
 * acknowledged txns (refuse: a wrong answer is worse than none). tail-verdict.ts has the rules.
 */
import type { OutputArchive } from '../../jute/output-archive.js';
import { TXNLOG_MAGIC } from '../../protocol/persistence.js';
import { adler32 } from '../base/checksum.js';
import { ByteWindow } from './byte-window.js';
import {
  END_OF_RECORD,
  LOG_HEADER_SIZE,
  RECORD_PREFIX_SIZE,
  TXN_HEADER_SIZE,
} from './log-record.js';
import { TailInspector, type TailVerdict } from './tail-verdict.js';

export { LOG_HEADER_SIZE };

const LOG_VERSION = 2;
const LOG_DBID = 0n;
/** The offset of the zxid in a TxnHeader. */
const ZXID_AT = 12;

export function encodeLogHeader(): Buffer {
  const header = Buffer.alloc(LOG_HEADER_SIZE);
  header.writeInt32BE(TXNLOG_MAGIC, 0);
  header.writeInt32BE(LOG_VERSION, 4);
  header.writeBigInt64BE(LOG_DBID, 8);
  return header;
}

/** Leaves room for the prefix of an entry. Returns the argument of `endEntry`. */
export function beginEntry(out: OutputArchive): number {
  return out.skip(RECORD_PREFIX_SIZE);
}

/** Completes the record of the entry at `start`. */
export function endEntry(out: OutputArchive, start: number): void {
  const entryStart = start + RECORD_PREFIX_SIZE;
  const end = out.length;
  out.patchInt(start, 0);
  out.patchInt(start + 4, adler32(out.memory, entryStart, end));
  out.patchInt(start + 8, end - entryStart);
  out.writeByte(END_OF_RECORD);
}

/** `entry` is a view, valid until the next `push` or `next`. Offsets are those in the file. */
export interface LogEntry {
  readonly kind: 'entry';
  readonly offset: number;
  readonly zxid: bigint;
  readonly entry: Buffer;
}

/**
 * `need-more` asks for a push; no entry follows the others. `end`: only padding follows `offset`.
 * `torn`: a crash cut the last write, and the bytes from `offset` on were never acknowledged.
 * `corrupt`: the bytes from `offset` on cannot be trusted.
 */
export type LogItem = LogEntry | { readonly kind: 'need-more' } | TailVerdict;

const NEED_MORE: LogItem = { kind: 'need-more' };

/**
 * A pull parser over pushed chunks: push when `next` returns need-more, and call `end` at the end
 * of the file. Holds one record and one chunk. end, torn, and corrupt are final.
 */
export class TxnLogReader {
  private readonly maxEntryLength: number;
  private readonly unsyncedLimit: number | undefined;
  private readonly window: ByteWindow;
  private isHeaderRead: boolean;
  private isEnded = false;
  private inspector: TailInspector | null = null;
  private last: LogItem | null = null;

  /**
   * @param maxEntryLength in bytes: jute.maxbuffer and its extra size
   * @param unsyncedLimit most bytes that a writer leaves unsynced (tail-verdict.ts); with 0, any
   * damage before other data is corrupt
   * @param start the offset of the first record to read, after the header
   */
  constructor(maxEntryLength: number, unsyncedLimit?: number, start = 0) {
    this.maxEntryLength = maxEntryLength;
    this.unsyncedLimit = unsyncedLimit;
    this.window = new ByteWindow(start);
    this.isHeaderRead = start > 0;
  }

  /** After the last entry. */
  get offset(): number {
    return this.window.offset;
  }

  /** The chunk may be overwritten once `next` returned need-more. */
  push(chunk: Buffer): void {
    this.window.push(chunk);
  }

  end(): void {
    this.isEnded = true;
  }

  next(): LogItem {
    if (this.last !== null) return this.last;
    const item = this.read();
    if (item.kind === 'need-more') this.window.settle();
    else if (item.kind !== 'entry') this.last = item;
    return item;
  }

  private read(): LogItem {
    if (this.inspector !== null) return this.inspect(this.inspector);
    if (!this.isHeaderRead) {
      const item = this.readHeader();
      if (item !== null) return item;
    }
    const { window } = this;
    if (window.available < RECORD_PREFIX_SIZE) return this.isEnded ? this.damaged() : NEED_MORE;
    const { bytes, at } = window;
    const length = bytes.readInt32BE(at + 8);
    const isPlausible =
      bytes.readInt32BE(at) === 0 && length >= TXN_HEADER_SIZE && length <= this.maxEntryLength;
    if (!isPlausible) return this.damaged();
    const size = RECORD_PREFIX_SIZE + length + 1;
    if (window.available < size) return this.isEnded ? this.damaged() : NEED_MORE;
    const start = at + RECORD_PREFIX_SIZE;
    const end = start + length;
    if (bytes[end] !== END_OF_RECORD) return this.damaged();
    if (adler32(bytes, start, end) !== bytes.readUInt32BE(at + 4)) return this.damaged();
    const { offset } = window;
    window.at = end + 1;
    return {
      kind: 'entry',
      offset,
      zxid: bytes.readBigInt64BE(start + ZXID_AT),
      entry: bytes.subarray(start, end),
    };
  }

  private readHeader(): LogItem | null {
    const { window } = this;
    if (window.available < LOG_HEADER_SIZE && !this.isEnded) return NEED_MORE;
    const expected = encodeLogHeader();
    const found = window.bytes.subarray(
      window.at,
      Math.min(window.end, window.at + LOG_HEADER_SIZE),
    );
    // Apache writes 0 as database id and never reads it.
    if (found.length === LOG_HEADER_SIZE && found.compare(expected, 0, 8, 0, 8) === 0) {
      window.at += LOG_HEADER_SIZE;
      this.isHeaderRead = true;
      return null;
    }
    let same = 0;
    while (same < found.length && found[same] === expected[same]) same++;
    const rest = found.subarray(same);
    if (rest.every((byte) => byte === 0)) {
      return { kind: 'torn', offset: 0, reason: 'the file ends inside its header' };
    }
    const reason = found.compare(expected, 0, 4, 0, Math.min(4, found.length))
      ? `wrong magic: ${found.subarray(0, 4).toString('hex')} (expected "ZKLG")`
      : `wrong version: ${found.subarray(4, 8).toString('hex')} (expected ${LOG_VERSION})`;
    return { kind: 'corrupt', offset: 0, reason };
  }

  private damaged(): LogItem {
    this.inspector = new TailInspector(this.window.offset, this.maxEntryLength, this.unsyncedLimit);
    return this.inspect(this.inspector);
  }

  private inspect(inspector: TailInspector): LogItem {
    return inspector.look(this.window, this.isEnded) ?? NEED_MORE;
  }
}
