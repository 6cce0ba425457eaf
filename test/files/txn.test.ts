import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTxn, type Txn, writeTxn } from '../../src/files/txn.js';
import { JuteError } from '../../src/jute/jute-error.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ByteBuilder, buildEntry } from '../support/bytes/zk-files.js';

// Current txns of every kind are in apache-files.test.ts; here are the forms that old and odd
// servers wrote.

const HEAD = {
  sessionId: 0x1000n,
  cxid: 1,
  zxid: 7n,
  time: 1_700_000_000_000n,
};
const DIGEST = -9n;

function entry(type: number, body: ByteBuilder): Buffer {
  return buildEntry({ zxid: 7n, type, body: body.build() });
}

function withDigest(builder: ByteBuilder): ByteBuilder {
  return builder.int(2).long(DIGEST);
}

const CREATE_V0 = () =>
  new ByteBuilder()
    .string('/a')
    .buffer(null)
    .int(1)
    .int(31)
    .string('world')
    .string('anyone')
    .byte(1);
const ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

for (const [name, bytes, txn, digest] of [
  [
    'a create of 3.3, without parentCVersion',
    entry(OpCode.create, CREATE_V0()),
    {
      type: OpCode.create,
      path: '/a',
      data: null,
      acl: ACL,
      isEphemeral: true,
      parentCVersion: -1,
      ttl: 0n,
    },
    null,
  ],
  [
    'a create with parentCVersion',
    entry(OpCode.create2, CREATE_V0().int(4)),
    {
      type: OpCode.create2,
      path: '/a',
      data: null,
      acl: ACL,
      isEphemeral: true,
      parentCVersion: 4,
      ttl: 0n,
    },
    null,
  ],
  [
    'a closeSession of 3.5, without anything',
    entry(OpCode.closeSession, new ByteBuilder()),
    { type: OpCode.closeSession, paths: null },
    null,
  ],
  [
    'a closeSession with a digest and no paths (closeSessionTxn.enabled=false)',
    entry(OpCode.closeSession, withDigest(new ByteBuilder())),
    { type: OpCode.closeSession, paths: null },
    DIGEST,
  ],
  [
    'a closeSession with an empty list and a digest',
    entry(OpCode.closeSession, withDigest(new ByteBuilder().int(0))),
    { type: OpCode.closeSession, paths: [] },
    DIGEST,
  ],
  [
    'a closeSession of two short paths and no digest',
    entry(OpCode.closeSession, new ByteBuilder().int(2).string('/a').string('/b')),
    { type: OpCode.closeSession, paths: ['/a', '/b'] },
    null,
  ],
  [
    'a check on its own, which 3.8.0 logs (ZOOKEEPER-2623)',
    entry(OpCode.check, new ByteBuilder().string('/a').int(3)),
    { type: OpCode.check, path: '/a', version: 3 },
    null,
  ],
  [
    'a multi that failed: errors only',
    entry(
      OpCode.multi,
      new ByteBuilder()
        .int(1)
        .int(-1)
        .buffer(Buffer.from([255, 255, 255, 155])),
    ),
    { type: OpCode.multi, txns: [{ type: OpCode.error, err: -101 }] },
    null,
  ],
  [
    'a reconfig',
    entry(OpCode.reconfig, new ByteBuilder().string('/zookeeper/config').buffer(null).int(-1)),
    { type: OpCode.reconfig, path: '/zookeeper/config', data: null, version: -1 },
    null,
  ],
] as [string, Buffer, Txn, bigint | null][]) {
  test(`${name} is read`, () => {
    assert.equal(readTxn(bytes), { head: HEAD, txn, digest });
    if (bytes.equals(entry(OpCode.create, CREATE_V0()))) return;
    const out = new OutputArchive();
    writeTxn(out, HEAD, txn, digest);
    assert.equal(out.take(), bytes);
  });
}

test('entries that no server writes are refused', () => {
  for (const bytes of [
    entry(OpCode.getData, new ByteBuilder().string('/a').byte(0)),
    entry(OpCode.multi, new ByteBuilder().int(1).int(OpCode.multi).buffer(Buffer.alloc(4))),
    entry(OpCode.delete, new ByteBuilder().int(100)),
    Buffer.alloc(10),
  ]) {
    assert.throws(
      () => readTxn(bytes),
      (error: unknown) => error instanceof JuteError,
    );
  }
});

test.run();
