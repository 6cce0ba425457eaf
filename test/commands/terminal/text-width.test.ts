import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  drawable,
  graphemes,
  nextBoundary,
  previousBoundary,
  textWidth,
  truncate,
  wrap,
} from '../../../src/commands/terminal/text-width.js';

const FAMILY = '👩‍👩‍👧';

const WIDTHS: readonly (readonly [text: string, width: number])[] = [
  ['', 0],
  ['abc', 3],
  ['漢字', 4],
  ['ｆ', 2],
  ['カ', 2],
  ['한글', 4],
  ['e\u0301', 1],
  ['😀', 2],
  [FAMILY, 2],
  ['🇩🇪', 2],
  ['1\ufe0f\u20e3', 2],
  ['❤\ufe0f', 2],
  ['\u200b', 0],
  ['€ß…', 3],
  ['𠀀', 2],
  ['☰', 2],
  ['\u0928\u093f', 2],
  ['\uff76\uff9e', 2],
  ['\u1112\u1161\u11ab', 2],
  ['\u1100\u1100\u1161', 4],
];

test('a text is as wide as a terminal draws it', () => {
  for (const [text, width] of WIDTHS) assert.is(textWidth(text), width, JSON.stringify(text));
});

test('boundaries lie between graphemes, not inside of them', () => {
  const text = `a${FAMILY}e\u0301b`;
  assert.equal(graphemes(text), ['a', FAMILY, 'e\u0301', 'b']);
  const forward = [0];
  const backward = [text.length];
  for (let step = 0; step < 4; step++) {
    forward.push(nextBoundary(text, forward.at(-1) ?? 0));
    backward.unshift(previousBoundary(text, backward[0] ?? 0));
  }
  assert.equal(forward, [0, 1, 9, 11, 12]);
  assert.equal(backward, forward);
  assert.is(nextBoundary(text, text.length), text.length);
  assert.is(previousBoundary(text, 0), 0);
});

test('a truncated text never exceeds its columns', () => {
  assert.is(truncate('abcdef', 6), 'abcdef');
  assert.is(truncate('abcdef', 5), 'abcd…');
  assert.is(truncate('漢字漢', 5), '漢字…');
  assert.is(truncate('漢字漢', 4), '漢…');
  assert.is(truncate('abc', 0), '');
});

test('a character with a million joiners takes linear time', () => {
  assert.is(textWidth(`\u2600${'\u200d'.repeat(1_000_000)}`), 1);
});

test('a long text has the same graphemes as its parts, in linear time', () => {
  const thumb = '\u{1f44d}\u{1f3fd}';
  const long = `e${'\u0301'.repeat(1000)}`;
  for (const unit of ['\u00e9', FAMILY, thumb, '\u{1f1e9}\u{1f1ea}', long, 'a\u0301\r\n']) {
    for (let shift = 0; shift < 8; shift++) {
      const text = '\u6f22'.repeat(shift) + unit.repeat(100);
      const segments = new Intl.Segmenter().segment(text);
      assert.equal(
        graphemes(text),
        Array.from(segments, ({ segment }) => segment),
      );
    }
  }
  assert.is(textWidth('\u00e9'.repeat(500_000)), 500_000);
});

test('control characters are drawn and never sent', () => {
  assert.is(drawable('\x1b'), '\\u{1b}');
  assert.is(drawable('\x7f'), '\\u{7f}');
  assert.is(drawable('\x9b'), '\\u{9b}');
  assert.is(drawable('a'), 'a');
});

test('a line is broken by its columns, not inside of brackets, and never at the blank of one', () => {
  assert.is(wrap('漢字 漢字 ab', 9), '漢字 漢字\n  ab');
  assert.is(wrap('one [-a B] [::1]:2181', 10, ' '), 'one [-a B]\n [::1]:2181');
  assert.is(wrap('a [b c', 3, ''), 'a\n[b\nc');
});

test.run();
