import { assert } from '../base/assert.js';
import { adler32 } from '../base/checksum.js';
import type { OutputArchive } from '../jute/output-archive.js';
import { TXNLOG_MAGIC } from '../protocol/persistence.js';
import { ByteWindow } from './byte-window.js';

/** Sizes in a log file, which txn-log.ts draws. */

/** "ZKLG", version, database id. */
export const LOG_HEADER_SIZE = 16;
/** Long checksum and int length before an entry. */
export const RECORD_PREFIX_SIZE = 12;
/** 'B' after every entry. */
export const END_OF_RECORD = 0x42;
/** An entry begins with a TxnHeader, so it is never shorter. */
const TXN_HEADER_SIZE = 32;

/**
 * Classifies the end of the valid part of a log: a proper end, a write torn by a crash, or decay.
 *
 * Writers append to a preallocated file full of zeros, and acknowledge nothing before fdatasync,
 * one batch at a time. So a crash damages only the last, unsynced batch. There, each 512-byte
 * sector has all of its new bytes or zeros. A killed process leaves a prefix of the batch; after
 * a power loss, later sectors may exist without earlier ones.
 *
 * ```
 *   … good record | record, damaged at D       | record | 0 0 0 …
 *                 |sector with data|0 0 0 0 0 0 0|data |
 *                                   ^ never written: a "missing sector"
 * ```
 *
 * A crash cannot make a byte another nonzero byte, nor damage a record that has all its sectors.
 * Hence the rules for the first invalid record, at D:
 *
 * 1. Only zeros from D on, or nothing: the log ends there properly.
 * 2. The checksum fits another length with 'B' after it: corrupt. Otherwise a flipped bit in a
 *    length would hide the records after it as "torn".
 * 3. Only zeros after the record, and its last byte was never written: torn.
 * 4. A sector of the record is missing, and all later bytes are within one unsynced batch
 *    (`unsyncedLimit`): torn. Later valid records were not acknowledged, either.
 * 5. Everything else is corrupt: a complete record with a wrong checksum, an invalid length, an
 *    end that is neither 'B' nor zero, damage before acknowledged records.
 *
 * One case is misjudged: a decayed record near the end with a whole sector of zeros as data counts
 * as torn. The format cannot show the difference; etcd's write-ahead log uses the same sign.
 */

export type TailVerdict =
  | { readonly kind: 'end'; readonly offset: number }
  | { readonly kind: 'torn'; readonly offset: number; readonly reason: string }
  | { readonly kind: 'corrupt'; readonly offset: number; readonly reason: string };

/** The smallest unit that a disk writes atomically. */
const SECTOR_SIZE = 512;
/** More than any writer leaves unsynced: Apache syncs after 1000 requests at the latest. */
export const DEFAULT_UNSYNCED_LIMIT = 4 * 1024 * 1024;

const ZEROS = Buffer.alloc(64 * 1024);

interface Damage {
  readonly reason: string;
  /** No truncated write can explain it. */
  readonly isImpossible: boolean;
  /** The checksum fits another length. */
  readonly isLengthWrong: boolean;
  /** Its last byte was written. */
  readonly isEndWritten: boolean;
  readonly isSectorMissing: boolean;
  /** Where it ends according to its length. */
  readonly end: number;
}

class TailInspector {
  private readonly offset: number;
  private readonly maxEntryLength: number;
  private readonly unsyncedLimit: number;
  /** The first invalid record; null before enough of it is known. */
  private damage: Damage | null = null;
  /** The offset after the last byte that is not zero, or 0. */
  private written = 0;

  constructor(offset: number, maxEntryLength: number, unsyncedLimit = DEFAULT_UNSYNCED_LIMIT) {
    this.offset = offset;
    this.maxEntryLength = maxEntryLength;
    this.unsyncedLimit = unsyncedLimit;
  }

  /** Consumes the window; null asks for more bytes. */
  look(window: ByteWindow, isEnded: boolean): TailVerdict | null {
    if (this.damage === null) {
      const end = roundUp(recordEnd(window, this.maxEntryLength), SECTOR_SIZE);
      if (window.offset + window.available < end && !isEnded) return null;
      this.damage = describe(window, this.maxEntryLength);
    }
    const last = lastNonZero(window.bytes, window.at, window.end);
    if (last >= 0) this.written = window.offset + (last - window.at) + 1;
    window.at = window.end;
    if (isEnded) return this.verdict(this.damage);
    return this.isBeyondOneBatch(this.damage) ? this.verdict(this.damage) : null;
  }

  private isBeyondOneBatch(damage: Damage): boolean {
    return this.written > damage.end && this.written - this.offset > this.unsyncedLimit;
  }

  private verdict(damage: Damage): TailVerdict {
    const { offset } = this;
    const { reason } = damage;
    if (this.written === 0) return { kind: 'end', offset };
    const isLast = this.written <= damage.end;
    const isCut = isLast && !damage.isEndWritten;
    const isOutOfOrder = damage.isSectorMissing && !this.isBeyondOneBatch(damage);
    if (!damage.isLengthWrong && !damage.isImpossible && (isCut || isOutOfOrder)) {
      return { kind: 'torn', offset, reason };
    }
    return { kind: 'corrupt', offset, reason };
  }
}

