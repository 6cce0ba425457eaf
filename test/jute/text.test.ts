import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readLatin1, readUtf8, writeLatin1 } from '../../src/jute/text.js';

const TEXTS = ['', 'a', '/app/config', '\u0000\u007f\u0080\u00ff', 'x'.repeat(5000)];

test('latin1 text is read and written as by toString and write', () => {
  for (const text of TEXTS) {
    const expected = Buffer.from(`<${text}>`, 'latin1');
    const written = Buffer.from('<'.padEnd(expected.length, '.').replace(/.$/, '>'));
    assert.is(writeLatin1(written, text, 1), text.length);
    assert.equal(written, expected);
    assert.is(readLatin1(written, 1, 1 + text.length), text);
  }
});

test('UTF-8 text is read as by toString, damaged text too', () => {
  const damaged = [Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xed, 0xa0, 0x80])];
  for (const bytes of [...TEXTS, 'ü', '日本', '😀']
    .map((text) => Buffer.from(text))
    .concat(damaged)) {
    const within = Buffer.concat([Buffer.from('<<'), bytes, Buffer.from('>')]);
    assert.is(readUtf8(within, 2, 2 + bytes.length), bytes.toString());
  }
});

test.run();
