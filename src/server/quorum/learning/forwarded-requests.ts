/**
 * What this learner's clients asked for and its leader has not decided: which of them a committed
 * txn answers.
 *
 * A txn names no more than its session and the client's number for the request (its cxid), as in
 * Apache's CommitProcessor. That is not enough where a session moves: a process that takes one over
 * counts from 1 again, while requests of the process before it are still being committed.
 */
import { ErrorCode } from '../../../protocol/error-code.js';
import { Fifo } from '../../../protocol/fifo.js';
import { OpCode } from '../../../protocol/op-code.js';
import { LongMap } from '../../base/long-map.js';
import type { Request } from '../../state/request.js';
import type { Txn, TxnHead } from '../../tree/txn.js';

export class ForwardedRequests {
  /** By session, in the order in which the leader decides them. */
  private readonly bySession = new LongMap<Fifo<Request>>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** @param lastLogged no txn up to this one can be its answer */
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

  /** Takes the request that the txn answers; undefined where no client here asked for it. */
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

/** Another server has the session now, or the txn is that server's: no answer may be given here. */
export function isMoved(txn: Txn): boolean {
  return txn.type === OpCode.error && txn.err === ErrorCode.SESSIONMOVED;
}

function isOfType(txn: Txn, type: number): boolean {
  return txn.type === type || txn.type === OpCode.error;
}
