import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unpackBlock, unpackSnappy } from '../../../src/commands/data-files/snappy.js';

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

test('a stream is unpacked however it is cut into pieces', async () => {
  const header = block(0x82, 'SNAPPY', 0, 0, 0, 0, 1, 0, 0, 0, 1);
  const one = block(0, 0, 0, 5, 3, 2 << 2, 'abc');
  const whole = Buffer.concat([header, one, one]);
  for (const size of [1, 3, 16, 17, whole.length]) {
    async function* pieces() {
      for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
    }
    let text = '';
    for await (const piece of unpackSnappy(pieces())) text += piece.toString();
    assert.is(text, 'abcabc', `in pieces of ${size}`);
  }
});

test.run();
