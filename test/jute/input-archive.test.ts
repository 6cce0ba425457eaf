import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../src/jute/input-archive.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

const INTS = [0, 1, -1, 127, 128, 255, 256, 0x7fff, 0x8000, 0x01020304, 0x7fff_ffff, -0x8000_0000];
const LONGS = [
  0n,
  1n,
  -1n,
  0xffff_ffffn,
  0x1_0000_0000n,
  -0x1_0000_0000n,
  (1n << 53n) + 1n,
  0x7fff_ffff_ffff_ffffn,
  -0x8000_0000_0000_0000n,
  -0x7fff_ffff_ffff_ffffn,
];

function archiveOf(build: (bytes: ByteBuilder) => ByteBuilder): InputArchive {
  return new InputArchive(build(new ByteBuilder()).build());
}

test('ints are signed and big-endian to their bounds', () => {
  for (const value of INTS) {
    const archive = archiveOf((bytes) => bytes.int(value));
    assert.is(archive.readInt(), value);
    assert.is(archive.remaining, 0);
  }
});

test('longs are exact for all 64 bits', () => {
  for (const value of LONGS) {
    const archive = archiveOf((bytes) => bytes.long(value));
    assert.is(archive.readLong(), value);
    assert.is(archive.remaining, 0);
  }
});

test('a byte is unsigned, and any but 0 is true', () => {
  const archive = new InputArchive(Buffer.from([0, 255, 0, 1, 2]));
  assert.equal([archive.readByte(), archive.readByte()], [0, 255]);
  assert.equal([archive.readBool(), archive.readBool(), archive.readBool()], [false, true, true]);
});

test('a buffer that is null is not one that is empty', () => {
  const archive = archiveOf((bytes) =>
    bytes
      .buffer(null)
      .buffer(Buffer.alloc(0))
      .buffer(Buffer.from([7])),
  );
  assert.is(archive.readBuffer(), null);
  assert.equal(archive.readBuffer(), Buffer.alloc(0));
  assert.equal(archive.readBuffer(), Buffer.from([7]));
});

test('a buffer is a view of the bytes, not a copy', () => {
  const bytes = new ByteBuilder().buffer(Buffer.from([1, 2])).build();
  const view = new InputArchive(bytes).readBuffer();
  bytes[4] = 9;
  assert.is(view?.[0], 9);
});

test('a string that is null is not one that is empty; all of UTF-8 is read', () => {
  for (const text of ['', 'a', 'ü', '中', '😀', '\u0000', 'a\uffffz']) {
    assert.is(archiveOf((bytes) => bytes.string(text)).readString(), text);
  }
  assert.is(archiveOf((bytes) => bytes.int(-1)).readString(), null);
});

test('a count is checked against what its elements take at least', () => {
  assert.is(archiveOf((bytes) => bytes.int(0)).readCount(1), 0);
  assert.is(archiveOf((bytes) => bytes.int(-1)).readCount(1), -1);
  assert.is(archiveOf((bytes) => bytes.int(2).long(0n)).readCount(4), 2);
  assert.throws(() => archiveOf((bytes) => bytes.int(3).long(0n)).readCount(4), /3 elements/);
  assert.throws(() => archiveOf((bytes) => bytes.int(-2)).readCount(4), /-2 elements/);
  assert.throws(() => archiveOf((bytes) => bytes.int(0x7fff_ffff)).readCount(1), /does not fit/);
});

for (const [what, size, read] of [
  ['byte', 1, (archive: InputArchive) => archive.readByte()],
  ['bool', 1, (archive: InputArchive) => archive.readBool()],
  ['int', 4, (archive: InputArchive) => archive.readInt()],
  ['long', 8, (archive: InputArchive) => archive.readLong()],
  ['count', 4, (archive: InputArchive) => archive.readCount(1)],
] as const) {
  test(`a ${what} that is cut off is refused, and nothing is consumed`, () => {
    for (let length = 0; length < size; length++) {
      const archive = new InputArchive(Buffer.alloc(length));
      assert.throws(
        () => read(archive),
        (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EJUTE',
      );
      assert.is(archive.at, 0);
    }
  });
}

test('a length that lies reads nothing beyond the end', () => {
  for (const length of [1, 5, 0x7fff_ffff, -2, -0x8000_0000]) {
    assert.throws(() => archiveOf((bytes) => bytes.int(length)).readBuffer(), /length|expected/);
    assert.throws(() => archiveOf((bytes) => bytes.int(length)).readString(), /length|expected/);
  }
});

test('the end is that of the record, not that of the memory', () => {
  const memory = new ByteBuilder().int(1).int(2).int(3).build();
  const archive = new InputArchive(memory, 4, 8);
  assert.is(archive.remaining, 4);
  assert.is(archive.readInt(), 2);
  assert.throws(() => archive.readInt(), /expected 4 bytes, found 0/);
  const cut = new InputArchive(new ByteBuilder().string('abc').build(), 0, 6);
  assert.throws(() => cut.readString(), /expected 3 bytes, found 2/);
});

test('one archive serves record after record', () => {
  const archive = new InputArchive(new ByteBuilder().int(1).build());
  assert.is(archive.readInt(), 1);
  const next = new ByteBuilder().long(0n).int(2).build();
  assert.is(archive.reset(next, 8, 12).readInt(), 2);
  assert.is(archive.remaining, 0);
});

test.run();
