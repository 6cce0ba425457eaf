import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDuration } from '../../../src/commands/program/duration.js';

for (const [text, ms] of [
  ['500ms', 500],
  ['60s', 60_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  ['0s', 0],
  ['250', 250],
  ['', undefined],
  ['s', undefined],
  ['-1s', undefined],
  ['1.5s', undefined],
  ['1 s', undefined],
  ['1y', undefined],
  ['5M', undefined],
  ['999999999999999w', undefined],
] as const) {
  test(`"${text}" is ${ms} ms`, () => {
    assert.is(parseDuration(text, 1), ms);
  });
}

test('a number alone is refused where it says too little', () => {
  assert.is(parseDuration('10'), undefined);
  assert.is(parseDuration('10s'), 10_000);
});

test.run();
