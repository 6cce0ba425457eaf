import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeLines } from '../../../src/commands/results/merge-lines.js';

const lines = (text: string) => [...text].join('\n');

test('changes of different lines are merged', () => {
  for (const [base, yours, theirs, merged] of [
    ['abcde', 'aXcde', 'abcdY', 'aXcdY'],
    ['abc', 'abc', 'aZc', 'aZc'],
    ['abc', 'abcD', '0abc', '0abcD'],
    ['abcdef', 'acdef', 'abcdf', 'acdf'],
    ['abc', 'aXc', 'aXc', 'aXc'],
    ['abcdefg', 'aBcdefg', 'abcdEFg', 'aBcdEFg'],
  ] as const) {
    const { text, conflicts } = mergeLines(lines(base), lines(yours), lines(theirs));
    assert.equal([text, conflicts], [lines(merged), 0], `${base} ${yours} ${theirs}`);
  }
});

test('changes of the same lines are marked, with the original', () => {
  const { text, conflicts } = mergeLines('a\nb\nc', 'a\nmine\nc', 'a\nyours\nc');
  assert.is(conflicts, 1);
  assert.is(
    text,
    'a\n<<<<<<< your version\nmine\n||||||| original\nb\n=======\nyours\n>>>>>>> server\nc',
  );
  assert.is(mergeLines('', 'x', 'y').conflicts, 1);
  assert.is(mergeLines('a\nb', 'a', 'a\nB').conflicts, 1);
});

test('changes at both ends of a long text are merged with one in between', () => {
  const base = Array.from({ length: 10_000 }, (_, i) => (i % 3 === 0 ? '},' : `line ${i}`));
  const yours = base.with(1, 'first').with(9_998, 'last');
  const theirs = base.with(5_000, 'middle');
  const { text, conflicts } = mergeLines(base.join('\n'), yours.join('\n'), theirs.join('\n'));
  assert.is(conflicts, 0);
  assert.is(text, yours.with(5_000, 'middle').join('\n'));
});

test('a text of 200,000 lines is merged', () => {
  const base = 'a\n'.repeat(200_000);
  const { text, conflicts } = mergeLines(base, `${base}yours`, `theirs\n${base}`);
  assert.is(conflicts, 0);
  assert.ok(text === `theirs\n${base}yours`);
  const all = 'b\n'.repeat(200_000);
  assert.ok(mergeLines(base, all, base).text === all);
});

test.run();
