import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LongMap } from '../../../../src/base/long-map.js';
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

test('a session has its own requests', () => {
  const forwarded = new ForwardedRequests();
  assert.is(forwarded.take(head(1, 6n), DELETE), undefined);
  forwarded.push(request(1, OpCode.delete), 5n);
  forwarded.push(request(1, OpCode.delete), 5n);
  assert.is(forwarded.length, 2);
  assert.is(forwarded.take({ ...head(1, 6n), sessionId: 0x99n }, DELETE), undefined);
  assert.ok(forwarded.take(head(1, 6n), DELETE) !== undefined);
  assert.is(forwarded.length, 1);
});

test('nothing is kept of a session without requests', () => {
  const forwarded = new ForwardedRequests();
  const { bySession } = forwarded as unknown as { bySession: LongMap<unknown> };
  for (const xid of [1, 2]) forwarded.push(request(xid, OpCode.delete), 5n);
  forwarded.take(head(1, 6n), DELETE);
  assert.ok(bySession.get(SESSION) !== undefined);
  forwarded.take(head(2, 7n), DELETE);
  assert.is(bySession.get(SESSION), undefined);
});

test('only SESSIONMOVED reports that the session has moved', () => {
  assert.is(isMoved({ type: OpCode.error, err: ErrorCode.SESSIONMOVED }), true);
  assert.is(isMoved(REFUSED), false);
  assert.is(isMoved(DELETE), false);
});

test.run();
