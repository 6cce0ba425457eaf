import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { adler32, crc32 } from '../../src/base/checksum.js';
import { zlibAdler32, zlibCrc32 } from '../support/bytes/zk-files.js';

/** The same bytes on every run. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 12345;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

const SIZES = [0, 1, 7, 8, 9, 150, 3799, 3800, 3801, 7600, 65_521, 200_003];

for (const size of SIZES) {
  test(`both checksums of ${size} bytes are zlib's`, () => {
    for (const bytes of [noise(size), Buffer.alloc(size, 0xff), Buffer.alloc(size)]) {
      assert.is(adler32(bytes, 0, size), zlibAdler32(bytes));
      assert.is(crc32(bytes, 0, size), zlibCrc32(bytes));
    }
  });
}

test('the published check values', () => {
  assert.is(adler32(Buffer.from('Wikipedia'), 0, 9), 0x11e60398);
  assert.is(crc32(Buffer.from('123456789'), 0, 9), 0xcbf43926);
});

test('a seed continues a sum, wherever the pieces meet', () => {
  const bytes = noise(5000);
  for (const cut of [0, 1, 7, 8, 13, 3800, 4999, 5000]) {
    assert.is(adler32(bytes, cut, 5000, adler32(bytes, 0, cut)), adler32(bytes, 0, 5000));
    assert.is(crc32(bytes, cut, 5000, crc32(bytes, 0, cut)), crc32(bytes, 0, 5000));
  }
});

test('only the range counts', () => {
  const bytes = noise(100);
  assert.is(adler32(bytes, 10, 60), zlibAdler32(bytes.subarray(10, 60)));
  assert.is(crc32(bytes, 10, 60), zlibCrc32(bytes.subarray(10, 60)));
});

test.run();
