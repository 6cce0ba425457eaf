import { OutputArchive } from '../jute/output-archive.js';
import type { Effect } from './effects.js';
import { beginEntry, endEntry } from './persistence/txn-log.js';
import { type Txn, type TxnHead, writeTxn } from './tree/txn.js';

/** The records of one turn on their way to the log: they make one append. */
export class LogBatch {
  private readonly records = new OutputArchive(4096);
  private firstZxid = 0n;
  /** Of the last txn that was ever added. */
  lastZxid: bigint;

  constructor(lastZxid: bigint) {
    this.lastZxid = lastZxid;
  }

  /** Returns how many bytes of log the txn takes. */
  add(head: TxnHead, txn: Txn, digest: bigint | null): number {
    const { records } = this;
    if (records.length === 0) this.firstZxid = head.zxid;
    this.lastZxid = head.zxid;
    const start = beginEntry(records);
    writeTxn(records, head, txn, digest);
    endEntry(records, start);
    return records.length - start;
  }

  /** The append, when there is something to append. */
  take(): Extract<Effect, { kind: 'append' }> | undefined {
    const { firstZxid, lastZxid } = this;
    if (this.records.length === 0) return undefined;
    const whenDurable = { kind: 'ack', zxid: lastZxid } as const;
    return { kind: 'append', bytes: this.records.take(), firstZxid, lastZxid, whenDurable };
  }
}