function lengthIn(window: ByteWindow): number {
  return window.bytes.readInt32BE(window.at + 8);
}

/** The end of the record at the window's start, or of its prefix if the length is absurd. */
function recordEnd(window: ByteWindow, maxEntryLength: number): number {
  const { offset } = window;
  if (window.available < RECORD_PREFIX_SIZE) return offset + RECORD_PREFIX_SIZE;
  const length = lengthIn(window);
  const isBelievable = length >= TXN_HEADER_SIZE && length <= maxEntryLength;
  return offset + RECORD_PREFIX_SIZE + (isBelievable ? length + 1 : 0);
}

function describe(window: ByteWindow, maxEntryLength: number): Damage {
  const { bytes, at, available } = window;
  const end = recordEnd(window, maxEntryLength);
  const isSectorMissing = hasMissingSector(window, end);
  const isHighPartZero = lastNonZero(bytes, at, Math.min(at + 4, window.end)) < 0;
  const common = { end, isSectorMissing, isLengthWrong: false, isEndWritten: false };
  if (!isHighPartZero) {
    return { ...common, isImpossible: true, reason: 'the checksum has more than 32 bits' };
  }
  if (available < RECORD_PREFIX_SIZE) {
    return { ...common, isImpossible: false, reason: 'the file ends inside a record' };
  }
  const length = lengthIn(window);
  if (length === 0) {
    return { ...common, isImpossible: false, reason: 'a record without a length' };
  }
  if (length < TXN_HEADER_SIZE || length > maxEntryLength) {
    const reason = `invalid length: ${length} (expected ${TXN_HEADER_SIZE} to ${maxEntryLength})`;
    // A length that is partly written is less than the whole one, and never negative.
    const isImpossible = length < 0 || length > maxEntryLength || !isSectorMissing;
    return { ...common, isImpossible, reason };
  }
  return { ...common, isImpossible: false, ...describeEntry(window, length) };
}

function describeEntry(window: ByteWindow, length: number) {
  const { bytes, at, available } = window;
  const trueLength = checkedLength(window);
  if (trueLength >= 0 && trueLength !== length) {
    const reason = `wrong length: ${length} (the checksum fits ${trueLength})`;
    return { isLengthWrong: true, isEndWritten: false, reason };
  }
  if (available < RECORD_PREFIX_SIZE + length + 1) {
    return { isLengthWrong: false, isEndWritten: false, reason: 'the file ends inside a record' };
  }
  const endOfRecord = bytes[at + RECORD_PREFIX_SIZE + length];
  const isEndWritten = endOfRecord !== 0;
  const reason = isEndWritten
    ? endOfRecord === END_OF_RECORD
      ? 'the checksum of the record is wrong'
      : `wrong end of the record: 0x${endOfRecord?.toString(16)} (expected 'B')`
    : 'incomplete record';
  return { isLengthWrong: false, isEndWritten, reason };
}

/** The length that fits the checksum and ends in 'B', or -1. */
function checkedLength(window: ByteWindow): number {
  const { bytes, at } = window;
  const checksum = bytes.readUInt32BE(at + 4);
  const start = at + RECORD_PREFIX_SIZE;
  let sum = 1;
  let summed = start;
  const from = start + TXN_HEADER_SIZE;
  for (
    let end = bytes.indexOf(END_OF_RECORD, from);
    end >= 0 && end < window.end;
    end = bytes.indexOf(END_OF_RECORD, end + 1)
  ) {
    sum = adler32(bytes, summed, end, sum);
    summed = end;
    if (sum === checksum) return end - start;
  }
  return -1;
}

function hasMissingSector(window: ByteWindow, recordEnd: number): boolean {
  const { offset, at, bytes } = window;
  const fileEnd = offset + window.available;
  let from = offset;
  while (from < recordEnd && from < fileEnd) {
    const to = Math.min(roundUp(from + 1, SECTOR_SIZE), fileEnd);
    // The upper half of a checksum is always zero.
    const isTelling = to > offset + 4;
    if (isTelling && lastNonZero(bytes, at + from - offset, at + to - offset) < 0) return true;
    from = to;
  }
  return false;
}

function lastNonZero(bytes: Buffer, start: number, end: number): number {
  let to = end;
  while (to > start) {
    const from = Math.max(start, to - ZEROS.length);
    if (bytes.compare(ZEROS, 0, to - from, from, to) !== 0) break;
    to = from;
  }
  for (let at = to - 1; at >= start; at--) if (bytes[at] !== 0) return at;
  return -1;
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

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
 * acknowledged txns (refuse: a wrong answer is worse than none). TailInspector has the rules.
 */

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
  assert(end > entryStart, 'log batch: a record without an entry', end, entryStart);
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
  /** The window is after the header of the file. */
  private isHeaderRead: boolean;
  /** No more chunks come. */
  private isEnded = false;
  /** Looks at the bytes after the last valid record; null while records are valid. */
  private inspector: TailInspector | null = null;
  /** The final item; null while entries may follow. */
  private last: LogItem | null = null;

  /**
   * @param maxEntryLength in bytes: jute.maxbuffer and its extra size
   * @param unsyncedLimit most bytes that a writer leaves unsynced (TailInspector); with 0, any
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
