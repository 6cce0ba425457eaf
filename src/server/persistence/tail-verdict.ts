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

import { adler32 } from '../base/checksum.js';
import type { ByteWindow } from './byte-window.js';
import { END_OF_RECORD, RECORD_PREFIX_SIZE, TXN_HEADER_SIZE } from './log-record.js';

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

export class TailInspector {
  private readonly offset: number;
  private readonly maxEntryLength: number;
  private readonly unsyncedLimit: number;
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
