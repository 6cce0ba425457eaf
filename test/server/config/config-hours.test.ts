import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../src/server/config/config.js';

function purgeInterval(text: string): number | string {
  const result = configFromOptions({ 'autopurge.purgeInterval': text });
  if ('config' in result) return result.config.autopurgePurgeIntervalHours;
  return result.errors[0]?.text ?? '';
}

test('autopurge.purgeInterval is a number of hours, or a time with a unit', () => {
  const hours = ['24', '0', '-1', '90m', '36H', '2d', '1800s'].map(purgeInterval);
  assert.equal(hours, [24, 0, -1, 1.5, 36, 48, 0.5]);
  assert.is(Math.round(Number(purgeInterval('500ms')) * 3_600_000), 500);
  for (const text of ['', 'h', '1.5h', '1w', '1 h', '1hh']) {
    assert.match(`${purgeInterval(text)}`, 'a time such as 90s, 30m, 12h, or 1d', text);
  }
});

test.run();
