import { ErrorCode } from '../../src/protocol/error-code.js';
import type { Reply } from '../model/replies.js';
import { Watches } from './clients/watches.js';
import type { Ledger } from './ledger.js';
import { ReadJudge } from './read-judge.js';
import type { Author, SentWrite } from './requests-sent.js';
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

  readonly judge: ReadJudge;

  constructor(ledger: Ledger) {
    this.judge = new ReadJudge(ledger);
    this.ledger = ledger;
    this.shared = ledger.shared;
  }

  /** A client connects with its session, or without one. Returns the number of the connection. */
  connects(told: Told): number {
    return told.id === 0n ? 1 : this.ledger.sent.connects(told.id);
  }

  welcomed(
    told: Told,
    welcome: { readonly connection: number; readonly at: number },
    lastProposed: bigint,
  ): void {
    this.ledger.sent.welcomed(told.id, welcome, lastProposed);
  }

  sent(told: Told, cxid: number, write: Omit<SentWrite, 'after'>): void {
    this.ledger.sent.sent(told.id, cxid, { ...write, after: this.ledger.last });
  }

  newTold(id: bigint, author: Author, lastZxid = 0n): Told {
    return { id, lastZxid, watches: new Watches(this.ledger, author) };
  }

  /** The timeout of a session by its txn; undefined for a local one. */
  timeoutOf(id: bigint): number | undefined {
    const { state } = this.ledger;
    return state.isOpen(id) ? state.sessions.get(id)?.timeoutMs : undefined;
  }

  /** The server answered a request of the session that was sent at this time. */
  proven(told: Told, sentMs: number): void {
    this.ledger.expiry.proven(told.id, sentMs);
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

  /** A write was answered: the reply is that of its txn. */
  replied(told: Told, cxid: number, zxid: bigint, found: Reply): void {
    const expected = this.ledger.replyTo(told.id, cxid, zxid);
    if (expected === undefined) return;
    // A server knows better than the txn why a local session has no ephemerals.
    if (inSpiteOfLocality(found) === inSpiteOfLocality(expected)) return;
    const texts = [found, expected].map(({ err, body }) => `${err} ${body.toString('hex')}`);
    throw new Violation(`a write at ${hex(zxid)} is answered ${texts[0]} (expected ${texts[1]})`);
  }

  /** A sync shows all writes that any client saw acknowledged before it. */
  synced(zxid: bigint, sentAfter: bigint): void {
    if (zxid >= sentAfter) return;
    throw new Violation(`a sync at ${hex(zxid)} was sent after ${hex(sentAfter)} was acknowledged`);
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
    this.named(path, zxid, names);
  }

  /** A response has the names of the children. */
  named(path: string, zxid: bigint, names: readonly string[]): void {
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

const LOCAL = Buffer.alloc(4);
LOCAL.writeInt32BE(ErrorCode.EPHEMERALONLOCALSESSION);
const EXPIRED = Buffer.alloc(4);
EXPIRED.writeInt32BE(ErrorCode.SESSIONEXPIRED);

function inSpiteOfLocality({ err, body }: Reply): string {
  const known = err === ErrorCode.EPHEMERALONLOCALSESSION ? ErrorCode.SESSIONEXPIRED : err;
  return `${known} ${body.toString('hex').replaceAll(LOCAL.toString('hex'), EXPIRED.toString('hex'))}`;
}
