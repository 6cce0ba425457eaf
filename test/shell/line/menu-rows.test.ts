import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadInk } from '../../../src/shell/terminal/load-ink.js';
import { createElement, drawnRows } from '../../support/terminal/drawn.js';

const { Completions } = await loadInk(() => import('../../../src/shell/shell-screen.js'));

function shown(names: readonly string[], columns: number, maxRows: number): readonly string[] {
  return drawnRows(createElement(Completions, { names, columns, maxRows }), columns);
}

test('names are in columns, from top to bottom', () => {
  assert.equal(shown(['a', 'b', 'c', 'd', 'e'], 10, 5), ['a  c  e', 'b  d']);
  assert.equal(shown(['one', 'three'], 20, 5), ['one    three']);
  assert.equal(shown(['漢字', 'a', 'b'], 10, 5), ['漢字  b', 'a']);
  assert.equal(shown([], 10, 5), []);
});

test('names that do not fit are counted', () => {
  const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
  const rows = shown(names, 20, 3);
  assert.is(rows.length, 3);
  assert.is(rows[2], '… and 92 more');
  const many = shown(
    Array.from({ length: 100_000 }, (_, index) => `node-${index}`),
    79,
    10,
  );
  assert.is(many.length, 10);
  assert.match(many[9] ?? '', /^… and \d+ more$/);
  assert.equal(shown(['a'], 10, 0), []);
});

test('a name stays within its row', () => {
  assert.equal(shown(['a\nb\x1b', 'x'.repeat(30)], 20, 5), [
    'a\\u{a}b\\u{1b}',
    'xxxxxxxxxxxxxxxxxxx…',
  ]);
});

test.run();
