import { ByteRange } from '../../jute/byte-range.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Effect } from '../effects.js';
import { RECORD_PREFIX_SIZE } from '../persistence/log-record.js';
import { beginEntry, endEntry } from '../persistence/txn-log.js';
import { type Txn, type TxnHead, writeTxn } from '../tree/txn.js';

/**
 * The records of one turn on their way to the log: they make one append. Those of the next turn go
 * behind them in the same memory, as long as there is room: what the committed log keeps of few
 * txns a turn would else be mostly empty memory.
 */
export class LogBatch {
  private readonly records = new OutputArchive(4096);
  /** Where this turn's records begin. */
  private from = 0;
  private firstZxid = 0n;
  /** Of the last txn that was ever added. */
  lastZxid: bigint;
  private lastStart = 0;

  constructor(lastZxid: bigint) {
    this.lastZxid = lastZxid;
  }

  /** Returns how many bytes of log the txn takes. */
  add(head: TxnHead, txn: Txn, digest: bigint | null): number {
    const start = this.begin(head.zxid);
    writeTxn(this.records, head, txn, digest);
    return this.end(start);
  }

  /** The same of an entry as another server wrote it. */
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

  /**
   * The entry that was added last. It stays as it is: the archive moves to new memory when it grows
   * or is taken, and leaves what was written where it stands.
   */
  lastEntry(): ByteRange {
    const { records, lastStart } = this;
    return new ByteRange(records.memory, lastStart + RECORD_PREFIX_SIZE, records.length - 1);
  }

  /** The append, when there is something to append. */
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
