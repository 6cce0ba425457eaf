import { hex, type Ledger, Violation } from './ledger.js';

/** What one session was told, over all of its connections. */
export interface Told {
  readonly id: bigint;
  lastZxid: bigint;
  /** Armed watches, by kind and path, with the zxid that they were armed at. */
  readonly watches: Map<string, { readonly path: string; readonly isChild: boolean; zxid: bigint }>;
}

/** The guarantees that clients have, checked as each answer comes. */
export class History {
  private readonly ledger: Ledger;
  private readonly sequential = new Set<string>();
  /** The newest write that anybody was told of. */
  private lastAcknowledged = 0n;
  writes = 0;
  reads = 0;
  readOnlyReads = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** What an answer to a request that is sent now must be newer than, if it is a write. */
  get newest(): bigint {
    return this.lastAcknowledged;
  }

  /** Any answer: a session never goes back in time, and events come before what they tell of. */
  answered(told: Told, zxid: bigint): void {
    if (zxid < told.lastZxid) {
      throw new Violation(`a session went back from ${hex(told.lastZxid)} to ${hex(zxid)}`);
    }
    told.lastZxid = zxid;
    for (const { path, isChild, zxid: armed } of told.watches.values()) {
      const change = isChild
        ? this.ledger.childrenChanged(path, armed, zxid)
        : this.ledger.changed(path, armed, zxid);
      if (change === undefined) continue;
      throw new Violation(
        `an answer at ${hex(zxid)} came before the event of ${path}, which changed at ${hex(change)}`,
      );
    }
  }

  wrote(told: Told, cxid: number, zxid: bigint, sentAfter: bigint): void {
    this.writes++;
    this.ledger.acknowledged(told.id, cxid, zxid);
    if (zxid <= sentAfter) {
      throw new Violation(
        `a write has ${hex(zxid)}, and was sent after ${hex(sentAfter)} was acknowledged`,
      );
    }
    if (zxid > this.lastAcknowledged) this.lastAcknowledged = zxid;
  }

  read(path: string, zxid: bigint, mzxid: bigint, data: string): void {
    this.reads++;
    const expected = this.ledger.valueAt(path, zxid);
    if (expected === undefined || (expected.zxid === mzxid && expected.data === data)) return;
    throw new Violation(
      `a read of ${path} at ${hex(zxid)} shows ${hex(mzxid)}, and ${hex(expected.zxid)} was there`,
    );
  }

  madeSequential(path: string): void {
    if (this.sequential.has(path)) throw new Violation(`${path} was made twice`);
    this.sequential.add(path);
  }
}
