import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diffLines } from '../../../src/commands/results/line-diff.js';

function diff(before: string, after: string): string {
  const lines = diffLines([...before], [...after]);
  return lines
    .map(({ sign, text }) => `${sign}${text}`)
    .join('')
    .replaceAll(' ', '');
}

test('common lines stay, and others have signs', () => {
  assert.is(diff('abc', 'abc'), 'abc');
  assert.is(diff('abc', 'axc'), 'a-b+xc');
  assert.is(diff('', 'ab'), '+a+b');
  assert.is(diff('ab', ''), '-a-b');
  assert.is(diff('aa', 'a'), 'a-a');
  assert.is(diff('abcd', 'bdx'), '-ab-cd+x');
  assert.is(diff('xaby', 'xbay'), 'x-ab+ay');
});

test('either side can be rebuilt from the lines', () => {
  const before = Array.from({ length: 200 }, (_, i) => `${(i * 7) % 31}`);
  const after = Array.from({ length: 180 }, (_, i) => `${(i * 5) % 29}`);
  const lines = diffLines(before, after);
  const side = (sign: string) => lines.filter((l) => l.sign !== sign).map(({ text }) => text);
  assert.equal(side('+'), before);
  assert.equal(side('-'), after);
});

test('texts too long to compare are shown as removed and added', () => {
  const before = Array.from({ length: 2000 }, (_, i) => `a${i}`);
  const after = Array.from({ length: 2000 }, (_, i) => `b${i}`);
  assert.is(diffLines(before, after).length, 4000);
});

test.run();
