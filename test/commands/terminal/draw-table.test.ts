import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { drawTable, tableWidth } from '../../../src/commands/terminal/draw-table.js';
import { framedTable } from '../../../src/commands/terminal/framed-table.js';

test('columns stand below each other by what a terminal shows, wide characters and paint too', () => {
  const left = (text: string) => ({ text, isRight: false });
  const right = (text: string) => ({
    text,
    isRight: true,
    paint: (it: string) => `\x1b[1m${it}\x1b[22m`,
  });
  assert.is(
    drawTable(
      [left('NAME'), right('N'), left('')],
      [
        [left('漢字漢'), right('10'), left('x')],
        [left('e\u0301'), right('7'), left('')],
      ],
    ),
    'NAME     \x1b[1mN\x1b[22m\n漢字漢  \x1b[1m10\x1b[22m  x\ne\u0301        \x1b[1m7\x1b[22m\n',
  );
});

test('a frame holds cells of several lines, of wide characters, and no rows at all', () => {
  const box = framedTable(
    ['field', 'value'],
    [
      ['a', 'x\nyy'],
      ['漢字漢', '👨‍👩‍👧 e'],
      ['', ''],
    ],
  );
  assert.is(
    box,
    '┌────────┬───────┐\n│ field  │ value │\n├────────┼───────┤\n│ a      │ x     │\n' +
      '│        │ yy    │\n│ 漢字漢 │ 👨‍👩‍👧 e  │\n│        │       │\n└────────┴───────┘\n',
  );
  for (const line of box.split('\n').slice(0, -1)) assert.is(tableWidth(line), 18, line);
  assert.is(framedTable(['child'], []), '┌───────┐\n│ child │\n└───────┘\n');
});

test.run();
