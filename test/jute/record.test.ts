import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import {
  bool,
  buffer,
  int,
  long,
  nullable,
  record,
  type Type,
  ustring,
  vector,
} from '../../src/jute/record.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

function encoded<T>(type: Type<T>, value: T): Buffer {
  const out = new OutputArchive();
  type.write(out, value);
  return out.take();
}

function decoded<T>(type: Type<T>, bytes: Buffer): T {
  return type.read(new InputArchive(bytes));
}

function checkBoth<T>(type: Type<T>, value: T, bytes: Buffer): void {
  assert.equal(encoded(type, value), bytes);
  assert.equal(decoded(type, bytes), value);
  assert.ok(bytes.length >= type.minSize, `${type.name} takes ${type.minSize} bytes at least`);
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decoded(type, bytes.subarray(0, length)), `cut at ${length}`);
  }
}

test('every type is written and read, and refused when it is cut off', () => {
  const build = (): ByteBuilder => new ByteBuilder();
  checkBoth(int, -5, build().int(-5).build());
  checkBoth(long, -5n, build().long(-5n).build());
  checkBoth(bool, true, build().bool(true).build());
  checkBoth(buffer, null, build().buffer(null).build());
  checkBoth(buffer, Buffer.alloc(0), build().buffer(Buffer.alloc(0)).build());
  checkBoth(
    buffer,
    Buffer.from([1, 2]),
    build()
      .buffer(Buffer.from([1, 2]))
      .build(),
  );
  checkBoth(ustring, '', build().string('').build());
  checkBoth(ustring, 'ü', build().string('ü').build());
  checkBoth(vector(int), [], build().int(0).build());
  checkBoth(vector(int), [1, 2], build().int(2).int(1).int(2).build());
  checkBoth(vector(ustring), ['', 'a'], build().int(2).string('').string('a').build());
  checkBoth(vector(vector(bool)), [[true], []], build().int(2).int(1).bool(true).int(0).build());
});

test('a buffer that was read is safe to keep', () => {
  const bytes = new ByteBuilder().buffer(Buffer.from([1])).build();
  const kept = decoded(buffer, bytes);
  bytes.fill(0);
  assert.equal(kept, Buffer.from([1]));
});

test('a null string is refused, a null vector is empty', () => {
  const nothing = new ByteBuilder().int(-1).build();
  assert.throws(() => decoded(ustring, nothing), /expected a string, found null/);
  assert.equal(decoded(vector(int), nothing), []);
});

test('where the difference matters, null is read as null', () => {
  const nothing = new ByteBuilder().int(-1).build();
  const empty = new ByteBuilder().int(0).build();
  const type = nullable(vector(int));
  assert.is(decoded(type, nothing), null);
  assert.equal(decoded(type, empty), []);
  assert.equal(encoded(type, null), nothing);
  assert.equal(encoded(type, []), empty);
  assert.is(decoded(nullable(ustring), nothing), null);
  checkBoth(type, [7], new ByteBuilder().int(1).int(7).build());
});

test('a count that lies is refused before anything is allocated', () => {
  const bytes = new ByteBuilder().int(0x7fff_ffff).long(0n).build();
  for (const type of [vector(int), vector(ustring), vector(vector(long))] as Type<unknown>[]) {
    assert.throws(() => decoded(type, bytes), /2147483647 elements does not fit/);
  }
  assert.throws(() => decoded(vector(int), new ByteBuilder().int(-2).build()), /-2 elements/);
});

test('a count within bounds whose elements lie is refused too', () => {
  const bytes = new ByteBuilder().int(2).string('abc').int(100).build();
  assert.throws(() => decoded(vector(ustring), bytes), /expected 100 bytes/);
});

const Inner = record('Inner', { id: long, name: ustring });
const Outer = record('Outer', { flag: bool, inner: Inner, more: vector(Inner), data: buffer });

test('a record is its fields in the order of its declaration', () => {
  const value = {
    flag: true,
    inner: { id: -1n, name: 'a' },
    more: [{ id: 2n, name: '' }],
    data: null,
  };
  const bytes = new ByteBuilder()
    .bool(true)
    .long(-1n)
    .string('a')
    .int(1)
    .long(2n)
    .string('')
    .int(-1)
    .build();
  checkBoth(Outer, value, bytes);
  assert.equal(Outer.encode(value), bytes);
  assert.equal(Outer.decode(bytes), value);
  // As Apache's readers do.
  assert.equal(Outer.decode(Buffer.concat([bytes, Buffer.from([1, 2, 3])])), value);
});

test('a record names its fields and knows its least size', () => {
  assert.is(Outer.name, 'Outer');
  assert.equal(Object.keys(Outer.fields), ['flag', 'inner', 'more', 'data']);
  assert.is(Inner.minSize, 8 + 4);
  assert.is(Outer.minSize, 1 + 12 + 4 + 4);
  assert.is(vector(Inner).name, 'vector<Inner>');
});

test('a record without fields has zero bytes', () => {
  const Empty = record('Empty', {});
  checkBoth(Empty, {}, Buffer.alloc(0));
});

test.run();
