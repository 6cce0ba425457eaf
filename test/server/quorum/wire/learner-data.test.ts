import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import {
  failingRequest,
  learnerInfo,
  readLearnerInfo,
  readRequest,
  readRevalidation,
  touchSessions,
} from '../../../../src/server/quorum/wire/quorum-packet.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';

function infoOf(sid: bigint): Buffer {
  return new ByteBuilder().long(sid).int(0x10000).long(0x5_0000_0007n).build();
}

test('a learner says its server id and the version of its configuration', () => {
  for (const [sid, isRead] of [
    [0n, true],
    [1n, true],
    [0x7fff_ffffn, true],
    [0x8000_0000n, false],
    [-1n, false],
  ] as const) {
    const info = readLearnerInfo(infoOf(sid));
    const expected = { sid: Number(sid), configVersion: 0x5_0000_0007n, isOfKeeper: false };
    assert.equal(info, isRead ? expected : undefined, `${sid}`);
  }
});

test("a learner with ClickHouse Keeper's dialect says so after what Apache's leader reads", () => {
  const info = { sid: 7, configVersion: 0x5_0000_0007n };
  const plain = learnerInfo({ ...info, isOfKeeper: false });
  assert.equal(plain, infoOf(7n));
  const said = learnerInfo({ ...info, isOfKeeper: true });
  assert.equal(said, Buffer.concat([plain, new ByteBuilder().int(1002).build()]));
  for (const [bytes, isOfKeeper] of [
    [said, true],
    [plain, false],
    [said.subarray(0, 23), false],
    [Buffer.concat([plain, Buffer.alloc(4)]), false],
  ] as const) {
    assert.is(readLearnerInfo(bytes)?.isOfKeeper, isOfKeeper);
  }
});

test('data of a learner that are too short are damaged, and longer ones are not', () => {
  for (const [read, length] of [
    [readLearnerInfo, 20],
    [readRequest, 16],
    [readRevalidation, 12],
  ] as const) {
    assert.is(read(null), undefined);
    assert.is(read(Buffer.alloc(length - 1)), undefined);
    assert.ok(read(Buffer.alloc(length)) !== undefined);
    assert.ok(read(Buffer.alloc(length + 1)) !== undefined);
  }
  const revalidation = new ByteBuilder().long(0x55n).int(4000).build();
  assert.equal(readRevalidation(revalidation), { sessionId: 0x55n, timeoutMs: 4000 });
});

test('the request that always fails deletes the root', () => {
  const request = readRequest(failingRequest(0x55n, 9));
  assert.equal([request?.sessionId, request?.cxid, request?.type], [0x55n, 9, OpCode.delete]);
  assert.equal([request?.input.readString(), request?.input.readInt()], ['/', -1]);
});

test('a ping touches each session that it names, and ignores an incomplete one', () => {
  const touched: string[] = [];
  const state = {
    monotonicMs: 77,
    sessions: {
      get: (id: bigint) => (id === 9n ? undefined : id),
      touch: (session: bigint, nowMs: number) => touched.push(`${session} at ${nowMs}`),
    },
  };
  const touch = (data: Buffer | null) => {
    touched.length = 0;
    touchSessions(state as never, data);
    return touched.join();
  };
  const data = new ByteBuilder().long(1n).int(4000).long(9n).int(4000).long(2n).int(4000).build();
  assert.is(touch(data), '1 at 77,2 at 77');
  assert.is(touch(data.subarray(0, 35)), '1 at 77');
  assert.is(touch(data.subarray(0, 12)), '1 at 77');
  assert.is(touch(data.subarray(0, 11)), '');
  assert.is(touch(null), '');
});

test.run();
