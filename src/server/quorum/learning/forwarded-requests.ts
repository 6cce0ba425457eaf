/**
 * Requests that the leader has not decided, and which of them a txn answers.
 *
 * A txn names only its session and the client's request number (cxid), as in Apache's
 * CommitProcessor. That is ambiguous when a session moves: a new client process counts from 1 again
 * while the old one's requests commit.
 */

import { LongMap } from '../../../base/long-map.js';
import type { Txn, TxnHead } from '../../../files/txn.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { Fifo } from '../../../protocol/fifo.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { Request } from '../../state/request.js';

export class ForwardedRequests {
  /** By session, in the order in which the leader decides them. */
  private readonly bySession = new LongMap<Fifo<Request>>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** @param lastLogged only txns after this one can answer the request */
  push(request: Request, lastLogged: bigint): void {
    request.sentAfter = lastLogged;
    const { sessionId } = request;
    let queue = this.bySession.get(sessionId);
    if (queue === undefined) {
      queue = new Fifo<Request>();
      this.bySession.set(sessionId, queue);
    }
    queue.push(request);
    this.count++;
  }

  /** Undefined if no client here sent the request of the txn. */
  take({ sessionId, cxid, zxid }: TxnHead, txn: Txn): Request | undefined {
    if (this.count === 0) return undefined;
    const queue = this.bySession.get(sessionId);
    const request = queue?.peek();
    if (queue === undefined || request === undefined) return undefined;
    const isAnswer =
      request.xid === cxid && zxid > request.sentAfter && isOfType(txn, request.type);
    if (!isAnswer) return undefined;
    queue.shift();
    if (queue.length === 0) this.bySession.delete(sessionId);
    this.count--;
    return request;
  }

  clear(): void {
    this.bySession.clear();
    this.count = 0;
  }
}

/** Another server has the session now, so no answer may be given here. */
export function isMoved(txn: Txn): boolean {
  return txn.type === OpCode.error && txn.err === ErrorCode.SESSIONMOVED;
}

function isOfType(txn: Txn, type: number): boolean {
  return txn.type === type || txn.type === OpCode.error;
}
