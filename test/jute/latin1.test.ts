import { test } from 'uvu';
import { equal, throws } from 'uvu/assert';
import { readLatin1, writeLatin1 } from '../../src/jute/latin1.js';

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test('every byte is one character, and comes back', () => {
  const text = readLatin1(everyByte, 0, 256);
  equal(
    [...text].map((character) => character.charCodeAt(0)),
    [...everyByte],
  );
  const copy = Buffer.alloc(258);
  equal(writeLatin1(copy, text, 1), 256);
  equal(copy.subarray(1, 257), everyByte);
});

test('a range is read, and nothing outside of a range is written', () => {
  equal(readLatin1(everyByte, 65, 68), 'ABC');
  equal(readLatin1(everyByte, 65, 65), '');
  const bytes = Buffer.alloc(4, 1);
  equal(writeLatin1(bytes, '\xff\x00', 1), 2);
  equal([...bytes], [1, 255, 0, 1]);
});

test('a write outside of the bytes throws', () => {
  throws(() => writeLatin1(Buffer.alloc(1), 'x', 2));
});

test.run();
