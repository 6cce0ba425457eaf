/**
 * Where a log stops making sense: is it its end, a write that a crash cut short, or decay?
 *
 * What a crash can do. Writers append to a preallocated file full of zeros and acknowledge nothing
 * before fdatasync, one batch at a time. So what a crash damages lies in the last, unsynced batch,
 * and there every 512-byte sector holds either all that was written or what was there before:
 * zeros. A process that is killed leaves a prefix of the batch; a machine that loses power may
 * leave the later sectors of a batch and not the earlier ones.
 *
 * ```
 *   … good record | record, damaged at D       | record | 0 0 0 …
 *                 |sector with data|0 0 0 0 0 0 0|data |
 *                                   ^ never written: a "missing sector"
 * ```
 *
 * What a crash cannot do is change a byte into another that is not zero, or damage a record none of
 * whose sectors is missing. Hence the rule, for the first record at D that does not check:
 *
 * 1. Only zeros from D on, or nothing: the log ends there, in order.
 * 2. The length lies: the checksum of the record fits a shorter or the true length, with 'B' behind
 *    it. Corrupt. (Or a flipped bit in a length would swallow the records behind it as "torn".)
 * 3. Nothing but zeros behind the record, and its last byte was never written (zero, or beyond the
 *    end of the file): torn.
 * 4. One of the record's sectors is missing, and all that follows lies within what one unsynced
 *    batch can be (`unsyncedLimit`): torn. Later records that still check belong to the same
 *    batch; they were no more acknowledged than this one.
 * 5. All else is corrupt: a complete record whose checksum is wrong, a strange length, an end that
 *    is neither 'B' nor zero, damage with acknowledged records behind it.
 *
 * A record that was acknowledged, decays, and happens to hold a whole sector of zeros as data
 * within the last batch's reach is taken for torn; nothing in the format tells the two apart.
 * etcd's write-ahead log tells torn writes by the same sign.
 */

import { adler32 } from '../base/checksum.js';
import type { ByteWindow } from './byte-window.js';
import { END_OF_RECORD, RECORD_PREFIX_SIZE, TXN_HEADER_SIZE } from './log-record.js';

export type TailVerdict =
  | { readonly kind: 'end'; readonly offset: number }
  | { readonly kind: 'torn'; readonly offset: number; readonly reason: string }
  | { readonly kind: 'corrupt'; readonly offset: number; readonly reason: string };

/** The smallest piece that a disk writes whole. */
const SECTOR_SIZE = 512;
/** More than any writer leaves unsynced: Apache syncs after 1000 requests at the latest. */
export const DEFAULT_UNSYNCED_LIMIT = 4 * 1024 * 1024;

const ZEROS = Buffer.alloc(64 * 1024);

/** What the first record that does not check looks like; places are offsets in the file. */
interface Damage {
  readonly reason: string;
  /** No cut can have made it, wherever it fell. */
  readonly isImpossible: boolean;
  /** Its length is wrong: the record checks with another one. */
  readonly isLengthWrong: boolean;
  /** Its last byte was written. */
  readonly isEndWritten: boolean;
  /** One of its sectors was never written. */
  readonly isSectorMissing: boolean;
  /** Where it ends by its own word. */
  readonly end: number;
}

/** Looks at everything from the first record that does not check to the end of the file. */
export class TailInspector {
  private readonly offset: number;
  private readonly maxEntryLength: number;
  private readonly unsyncedLimit: number;
  private damage: Damage | null = null;
  /** Behind the last byte that is not zero; 0 when there is none. */
  private written = 0;

  constructor(offset: number, maxEntryLength: number, unsyncedLimit = DEFAULT_UNSYNCED_LIMIT) {
    this.offset = offset;
    this.maxEntryLength = maxEntryLength;
    this.unsyncedLimit = unsyncedLimit;
  }

  /** Takes what the window holds; null asks for more. */
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

/**
 * Where the record at the window's start ends by its own word, or its prefix when that is absurd.
 */
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
    return { ...common, isImpossible: true, reason: 'the checksum takes more than 32 bits' };
  }
  if (available < RECORD_PREFIX_SIZE) {
    return { ...common, isImpossible: false, reason: 'the file ends inside a record' };
  }
  const length = lengthIn(window);
  if (length === 0) {
    return { ...common, isImpossible: false, reason: 'a record without a length' };
  }
  if (length < TXN_HEADER_SIZE || length > maxEntryLength) {
    const reason = `expected a length of ${TXN_HEADER_SIZE} to ${maxEntryLength}, found ${length}`;
    // Half a length is smaller than the whole one, and never negative.
    const isImpossible = length < 0 || length > maxEntryLength || !isSectorMissing;
    return { ...common, isImpossible, reason };
  }
  return { ...common, isImpossible: false, ...describeEntry(window, length) };
}

function describeEntry(window: ByteWindow, length: number) {
  const { bytes, at, available } = window;
  const trueLength = checkedLength(window);
  if (trueLength >= 0 && trueLength !== length) {
    const reason = `the length is ${length}, but the record checks with ${trueLength}`;
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
      : `expected 'B' behind the record, found 0x${endOfRecord?.toString(16)}`
    : 'a record that was not written to its end';
  return { isLengthWrong: false, isEndWritten, reason };
}

/** The length with which the record checks and ends in 'B', or -1. */
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

/** Is one of the sectors that the record lies in all zeros from the record's start on? */
function hasMissingSector(window: ByteWindow, recordEnd: number): boolean {
  const { offset, at, bytes } = window;
  const fileEnd = offset + window.available;
  let from = offset;
  while (from < recordEnd && from < fileEnd) {
    const to = Math.min(roundUp(from + 1, SECTOR_SIZE), fileEnd);
    // The upper half of a checksum is zero by right.
    const isTelling = to > offset + 4;
    if (isTelling && lastNonZero(bytes, at + from - offset, at + to - offset) < 0) return true;
    from = to;
  }
  return false;
}

/** The place of the last byte of the range that is not zero, or -1. */
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
