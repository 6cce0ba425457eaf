import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  packBlock,
  packChunk,
  SNAPPY_HEADER,
  SnappyReader,
  unpackBlock,
} from '../../src/files/snappy.js';
import { Random } from '../support/random.js';

const block = (...bytes: (number | string)[]) =>
  Buffer.concat(
    bytes.map((one) => (typeof one === 'string' ? Buffer.from(one) : Buffer.from([one]))),
  );

const GOOD: readonly [what: string, packed: Buffer, unpacked: string][] = [
  ['nothing', block(0), ''],
  ['a literal', block(3, 2 << 2, 'abc'), 'abc'],
  ['a literal with its length in a byte', block(61, 60 << 2, 60, 'x'.repeat(61)), 'x'.repeat(61)],
  ['a near copy', block(8, 3 << 2, 'abcd', 1, 4), 'abcdabcd'],
  ['a near copy that repeats itself', block(8, 1 << 2, 'ab', (2 << 2) | 1, 2), 'abababab'],
  ['a copy with two bytes of offset', block(5, 2 << 2, 'abc', (1 << 2) | 2, 3, 0), 'abcab'],
  ['a copy with four bytes of offset', block(5, 2 << 2, 'abc', (1 << 2) | 3, 2, 0, 0, 0), 'abcbc'],
  ['a length of two bytes', block(0x80 | 2, 1, 61 << 2, 129, 0, 'y'.repeat(130)), 'y'.repeat(130)],
];

for (const [what, packed, unpacked] of GOOD) {
  test(`unpacks ${what}`, () => {
    assert.is(unpackBlock(packed).toString(), unpacked);
  });
}

const BAD: readonly [what: string, packed: Buffer, words: RegExp][] = [
  ['no length', block(), /without a length/],
  ['an endless length', block(0xff, 0xff, 0xff, 0xff, 0xff, 0xff), /without a length/],
  ['a huge length', block(0xff, 0xff, 0xff, 0x7f), /a block of \d+ bytes/],
  ['a literal longer than the block', block(9, 8 << 2, 'abc'), /longer than the block/],
  ['more than its length', block(2, 2 << 2, 'abc'), /longer than the block/],
  ['less than its length', block(4, 2 << 2, 'abc'), /3 bytes \(expected 4\)/],
  ['a copy from nowhere', block(8, 3 << 2, 'abcd', 1, 5), /a copy from before the block/],
  ['a copy of itself', block(8, 3 << 2, 'abcd', 1, 0), /a copy from before the block/],
  ['a cut element', block(8, 3 << 2, 'abcd', 2, 1), /is cut off/],
];

for (const [what, packed, words] of BAD) {
  test(`refuses ${what}`, () => {
    assert.throws(() => unpackBlock(packed), words);
  });
}

function unpackAll(pieces: Iterable<Buffer>): Buffer {
  const reader = new SnappyReader();
  const blocks = [...pieces].flatMap((piece) => [...reader.push(piece)]);
  reader.end();
  return Buffer.concat(blocks);
}

test('a stream is unpacked from pieces of any size', () => {
  const one = block(0, 0, 0, 5, 3, 2 << 2, 'abc');
  const whole = Buffer.concat([SNAPPY_HEADER, one, one]);
  for (const size of [1, 3, 16, 17, whole.length]) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    assert.is(unpackAll(pieces).toString(), 'abcabc', `in pieces of ${size}`);
  }
});

test('a stream that ends inside a block is refused', () => {
  const one = block(0, 0, 0, 5, 3, 2 << 2, 'ab');
  assert.throws(() => unpackAll([SNAPPY_HEADER, one]), /ends inside a block/);
  assert.throws(() => unpackAll([SNAPPY_HEADER.subarray(0, 9)]), /ends inside a block/);
});

/** Bytes that repeat more or less, as znodes do. */
function bytesOf(random: Random, size: number): Buffer {
  const words = Array.from({ length: 1 + random.below(40) }, () =>
    Buffer.from(Array.from({ length: 1 + random.below(30) }, () => random.below(256))),
  );
  const parts: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const word = words[random.below(words.length)] ?? Buffer.alloc(1);
    parts.push(word);
    length += word.length;
  }
  return Buffer.concat(parts).subarray(0, size);
}

test('a block is unpacked to the bytes that were packed', () => {
  const random = new Random(1);
  for (let i = 0; i < 500; i++) {
    const bytes = bytesOf(random, random.oneIn(5) ? random.below(8) : random.below(32 * 1024 + 1));
    assert.ok(unpackBlock(packBlock(bytes)).equals(bytes), `block ${i}`);
  }
});

test('a packed stream is smaller and unpacked to the same bytes', () => {
  const random = new Random(2);
  const chunks = Array.from({ length: 5 }, () => bytesOf(random, random.below(100_000)));
  const packed = [SNAPPY_HEADER, ...chunks.map(packChunk)];
  assert.ok(unpackAll(packed).equals(Buffer.concat(chunks)));
  assert.ok(Buffer.concat(packed).length < Buffer.concat(chunks).length);
});

test('a chunk of whole blocks has no block after them', () => {
  const { length } = packBlock(Buffer.alloc(32 * 1024));
  assert.is(packChunk(Buffer.alloc(32 * 1024)).length, 4 + length);
  assert.is(packChunk(Buffer.alloc(64 * 1024)).length, 2 * (4 + length));
  assert.is(packChunk(Buffer.alloc(0)).length, 0);
});

test('the header is that of snappy-java: its magic, and twice version 1', () => {
  assert.is(SNAPPY_HEADER.toString('hex'), '82534e41505059000000000100000001');
});

test.run();
