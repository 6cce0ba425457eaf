import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Txn, TxnHead } from '../../../../src/files/txn.js';
import { ErrorCode } from '../../../../src/protocol/error-code.js';
import { OpCode } from '../../../../src/protocol/op-code.js';
import {
  ForwardedRequests,
  isMoved,
} from '../../../../src/server/quorum/learning/learner-pipeline.js';
import { Request } from '../../../../src/server/state/request.js';

const SESSION = 0x1234n;

function request(xid: number, type: number): Request {
  return new Request(null, SESSION, xid, type, 0);
}

function head(cxid: number, zxid: bigint): TxnHead {
  return { sessionId: SESSION, cxid, zxid, time: 0n };
}

const DELETE: Txn = { type: OpCode.delete, path: '/a' };
const SET_DATA: Txn = { type: OpCode.setData, path: '/a', data: '', version: 1 };
const REFUSED: Txn = { type: OpCode.error, err: ErrorCode.NONODE };

test('a txn answers the oldest request of its session, by number and type', () => {
  const forwarded = new ForwardedRequests();
  const first = request(1, OpCode.delete);
  const second = request(2, OpCode.setData);
  forwarded.push(first, 5n);
  forwarded.push(second, 5n);
  assert.is(forwarded.take(head(2, 6n), SET_DATA), undefined);
  assert.is(forwarded.take(head(1, 6n), SET_DATA), undefined);
  assert.is(forwarded.take(head(1, 6n), DELETE), first);
  assert.is(forwarded.take(head(2, 7n), REFUSED), second);
  assert.is(forwarded.length, 0);
});

test('a txn logged before the request was sent answers another process', () => {
  const forwarded = new ForwardedRequests();
  const own = request(1, OpCode.delete);
  forwarded.push(own, 8n);
  assert.is(forwarded.take(head(1, 8n), DELETE), undefined);
  assert.is(forwarded.take(head(1, 9n), DELETE), own);
});

test('only SESSIONMOVED reports that the session has moved', () => {
  assert.is(isMoved({ type: OpCode.error, err: ErrorCode.SESSIONMOVED }), true);
  assert.is(isMoved(REFUSED), false);
  assert.is(isMoved(DELETE), false);
});

test.run();
