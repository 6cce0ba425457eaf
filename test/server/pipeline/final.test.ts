import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Txn } from '../../../src/files/txn.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { FinalProcessor } from '../../../src/server/pipeline/final.js';
import { Request } from '../../../src/server/state/request.js';
import { ServerWorld } from '../server-world.js';

test('a multi of another server is applied to a tree that lacks its znodes', () => {
  // As after a snapshot that was written while later txns deleted them.
  const { server } = new ServerWorld();
  const txns: Txn[] = [
    { type: OpCode.setData, path: '/deleted', data: 'x', version: 1 },
    { type: OpCode.setData, path: '/', data: 'y', version: 1 },
  ];
  const head = { sessionId: 1n, cxid: 1, zxid: 9n, time: 0n };
  const request = new Request(null, 1n, 1, 0, 0);
  new FinalProcessor(server.state).process(request, head, { type: OpCode.multi, txns });
  assert.is(server.state.tree.dataAt('/'), 'y');
  assert.is(server.state.tree.lastProcessedZxid, 9n);
});

test('a multi that an Apache leader refused has no effect for its client', () => {
  // Apache logs the parts before the one that failed as they would have been.
  const world = new ServerWorld();
  const { id } = world.client();
  const { state } = world.server;
  const connection = state.connections.get(id) ?? null;
  const txns: Txn[] = [
    { type: OpCode.setData, path: '/', data: 'x', version: 1 },
    { type: OpCode.error, err: ErrorCode.NONODE },
    { type: OpCode.error, err: ErrorCode.RUNTIMEINCONSISTENCY },
  ];
  const zxid = state.tree.lastProcessedZxid + 1n;
  const head = { sessionId: 1n, cxid: 1, zxid, time: 0n };
  const request = new Request(connection, 1n, 7, OpCode.multi, 0);
  new FinalProcessor(state).process(request, head, { type: OpCode.multi, txns });
  assert.is(state.tree.dataAt('/'), '');
  const answer = connection?.out.view().subarray(-3 * 13 - 9);
  const errors = [0, 1, 2].map((part) => answer?.readInt32BE(part * 13 + 9));
  assert.equal(errors, [ErrorCode.OK, ErrorCode.NONODE, ErrorCode.RUNTIMEINCONSISTENCY]);
});

test.run();
