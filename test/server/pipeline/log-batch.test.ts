import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { LogBatch } from '../../../src/server/pipeline/log-batch.js';

for (const length of [50, 300, 5000, 300_000]) {
  test(`the records of turns with paths of ${length} characters do not gather in one memory`, () => {
    const batch = new LogBatch(0n);
    const path = `/${'x'.repeat(length)}`;
    const turns = Math.ceil(10_000_000 / (length + 100));
    let most = 0;
    for (let turn = 1; turn <= turns; turn++) {
      const head = { sessionId: 1n, cxid: turn, zxid: BigInt(turn), time: 0n };
      const size = batch.add(head, { type: OpCode.setData, path, data: null, version: 1 }, null);
      const append = batch.take();
      assert.is(append?.bytes.length, size);
      most = Math.max(most, append?.bytes.buffer.byteLength ?? 0);
    }
    assert.ok(most < 500_000 + 8 * length, `${most} bytes`);
  });
}

test.run();
