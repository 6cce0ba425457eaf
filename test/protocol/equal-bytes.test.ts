import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equalBytes, equalTexts } from '../../src/protocol/equal-bytes.js';
import { readSources } from '../support/tidy/source-file.js';

test('bytes are equal when each is', () => {
  const secret = Uint8Array.of(1, 2, 255, 0);
  assert.ok(equalBytes(secret, Uint8Array.of(1, 2, 255, 0)));
  assert.ok(equalBytes(new Uint8Array(0), new Uint8Array(0)));
  for (let at = 0; at < secret.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const other = Uint8Array.from(secret, (byte, i) => (i === at ? byte ^ (1 << bit) : byte));
      assert.not(equalBytes(secret, other));
    }
  }
});

test('those of another length differ', () => {
  assert.not(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0)));
  assert.not(equalBytes(Uint8Array.of(1, 2), new Uint8Array(0)));
});

test('all bytes are read, wherever the first difference is', () => {
  for (const at of [0, 8, 15]) {
    const bytes = new Uint8Array(16);
    bytes[at] = 1;
    const read: string[] = [];
    const counted = new Proxy(bytes, {
      get: (target, key) => {
        if (key !== 'length') read.push(String(key));
        return Reflect.get(target, key, target);
      },
    });
    assert.not(equalBytes(counted, new Uint8Array(16)));
    assert.is(read.length, 16);
  }
});

test('texts are equal when their bytes are', () => {
  assert.ok(equalTexts('sünder:x', 'sünder:x'));
  for (const other of ['sünder:y', 'sunder:x', 'sünder:', '']) {
    assert.not(equalTexts('sünder:x', other));
  }
});

/** An operator of equality next to a secret, unless it only asks whether there is one. */
const COMPARED =
  /[!=]==\s*[\w.]*(?:password|superDigest|secret|proof)\b|\b(?:password|superDigest|secret|proof)\s*[!=]==(?!\s*(?:null|undefined|''))/i;

test('no secret is compared by an operator, whose timing shows where two differ', () => {
  assert.match('if (digest === this.options.superDigest) allow();', COMPARED);
  assert.match('return password !== expected;', COMPARED);
  assert.not.match('password === undefined ? a : b', COMPARED);
  const lines = readSources('src/server').flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (COMPARED.test(line) ? `${path}: ${line.trim()}` : [])),
  );
  assert.equal(lines, []);
});

test.run();
