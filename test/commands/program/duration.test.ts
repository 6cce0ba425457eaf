import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDuration, parseDuration } from '../../../src/commands/program/duration.js';

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

test('a duration is shown in the largest unit without a fraction', () => {
  for (const ms of [0, 1, 500, 1500]) assert.is(formatDuration(ms), `${ms}ms`);
  for (const text of ['2s', '90s', '5m', '3h', '10d', '1w']) {
    assert.is(formatDuration(parseDuration(text) ?? 0), text);
  }
});

test.run();
