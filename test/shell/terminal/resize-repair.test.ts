import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repairAfterResize } from '../../../src/shell/terminal/resize-repair.js';

test('the folded rows are erased, and the cursor stands where Ink left it', () => {
  // Two rows of 60 and 70 columns stand on four of 40; the cursor is in the third of them.
  const frame = { widths: [60, 70, 20], cursor: { x: 10, y: 1 } };
  assert.is(repairAfterResize(frame, 40), `\x1b[2A\r${erase(5)}\n\n\n\x1b[2A\x1b[11G`);
  // The cursor's own row is folded before it.
  const right = { widths: [60, 20], cursor: { x: 50, y: 0 } };
  assert.is(repairAfterResize(right, 40), `\x1b[1A\r${erase(3)}\n\n\x1b[2A\x1b[51G`);
  // Nothing was folded.
  const short = { widths: [10, 0], cursor: { x: 10, y: 0 } };
  assert.is(repairAfterResize(short, 40), `\r${erase(2)}\n\n\x1b[2A\x1b[11G`);
});

function erase(rows: number): string {
  return `${'\x1b[2K\x1b[1B'.repeat(rows - 1)}\x1b[2K\x1b[${rows - 1}A`;
}

test.run();
