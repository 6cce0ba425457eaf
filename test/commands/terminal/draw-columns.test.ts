import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsOf } from '../../../src/commands/terminal/draw-columns.js';
import { textWidth } from '../../../src/commands/terminal/text-width.js';

test('names run down the columns, as with ls(1)', () => {
  assert.is(columnsOf(['a', 'b', 'c', 'd', 'e'], 7), 'a  c  e\nb  d\n');
  assert.is(columnsOf(['a', 'b', 'c', 'd', 'e'], 4), 'a  d\nb  e\nc\n');
  assert.is(columnsOf(['long-name', 'b', 'c'], 5), 'long-name\nb\nc\n');
  assert.is(columnsOf([], 80), '');
});

test('wide names count with their columns, and no line is too long', () => {
  const names = Array.from({ length: 500 }, (_, at) => (at % 3 === 0 ? `漢字${at}` : `n${at * 7}`));
  for (const width of [20, 33, 80, 200]) {
    const lines = columnsOf(names, width).trimEnd().split('\n');
    assert.ok(Math.max(...lines.map(textWidth)) <= width, String(width));
    const found = lines.flatMap((line) => line.split(/ +/));
    assert.equal(found.sort(), [...names].sort());
  }
});

test.run();
