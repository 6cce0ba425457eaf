import { Watches } from './clients/watches.js';
import type { Ledger } from './ledger.js';
import { hex, Violation } from './violation.js';
import { CONFIG } from './znode-history.js';

/** What one session saw, over all of its connections. */
export interface Told {
  readonly id: bigint;
  lastZxid: bigint;
  readonly watches: Watches;
}

/** Checks the guarantees of clients for each response. */
export class History {
  private readonly ledger: Ledger;
  /** Sessions that more than one client has used. */
  readonly shared: Set<bigint>;
  private readonly sequential = new Set<string>();
  /** The newest write that any client has seen. */
  private lastAcknowledged = 0n;
  writes = 0;
  reads = 0;
  readOnlyReads = 0;
  /** Sessions that their clients closed. */
  closed = 0;
  events = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
    this.shared = ledger.shared;
  }

  newTold(id: bigint, lastZxid = 0n): Told {
    return { id, lastZxid, watches: new Watches(this.ledger) };
  }

  /** A write sent now must get a higher zxid than this. */
  get newest(): bigint {
    return this.lastAcknowledged;
  }

  /**
   * For any response: a session never goes back in time, and events come before the responses that
   * show the change.
   */
  answered(told: Told, zxid: bigint, isReadOnly: boolean): void {
    if (zxid < told.lastZxid) {
      throw new Violation(`a session went back from ${hex(told.lastZxid)} to ${hex(zxid)}`);
    }
    told.lastZxid = zxid;
    if (!isReadOnly) told.watches.answered(zxid);
  }

  isGlobal(told: Told): boolean {
    return this.ledger.isGlobal(told.id);
  }

  wrote(told: Told, cxid: number, zxid: bigint, sentAfter: bigint): void {
    this.writes++;
    this.ledger.acknowledged(told.id, cxid, zxid);
    if (zxid <= sentAfter) {
      throw new Violation(
        `a write has ${hex(zxid)} but was sent after ${hex(sentAfter)} was acknowledged`,
      );
    }
    if (zxid > this.lastAcknowledged) this.lastAcknowledged = zxid;
  }

  /** A session is closed at `zxid`, with all of its ephemerals. */
  closedSession(told: Told): void {
    this.closed++;
    const [left] = this.ledger.znodes.ephemeralsOf(told.id);
    if (left === undefined) return;
    throw new Violation(`session ${hex(told.id)} is closed but ${left} still exists`);
  }

  /** @param data null if the response says that the znode does not exist */
  read(path: string, zxid: bigint, mzxid: bigint, data: string | null): void {
    this.reads++;
    if (this.ledger.znodes.isUnseenBetween(zxid, zxid)) return;
    const expected = this.ledger.znodes.valueAt(path, zxid) ?? { zxid: 0n, data: null };
    if (data === null && expected.data === null) return;
    // No txn made the first configuration.
    if (path === CONFIG && expected.zxid === 0n) return;
    if (expected.zxid === mzxid && expected.data === data) return;
    const found = data === null ? 'no znode' : `the change of ${hex(mzxid)}`;
    const right = expected.data === null ? 'no znode' : `the change of ${hex(expected.zxid)}`;
    throw new Violation(`a read of ${path} at ${hex(zxid)} shows ${found} (expected ${right})`);
  }

  /** @param mzxid null if the response says that the znode does not exist */
  found(path: string, zxid: bigint, mzxid: bigint | null): void {
    const { data } = this.ledger.znodes.valueAt(path, zxid) ?? { data: null };
    this.read(path, zxid, mzxid ?? 0n, mzxid === null ? null : (data ?? ''));
  }

  listed(
    path: string,
    zxid: bigint,
    names: readonly string[],
    { numChildren, pzxid }: { readonly numChildren: number; readonly pzxid: bigint },
  ): void {
    this.reads++;
    const changed = this.ledger.znodes.pzxidAt(path, zxid);
    const isKnown = !this.ledger.znodes.isUnseenBetween(0n, zxid);
    if (numChildren !== names.length || (isKnown && pzxid !== changed)) {
      throw new Violation(
        `the Stat of ${path} at ${hex(zxid)} has ${numChildren} children and pzxid ${hex(pzxid)} (expected ${names.length} and ${hex(changed)})`,
      );
    }
    const expected = this.ledger.znodes.childrenAt(path, zxid)?.join(' ');
    const found = [...names].sort().join(' ');
    if (expected === undefined || expected === found) return;
    throw new Violation(
      `a list of ${path} at ${hex(zxid)} shows "${found}" (expected "${expected}")`,
    );
  }

  madeSequential(path: string): void {
    // After the highest number, the numbers repeat, as on Apache's servers.
    if (/2147483647$|-2\d{9}$/.test(path)) return;
    if (this.sequential.has(path)) throw new Violation(`${path} was created twice`);
    this.sequential.add(path);
  }
}
