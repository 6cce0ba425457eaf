import type { Txn, TxnHead } from '../../src/files/txn.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { SYNC_LIMIT, TICK_MS } from './nodes/peer-parts.js';
import { hex, Violation } from './violation.js';

/** A follower answers a ping, and loses its leader before it can report the session. */
const UNREPORTED_MS = (SYNC_LIMIT + 3) * TICK_MS;
/** The clock of a leader may be so much too fast. */
const CLOCK_RATE = 1.1;

/** A leader expires no session whose client was heard within its timeout. */
export class ExpiryJudge {
  private readonly now: () => number;
  private readonly provenMs = new Map<bigint, number>();

  constructor(now: () => number) {
    this.now = now;
  }

  proven(sessionId: bigint, sentMs: number): void {
    const known = this.provenMs.get(sessionId) ?? 0;
    this.provenMs.set(sessionId, Math.max(known, sentMs));
  }

  /** @param timeoutMs undefined if no txn opened the session */
  judge({ sessionId, cxid, zxid }: TxnHead, txn: Txn, timeoutMs: number | undefined): void {
    if (txn.type !== OpCode.closeSession || cxid !== 0 || timeoutMs === undefined) return;
    const silentMs = this.now() - (this.provenMs.get(sessionId) ?? Number.NEGATIVE_INFINITY);
    if (silentMs >= timeoutMs / CLOCK_RATE - UNREPORTED_MS) return;
    throw new Violation(
      `${hex(zxid)} expires session ${hex(sessionId)}, heard ${Math.round(silentMs)} ms ago (its timeout is ${timeoutMs} ms)`,
    );
  }
}
