import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

function written(write: (out: OutputArchive) => void): Buffer {
  const out = new OutputArchive(1);
  write(out);
  return out.take();
}

test('ints and longs are big-endian to their bounds', () => {
  for (const value of [0, 1, -1, 255, 256, 0x01020304, 0x7fff_ffff, -0x8000_0000]) {
    assert.equal(
      written((out) => out.writeInt(value)),
      new ByteBuilder().int(value).build(),
    );
  }
  for (const value of [
    0n,
    -1n,
    0x0102_0304_0506_0708n,
    0xffff_ffffn,
    0x7fff_ffff_ffff_ffffn,
    -0x8000_0000_0000_0000n,
  ]) {
    assert.equal(
      written((out) => out.writeLong(value)),
      new ByteBuilder().long(value).build(),
    );
  }
});

test('a long beyond 63 bits is written as its 64 bits', () => {
  assert.equal(
    written((out) => out.writeLong(0xffff_ffff_ffff_fffen)),
    new ByteBuilder().long(-2n).build(),
  );
});

test('a long may be given as its halves', () => {
  assert.equal(
    written((out) => out.writeLongParts(0x01020304, -1)),
    new ByteBuilder().int(0x01020304).int(-1).build(),
  );
});

test('bytes and booleans are one byte', () => {
  const bytes = written((out) => {
    out.writeByte(0);
    out.writeByte(255);
    out.writeBool(true);
    out.writeBool(false);
  });
  assert.equal(bytes, Buffer.from([0, 255, 1, 0]));
});

test('null and empty differ, of buffers, strings and latin1 data', () => {
  const nothing = new ByteBuilder().int(-1).build();
  const empty = new ByteBuilder().int(0).build();
  assert.equal(
    written((out) => out.writeBuffer(null)),
    nothing,
  );
  assert.equal(
    written((out) => out.writeBuffer(Buffer.alloc(0))),
    empty,
  );
  assert.equal(
    written((out) => out.writeString(null)),
    nothing,
  );
  assert.equal(
    written((out) => out.writeString('')),
    empty,
  );
  assert.equal(
    written((out) => out.writeLatin1(null)),
    nothing,
  );
  assert.equal(
    written((out) => out.writeLatin1('')),
    empty,
  );
});

test('strings are UTF-8 however many bytes a character takes', () => {
  for (const text of ['a', 'ü', '中', '😀', 'aü中😀', 'x'.repeat(5000), '中'.repeat(5000)]) {
    assert.equal(
      written((out) => out.writeString(text)),
      new ByteBuilder().string(text).build(),
    );
  }
});

test('latin1 data is one byte a character, all 256 of them', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  assert.equal(
    written((out) => out.writeLatin1(bytes.toString('latin1'))),
    new ByteBuilder().buffer(bytes).build(),
  );
});

test('memory grows under every write, and the written bytes stay', () => {
  const out = new OutputArchive(1);
  const expected = new ByteBuilder();
  for (let i = 0; i < 300; i++) {
    out.writeInt(i);
    out.writeLong(BigInt(i) << 32n);
    out.writeString('s'.repeat(i));
    out.writeBuffer(Buffer.alloc(i, i));
    expected
      .int(i)
      .long(BigInt(i) << 32n)
      .string('s'.repeat(i))
      .buffer(Buffer.alloc(i, i));
  }
  assert.is(out.length, expected.build().length);
  assert.equal(out.view(), expected.build());
  assert.equal(out.take(), expected.build());
});

test('shared bytes are given on as they are, and never written over', () => {
  const shared = Buffer.from([1, 2, 3, 4]);
  const original = Buffer.from(shared);
  const out = new OutputArchive();
  out.writeShared(shared);
  assert.is(out.take().buffer, shared.buffer, 'no copy');
  out.writeShared(shared);
  out.writeInt(7);
  out.writeShared(shared);
  assert.equal(out.take(), Buffer.concat([original, Buffer.from([0, 0, 0, 7]), original]));
  for (const dropAll of [() => out.truncate(0), () => out.reset()]) {
    out.writeShared(shared);
    dropAll();
    out.writeInt(9);
    assert.equal(out.take(), Buffer.from([0, 0, 0, 9]));
  }
  out.writeShared(shared);
  out.truncate(2);
  out.writeByte(9);
  assert.equal(out.take(), Buffer.from([1, 2, 9]));
  assert.equal(shared, original);
});

test('taken bytes are never written over', () => {
  const out = new OutputArchive(64);
  out.writeInt(1);
  const first = out.take();
  out.writeInt(2);
  out.writeInt(3);
  assert.equal(first, new ByteBuilder().int(1).build());
  assert.equal(out.take(), new ByteBuilder().int(2).int(3).build());
  assert.is(out.length, 0);
  assert.equal(out.take(), Buffer.alloc(0));
});

test('a hole is filled in later', () => {
  const out = new OutputArchive(1);
  out.writeByte(9);
  const at = out.skip(4);
  out.writeString('abc');
  out.patchInt(at, -7);
  assert.equal(out.take(), new ByteBuilder().byte(9).int(-7).string('abc').build());
});

test('the last bytes can be dropped, and all of it', () => {
  const out = new OutputArchive(16);
  out.writeInt(1);
  const end = out.length;
  out.writeInt(2);
  out.truncate(end);
  assert.equal(out.view(), new ByteBuilder().int(1).build());
  assert.equal(out.view(2), Buffer.from([0, 1]));
  out.reset();
  assert.is(out.length, 0);
  out.writeInt(3);
  assert.equal(out.take(), new ByteBuilder().int(3).build());
});

test('runs and bytes are copied', () => {
  const from = Buffer.from([1, 2, 3, 4, 5]);
  const out = new OutputArchive(1);
  out.writeRun(from, 1, 3);
  out.writeBytes(from.subarray(4));
  from.fill(0);
  assert.equal(out.take(), Buffer.from([2, 3, 4, 5]));
});

test('the memory is the written bytes and room after them', () => {
  const out = new OutputArchive(32);
  out.writeInt(5);
  assert.equal(out.memory.subarray(0, out.length), new ByteBuilder().int(5).build());
});

test('one huge turn does not make the next one allocate as much', () => {
  const out = new OutputArchive(16);
  out.writeBytes(Buffer.alloc(4 * 1024 * 1024));
  out.take();
  out.writeByte(1);
  assert.ok(out.memory.length <= 256 * 1024);
});

test('words go to the right archive, wherever its memory begins', () => {
  const from = new DataView(Uint8Array.from([9, 9, 1, 2, 3, 4, 250, 6, 7, 8]).buffer);
  const archives = [new OutputArchive(16), new OutputArchive(16), new OutputArchive(16)];
  for (let turn = 0; turn < 3; turn++) {
    for (const out of archives) {
      out.writeByte(turn);
      out.writeWords(from, 2, 2);
    }
  }
  const expected = [0, 1, 2].flatMap((turn) => [turn, 1, 2, 3, 4, 250, 6, 7, 8]);
  for (const out of archives) assert.equal([...out.take()], expected);
});

test.run();
