import { type Txn, type TxnHead, writeTxn } from '../../files/txn.js';
import { beginEntry, endEntry, RECORD_PREFIX_SIZE } from '../../files/txn-log.js';
import { ByteRange } from '../../jute/byte-range.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Effect } from '../effects.js';

/**
 * The log records of one turn, for one append. The next turn uses the rest of the same memory: with
 * few txns in each turn, the committed log would keep mostly empty memory alive.
 */
export class LogBatch {
  private readonly records = new OutputArchive(4096);
  private from = 0;
  private firstZxid = 0n;
  lastZxid: bigint;
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
    if (records.length === this.from) this.firstZxid = zxid;
    this.lastZxid = zxid;
    this.lastStart = beginEntry(records);
    return this.lastStart;
  }

  private end(start: number): number {
    endEntry(this.records, start);
    return this.records.length - start;
  }

  /** The last added entry. Its bytes never change: a growing archive moves to new memory. */
  lastEntry(): ByteRange {
    const { records, lastStart } = this;
    return new ByteRange(records.memory, lastStart + RECORD_PREFIX_SIZE, records.length - 1);
  }

  /** The append of this turn, or undefined without records. */
  take(): Extract<Effect, { kind: 'append' }> | undefined {
    const { records, firstZxid, lastZxid } = this;
    if (records.length === this.from) return undefined;
    const whenDurable = { kind: 'ack', zxid: lastZxid } as const;
    const bytes = records.view(this.from);
    this.from = records.length;
    if (records.memory.length - records.length < bytes.length) {
      records.take();
      this.from = 0;
    }
    return { kind: 'append', bytes, firstZxid, lastZxid, whenDurable };
  }
}
