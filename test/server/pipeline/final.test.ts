import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { FinalProcessor } from '../../../src/server/pipeline/final.js';
import { Request } from '../../../src/server/state/request.js';
import type { Txn } from '../../../src/server/tree/txn.js';
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
  assert.is(server.state.tree.get('/')?.data, 'y');
  assert.is(server.state.tree.lastProcessedZxid, 9n);
});

test.run();
