import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProposalSizes } from '../../../../src/server/quorum/leading/broadcast.js';

test('the last, least, and largest size, and -1 before the first one', () => {
  const sizes = new ProposalSizes();
  const shown = () => [sizes.last, sizes.min, sizes.max];
  assert.equal(shown(), [-1, -1, -1]);
  for (const [size, min, max] of [
    [5, 5, 5],
    [9, 5, 9],
    [7, 5, 9],
    [0, 0, 9],
    [3, 0, 9],
  ] as const) {
    sizes.note(size);
    assert.equal(shown(), [size, min, max]);
  }
});

test.run();
