import { assert } from '../../base/assert.js';
import { type Txn, type TxnHead, writeTxn } from '../../files/txn.js';
import { beginEntry, endEntry, RECORD_PREFIX_SIZE } from '../../files/txn-log.js';
import { ByteRange } from '../../jute/byte-range.js';
import { isAbove } from '../../jute/long.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Effect } from '../effects.js';

/** No turn adds to more than this: each growth would copy and keep all earlier turns. */
const MAX_SHARED_SIZE = 64 * 1024;

/**
 * The log records of one turn, for one append. The next turn uses the rest of the same memory: with
 * few txns in each turn, the committed log would keep mostly empty memory alive.
 */
export class LogBatch {
  /** The records of this turn, after those of earlier turns that use the same memory. */
  private readonly records = new OutputArchive(4096);
  /** The offset in `records` of the first record of this turn, or of the next one to come. */
  private from = 0;
  /** The zxid of the first record of this turn; that of an earlier turn before it comes. */
  private firstZxid = 0n;
  /** The zxid of the last record that was added, in this turn or before; it only grows. */
  lastZxid: bigint;
  /** The offset in `records` of the last record, while it is one of this turn. */
  private lastStart = 0;

  constructor(lastZxid: bigint) {
    this.lastZxid = lastZxid;
  }

  /** Returns the size of the record in bytes. After an exception, the batch is as before. */
  add(head: TxnHead, txn: Txn, digest: bigint | null): number {
    const { records, firstZxid, lastZxid, lastStart } = this;
    const { length } = records;
    try {
      const start = this.begin(head.zxid);
      writeTxn(records, head, txn, digest);
      return this.end(start);
    } catch (error) {
      records.truncate(length);
      this.firstZxid = firstZxid;
      this.lastZxid = lastZxid;
      this.lastStart = lastStart;
      throw error;
    }
  }

  /** Adds an entry in another server's bytes. */
  addEntry(zxid: bigint, entry: Buffer): number {
    const start = this.begin(zxid);
    this.records.writeBytes(entry);
    return this.end(start);
  }

  private begin(zxid: bigint): number {
    const { records } = this;
    if (!isAbove(zxid, this.lastZxid)) assert(false, 'zxid order: logged', zxid, this.lastZxid);
    if (records.length < this.from) assert(false, 'log batch: records of an earlier turn are gone');
    if (records.length === this.from) this.firstZxid = zxid;
    this.lastZxid = zxid;
    this.lastStart = beginEntry(records);
    return this.lastStart;
  }

  private end(start: number): number {
    endEntry(this.records, start);
    const size = this.records.length - start;
    if (size <= RECORD_PREFIX_SIZE) assert(false, 'log batch: a record without an entry', size);
    return size;
  }

  /** The last added entry. Its bytes never change: a growing archive moves to new memory. */
  lastEntry(): ByteRange {
    const { records, lastStart } = this;
    if (lastStart < this.from)
      assert(false, 'log batch: the last record belongs to an earlier turn');
    if (records.length <= lastStart)
      assert(false, 'log batch: the last record is gone', this.lastZxid);
    return new ByteRange(records.memory, lastStart + RECORD_PREFIX_SIZE, records.length - 1);
  }

  /** The append of this turn, or undefined without records. */
  take(): Extract<Effect, { kind: 'append' }> | undefined {
    const { records, firstZxid, lastZxid } = this;
    if (records.length === this.from) return undefined;
    if (firstZxid > lastZxid) assert(false, 'zxid order: appended', firstZxid, lastZxid);
    const whenDurable = { kind: 'ack', zxid: lastZxid } as const;
    const bytes = records.view(this.from);
    if (bytes.length <= RECORD_PREFIX_SIZE)
      assert(false, 'log batch: an append without a record', lastZxid);
    this.from = records.length;
    const room = records.memory.length - records.length;
    if (room < bytes.length || records.length > MAX_SHARED_SIZE) {
      records.take();
      this.from = 0;
    }
    return { kind: 'append', bytes, firstZxid, lastZxid, whenDurable };
  }
}
