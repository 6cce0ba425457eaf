import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeHidden } from '../../../src/server/base/escape-hidden.js';

const HIDDEN = [
  '\u0000',
  '\n',
  '\t',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u061c',
  '\u200b',
  '\u200f',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
];

for (const char of HIDDEN) {
  test(`U+${char.codePointAt(0)?.toString(16)} is escaped, and JSON reads it back`, () => {
    const escaped = escapeHidden(`a${char}b`);
    assert.match(escaped, /^[\x20-\x7e]+$/);
    assert.is(JSON.parse(`"${escaped}"`), `a${char}b`);
  });
}

test('what can be seen stays as it is', () => {
  assert.is(escapeHidden('/app/ñandú 東京 😀'), '/app/ñandú 東京 😀');
});

test.run();
