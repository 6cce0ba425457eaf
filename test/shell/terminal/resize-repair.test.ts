import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Frame, repairAfterResize } from '../../../src/shell/terminal/mount-ink.js';
import { XtermScreen } from '../../support/terminal/xterm-screen.js';

const COLUMNS = 40;
const HEIGHT = 12;

/**
 * Shows a frame below earlier output on a terminal of 40 columns that folds rows. Then repairs it,
 * and draws a new frame as Ink does: from its cursor up, over the old one.
 */
async function repaired({ widths, cursor }: Frame, above: readonly string[]) {
  const screen = new XtermScreen(COLUMNS, HEIGHT);
  const frame = widths.map((width, at) => `${at}`.repeat(width));
  await screen.write([...above, ...frame].join('\n'));
  // To the cursor, from the end of the last row.
  const foldsFrom = (at: number) =>
    widths.slice(at).map((width) => Math.ceil(width / COLUMNS) || 1);
  const up = foldsFrom(cursor.y).reduce((sum, rows) => sum + rows) - 1;
  const down = Math.floor(cursor.x / COLUMNS);
  if (up > down) await screen.write(`\x1b[${up - down}A`);
  await screen.write(`\x1b[${(cursor.x % COLUMNS) + 1}G`);
  await screen.write(repairAfterResize({ widths, cursor }, COLUMNS));
  const between = { rows: screen.rows(), cursor: screen.cursor() };
  const start = cursor.y > 0 ? `\x1b[${cursor.y}A\r` : '\r';
  await screen.write(`${start}${widths.map((_, at) => `new ${at}`).join('\n')}`);
  return { ...between, drawn: screen.rows() };
}

const FRAMES: readonly (readonly [string, Frame])[] = [
  // Rows of 60 and 70 columns fold to two of 40 each. The cursor is in the third of them.
  ['rows above the cursor are folded', { widths: [60, 70, 20], cursor: { x: 10, y: 1 } }],
  ["the cursor's own row is folded before it", { widths: [60, 20], cursor: { x: 50, y: 0 } }],
  ['rows below the cursor are folded', { widths: [10, 60, 100], cursor: { x: 3, y: 0 } }],
  ['nothing is folded', { widths: [10, 0], cursor: { x: 10, y: 0 } }],
  ['a row is just as wide', { widths: [40, 80, 5], cursor: { x: 2, y: 2 } }],
];

for (const [what, frame] of FRAMES) {
  for (const [where, count] of [
    ['with room below', 3],
    ['on a full screen', 30],
  ] as const) {
    test(`${what}, ${where}: no debris, and the cursor is where Ink left it`, async () => {
      const above = Array.from({ length: count }, (_, at) => `printed ${at}`);
      const { rows, cursor, drawn } = await repaired(frame, above);
      assert.equal(rows, above);
      assert.is(cursor.y, above.length + frame.cursor.y);
      assert.is(cursor.x, Math.min(frame.cursor.x, COLUMNS - 1));
      assert.equal(drawn, [...above, ...frame.widths.map((_, at) => `new ${at}`)]);
    });
  }
}

test.run();
