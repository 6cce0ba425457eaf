import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { timeOf } from '../../src/console/stat-shape.js';

test('a time that no date has is unknown, whatever a server sends', () => {
  for (const ms of [0, 2 ** 63, -(2 ** 63), 8_640_000_000_000_001]) {
    assert.is(timeOf(ms), null, String(ms));
  }
  assert.is(timeOf(-1), '1969-12-31T23:59:59.999Z');
  assert.is(timeOf(8_640_000_000_000_000), '+275760-09-13T00:00:00.000Z');
});

test.run();
